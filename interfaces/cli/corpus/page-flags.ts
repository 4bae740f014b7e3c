// The flags of lists that come in pages, and what they ask the corpus for. The range is the corpus's to judge.
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS, type PageOptions } from "../../../domain/foundation/page.ts"
import { textFlag } from "../../shared/flags.ts"
import { wholeNumberFlag } from "../../shared/options.ts"

/** `--limit` and `--after`; `entry` is what the list holds, with its article. */
export const pageFlags = (entry: string) => ({
  limit: wholeNumberFlag("limit", 1).pipe(
    Flag.optional,
    Flag.withDescription(`at most this many (default ${DEFAULT_PAGE_ROWS}, at most ${MAX_PAGE_ROWS})`)
  ),
  after: textFlag("after", "ID", `go on behind ${entry} that was seen last`).pipe(Flag.optional)
})

/** The page that the flags ask for. */
export const pageOf = (flags: {
  readonly limit: Option.Option<number>
  readonly after: Option.Option<string>
}): PageOptions => ({
  limit: Option.getOrUndefined(flags.limit),
  after: Option.getOrUndefined(flags.after)
})
