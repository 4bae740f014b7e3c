// What a symbol stands for now, as programs are shown it.
import * as Effect from "effect/Effect"
import type { CorpusShape } from "../../application/corpus/corpus.ts"

/** What a symbol means now, for programs: where, under which hash, and how much is read by default. */
export const currentTarget = Effect.fnUntraced(function* (corpus: CorpusShape, symbol: string) {
  const section = yield* Effect.andThen(corpus.symbol(symbol), corpus.currentSection(symbol))
  const { content_hash, heading, line_end, line_start, path, section_id, slice } = section
  return {
    path,
    heading,
    section_id,
    line_start,
    line_end,
    section_content_hash: content_hash,
    default_slice: slice
  }
})
