// Ids that are looked up to be read may be given by their first characters. Commands that write take whole ids only.
import * as Result from "effect/Result"
import { meantBy } from "../canonical/meant-by.ts"
import { AmbiguousPrefix } from "./errors.ts"

const MAX_CANDIDATES = 5

/** How many ids, from the prefix on in order, `idOfPrefix` must be given. */
export const IDS_OF_PREFIX = MAX_CANDIDATES + 1

/**
 * The one id that a prefix means, undefined when none begins with it. `ids` are the first that do not stand before the
 * prefix.
 */
export const idOfPrefix = (
  prefix: string,
  ids: ReadonlyArray<string>
): Result.Result<string | undefined, AmbiguousPrefix> =>
  Result.mapError(
    meantBy(prefix, ids, MAX_CANDIDATES),
    (several) => new AmbiguousPrefix({ prefix, ...several })
  )
