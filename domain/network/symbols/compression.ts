// Replaces chunks of a text by their symbols so that expanding the result by one level gives back the text byte for byte.
// A chunk is replaced only where its symbol is read as that symbol and nothing around it is read otherwise than before;
// what looks like a symbol in the text itself is marked as none.
import { utf8ByteLength } from "../../canonical/text.ts"
import { MAX_CHUNK_BYTES, MAX_COMPRESSION_RUN, MAX_COMPRESSION_RUNS } from "../limits.ts"
import { escapeSymbols, isFreeStanding } from "./symbols.ts"

/** A place in a text, in UTF-16 units. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A place whose text some cassette has a chunk of. */
export interface HeldRange extends TextRange {
  readonly symbol: string
}

export interface CompressedText {
  readonly text: string
  /** Where symbols stand for what was there, in order. */
  readonly replaced: ReadonlyArray<HeldRange>
}

const emptyLines = /(?:\r\n|\r|\n)[ \t]*(?:(?:\r\n|\r|\n)[ \t]*)+/g

/** What stands between empty lines, without the white space around it. */
const blocksOf = (text: string): ReadonlyArray<TextRange> => {
  const blocks: Array<TextRange> = []
  const add = (from: number, to: number): void => {
    const block = text.slice(from, to)
    const start = from + block.length - block.trimStart().length
    const end = to - (block.length - block.trimEnd().length)
    if (start < end) blocks.push({ start, end })
  }
  let from = 0
  for (const { 0: lines, index } of text.matchAll(emptyLines)) {
    add(from, index)
    from = index + lines.length
  }
  add(from, text.length)
  return blocks
}

/**
 * Places of a text that may be chunks of some document: its own chunks, and runs of blocks between empty lines, as texts
 * have them that were put together from chunks. Runs are of at most 32 blocks, and of fewer in texts of very many.
 */
export const compressionRanges = (
  text: string,
  chunks: ReadonlyArray<TextRange>
): ReadonlyArray<TextRange> => {
  const blocks = blocksOf(text)
  const keyOf = ({ end, start }: TextRange): number => start * (text.length + 1) + end
  const ranges = new Map(chunks.map(({ end, start }) => [keyOf({ start, end }), { start, end }]))
  const longest = Math.min(MAX_COMPRESSION_RUN, Math.max(1, Math.floor(MAX_COMPRESSION_RUNS / blocks.length)))
  for (const [first, { start }] of blocks.entries()) {
    let bytes = 0
    let from = start
    for (const { end } of blocks.slice(first, first + longest)) {
      bytes += utf8ByteLength(text.slice(from, end))
      if (bytes > MAX_CHUNK_BYTES) break
      from = end
      ranges.set(keyOf({ start, end }), { start, end })
    }
  }
  return [...ranges.values()]
}

/** Replaces places by their symbols, from the start on and the longest first; places that overlap stay. */
export const compressText = (text: string, held: ReadonlyArray<HeldRange>): CompressedText => {
  const replaced: Array<HeldRange> = []
  const parts: Array<string> = []
  let from = 0
  for (const range of held.toSorted((left, right) => left.start - right.start || right.end - left.end)) {
    const { end, start, symbol } = range
    if (start < from || !isFreeStanding(text.charAt(start - 1), text.charAt(end))) continue
    parts.push(escapeSymbols(text.slice(from, start)), symbol)
    replaced.push(range)
    from = end
  }
  parts.push(escapeSymbols(text.slice(from)))
  return { text: parts.join(""), replaced }
}
