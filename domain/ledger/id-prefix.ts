// Ids that are looked up to be read may be given by their first characters. Commands that write take whole ids only.
import * as Result from "effect/Result"
import { AmbiguousPrefix } from "./errors.ts"

const MAX_CANDIDATES = 5

/** How many ids, from the prefix on in order, `idOfPrefix` must be given. */
export const IDS_OF_PREFIX = MAX_CANDIDATES + 1

/**
 * The one id that a prefix means, undefined when none begins with it. `ids` are the first that do not stand before the
 * prefix. An id that is the prefix itself stands first, and is meant whatever else begins with it.
 */
export const idOfPrefix = (
  prefix: string,
  ids: ReadonlyArray<string>
): Result.Result<string | undefined, AmbiguousPrefix> => {
  const candidates = ids.filter((id) => id.startsWith(prefix))
  const [first] = candidates
  return candidates.length < 2 || first === prefix
    ? Result.succeed(first)
    : Result.fail(
        new AmbiguousPrefix({
          prefix,
          candidates: candidates.slice(0, MAX_CANDIDATES),
          has_more: candidates.length > MAX_CANDIDATES
        })
      )
}
