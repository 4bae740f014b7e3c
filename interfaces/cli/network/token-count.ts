// Counts tokens as current language models do, by a tokenizer whose table of two million characters is loaded at the
// first count and never for other commands. Marks of the models' own (`<|endoftext|>`) are counted as the text that they are.
import * as Effect from "effect/Effect"

/** The table of tokens, as reports name it. */
export const TOKENIZER = "o200k_base"

/** Runs of letters, of blanks or of other signs take time by the square of their length: longer ones are counted in pieces. */
const longRun = /(?:[\p{L}\p{M}]{128}|\s{128}|[^\s\p{L}\p{N}\p{M}]{128})/gu

const noMarks = { disallowedSpecial: new Set<string>() }

/** Loads the table and gives what counts the tokens of a text. */
export const tokenCounter = Effect.map(
  Effect.promise(() => import("gpt-tokenizer/encoding/o200k_base")),
  ({ countTokens }) =>
    (text: string): number => {
      let tokens = 0
      let from = 0
      for (const { 0: run, index } of text.matchAll(longRun)) {
        tokens += countTokens(text.slice(from, index + run.length), noMarks)
        from = index + run.length
      }
      return tokens + countTokens(text.slice(from), noMarks)
    }
)
