// What the beginning of a name means. Ids of thoughts and sections, and hashes of memories and symbols, may be
// given by their first characters.
import * as Result from "effect/Result"

/** Several names that a beginning may mean: the first of them in order, and whether there are more. */
export interface SeveralMeant {
  readonly candidates: ReadonlyArray<string>
  readonly has_more: boolean
}

/**
 * The one name that a beginning means, undefined when none begins with it. Names that do not begin so are passed over. A
 * name that is the beginning itself is meant, although others begin with it. Of several at most `named` are told.
 */
export const meantBy = (
  beginning: string,
  names: Iterable<string>,
  named: number
): Result.Result<string | undefined, SeveralMeant> => {
  const found = [...new Set(names)].filter((name) => name.startsWith(beginning)).sort()
  const [first] = found
  return found.length < 2 || first === beginning
    ? Result.succeed(first)
    : Result.fail({ candidates: found.slice(0, named), has_more: found.length > named })
}
