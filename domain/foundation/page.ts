// Which part of a list a query answers: at most so many rows, behind the last one that was seen. Lists are in the order
// of their ids, which is the order in which they were posted, so an id is the whole cursor.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Identifier } from "../canonical/text.ts"

/** Most rows that one query answers, and how many it answers when nothing is said. */
export const MAX_PAGE_ROWS = 10_000
/** Rows of a page that names no limit. */
export const DEFAULT_PAGE_ROWS = 1_000

const expected = `a whole number from 1 to ${MAX_PAGE_ROWS}`

/** How many rows a query may answer. */
export const PageLimit = Schema.Int.check(
  Schema.isGreaterThanOrEqualTo(1, { expected }),
  Schema.isLessThanOrEqualTo(MAX_PAGE_ROWS, { expected })
)

/** What callers say of a page; both parts may be left out. */
export const PageOptions = Schema.Struct({
  limit: Schema.optional(PageLimit),
  /** The id of the last row that was seen: only those behind it. */
  after: Schema.optional(Identifier)
})
export type PageOptions = typeof PageOptions.Type

/** A page with nothing left out; `after` is empty for the first one. */
export interface Page {
  readonly limit: number
  readonly after: string
}

/** The page that the options ask for. */
export const preparePage = ({
  after = "",
  limit = DEFAULT_PAGE_ROWS
}: PageOptions): Result.Result<Page, never> => Result.succeed({ after, limit })
