// Cuts a document into chunks: along its outline (headings of Markdown, definitions of source code), and by paragraphs
// where a piece is too large or no outline is known. The same text always gives the same chunks. A chunk is a place in
// the document; its text is what stands there, unchanged, without the blanks around it.
import { appendTo } from "../foundation/appending.ts"
import { utf8ByteLength } from "../canonical/text.ts"
import { MAX_CHUNK_BYTES, TARGET_CHUNK_BYTES } from "./limits.ts"

/** A named part of a document; parts do not overlap and stand in order. Offsets are UTF-16 units. */
export interface OutlinePart {
  readonly start: number
  readonly end: number
  readonly kind: "heading" | "definition"
  /** From the outermost name to the part's own. */
  readonly path: ReadonlyArray<string>
}

export interface Chunk {
  readonly ordinal: number
  readonly kind: "heading" | "definition" | "paragraph"
  readonly heading_path: ReadonlyArray<string>
  /** The chunk that opens the enclosing part, or the part that this chunk continues. */
  readonly parent_ordinal: number | null
  /** UTF-16 units. */
  readonly start: number
  readonly end: number
}

interface Range {
  readonly start: number
  readonly end: number
}

const trimmed = (text: string, { end, start }: Range): Range => {
  const piece = text.slice(start, end)
  const lead = piece.length - piece.trimStart().length
  return lead === piece.length
    ? { start, end: start }
    : { start: start + lead, end: start + piece.trimEnd().length }
}

/** The pieces between the ends of matches of a pattern; each keeps what it ends with. */
const splitAfter = (text: string, { end, start }: Range, pattern: RegExp): ReadonlyArray<Range> => {
  const pieces: Array<Range> = []
  let from = start
  for (const match of text.slice(start, end).matchAll(pattern)) {
    const to = start + match.index + match[0].length
    if (to > from && to < end) {
      pieces.push({ start: from, end: to })
      from = to
    }
  }
  return [...pieces, { start: from, end }]
}

/** Cuts a run of text without any boundary; never inside a surrogate pair. */
const cutHard = (text: string, { end, start }: Range): ReadonlyArray<Range> => {
  const pieces: Array<Range> = []
  // A UTF-16 unit takes three bytes at most.
  const units = Math.floor(MAX_CHUNK_BYTES / 3)
  for (let from = start; from < end;) {
    let to = Math.min(end, from + units)
    if (to < end && text.charCodeAt(to - 1) >> 10 === 0x36) to -= 1
    pieces.push({ start: from, end: to })
    from = to
  }
  return pieces
}

const boundaries = [/(?:\r\n|\r|\n)[ \t]*(?:(?:\r\n|\r|\n)[ \t]*)+/g, /\r\n|\r|\n/g, /[.!?。！？]\s+|\s+/g]

const bytesOf = (text: string, { end, start }: Range): number => utf8ByteLength(text.slice(start, end))

/** Pieces of at most the largest size, joined up to the size that is aimed at; boundaries from coarse to fine. */
const pack = (text: string, range: Range, level = 0): ReadonlyArray<Range> => {
  if (bytesOf(text, range) <= MAX_CHUNK_BYTES) return [range]
  const pattern = boundaries[level]
  if (pattern === undefined) return cutHard(text, range)
  const packed: Array<Range> = []
  let size = 0
  for (const piece of splitAfter(text, range, pattern)) {
    const bytes = bytesOf(text, piece)
    const last = packed.at(-1)
    if (bytes > MAX_CHUNK_BYTES) {
      appendTo(packed, pack(text, piece, level + 1))
      size = MAX_CHUNK_BYTES
    } else if (last !== undefined && size + bytes <= TARGET_CHUNK_BYTES) {
      packed[packed.length - 1] = { start: last.start, end: piece.end }
      size += bytes
    } else {
      packed.push(piece)
      size = bytes
    }
  }
  return packed
}

/** A part together with what it says of its chunks; text between parts belongs to none. */
interface Part extends Range {
  readonly kind: Chunk["kind"]
  readonly path: ReadonlyArray<string>
}

const partsOf = (text: string, outline: ReadonlyArray<OutlinePart>): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let from = 0
  for (const part of outline) {
    if (part.start > from) parts.push({ start: from, end: part.start, kind: "paragraph", path: [] })
    parts.push(part)
    from = part.end
  }
  if (from < text.length) parts.push({ start: from, end: text.length, kind: "paragraph", path: [] })
  return parts
}

/** Small neighbours without a name are joined before they are cut: pieces of a part that has no outline. */
const rangesOf = (text: string, part: Part): ReadonlyArray<Range> =>
  pack(text, trimmed(text, part))
    .map((range) => trimmed(text, range))
    .filter(({ end, start }) => end > start)

/** The chunks of a document, in the order of the text. */
export const chunksOf = (text: string, outline: ReadonlyArray<OutlinePart>): ReadonlyArray<Chunk> => {
  const chunks: Array<Chunk> = []
  const openings = new Map<string, number>()
  for (const part of partsOf(text, outline)) {
    const key = (length: number) => part.path.slice(0, length).join("\u0000")
    const enclosing = part.path.map((_, index) => openings.get(key(part.path.length - 1 - index)))
    const parent = part.path.length === 0 ? undefined : enclosing.find((ordinal) => ordinal !== undefined)
    let first: number | undefined
    for (const { end, start } of rangesOf(text, part)) {
      const ordinal = chunks.length
      const parent_ordinal = (part.kind === "paragraph" ? undefined : first) ?? parent ?? null
      chunks.push({ ordinal, kind: part.kind, heading_path: part.path, parent_ordinal, start, end })
      first ??= ordinal
    }
    if (first !== undefined && part.path.length > 0) openings.set(key(part.path.length), first)
  }
  return chunks
}
