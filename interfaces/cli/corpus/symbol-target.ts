// How the command line spells a symbol's target, `PATH[#heading/path]`, and how people and programs are shown one.
import * as Effect from "effect/Effect"
import type { CorpusShape } from "../../../application/corpus/corpus.ts"
import { isCorpusPath } from "../../../domain/corpus/symbols.ts"

interface Target {
  readonly path: string
  readonly heading?: string
}

const splitAt = (text: string, at: number): Target =>
  at === text.length ? { path: text } : { path: text.slice(0, at), heading: text.slice(at + 1) }

/**
 * The target that the text names. Both a path and a heading may hold `#`: the text is an indexed file as it stands, or
 * the path ends at the first `#` before which an indexed file is named.
 */
export const readTarget = Effect.fnUntraced(function* (corpus: CorpusShape, text: string) {
  const ends = [...text.matchAll(/#/g)].map(({ index }) => index)
  for (const end of [text.length, ...ends]) {
    const target = splitAt(text, end)
    if (isCorpusPath(target.path) && (yield* corpus.sections({ path: target.path, limit: 1 })).length > 0)
      return target
  }
  return splitAt(text, ends[0] ?? text.length)
})

/** A target as `PATH[#heading/path]`. */
export const targetText = ({
  heading,
  path
}: {
  readonly path: string
  readonly heading: string | null
}): string => (heading === null ? path : `${path}#${heading}`)
