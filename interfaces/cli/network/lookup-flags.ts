// Flags of every command that looks symbols up: where, how completely and how deep.
import * as Flag from "effect/cli/Flag"
import type { LookupOptions } from "../../../application/network/symbols/symbol-questions.ts"
import { DEFAULT_LIMIT, MAX_DOCUMENT_BYTES, MAX_LIMIT } from "../../../domain/network/limits.ts"
import { repeatedFlag } from "../../shared/flags.ts"
import { switchFlag, wholeNumberFlag } from "../../shared/options.ts"
import { givenText } from "../text-file.ts"

export const lookupFlags = {
  cassettes: repeatedFlag("cassette", "ID", "look only into this cassette", "all"),
  strict: switchFlag("strict", "any cassette that does not answer is an error")
}

/**
 * The question that was given; a single `-` is the text of standard input, which may be a whole document: what is looked for
 * in it has a limit of its own.
 */
export const questionText = (text: string) =>
  givenText("text", text, {
    limit: MAX_DOCUMENT_BYTES,
    tooLarge: `the question is over ${MAX_DOCUMENT_BYTES} bytes: ask with less`
  })

export const limitFlag = wholeNumberFlag("limit", 0).pipe(
  Flag.withDefault(DEFAULT_LIMIT),
  Flag.withDescription(`at most this many hits, 0 to ${MAX_LIMIT} (default ${DEFAULT_LIMIT})`)
)

/** What the flags say. */
export const lookupOptions = ({
  cassettes,
  strict
}: {
  readonly cassettes: ReadonlyArray<string>
  readonly strict: boolean
}): LookupOptions => ({ cassettes: cassettes.length === 0 ? undefined : cassettes, strict })

export const depthFlag = wholeNumberFlag("depth", 1).pipe(
  Flag.optional,
  Flag.withDescription(
    "how many levels of symbols are looked up, at most max_expansion_depth of the configuration (default 1)"
  )
)
