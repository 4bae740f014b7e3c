// Slices: the closed grammar of bounded pieces of a text, and how a piece is cut. Everything that is not exactly one
// of the four forms is refused, since a slice stands in cache keys and plans forever; nothing is guessed or repaired.
// Cutting works on UTF-8, walks it once and never builds a list of lines or characters. Source: docs/spec/corpus.md, "Slices".
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { textOfUtf8, utf8Bytes } from "../canonical/bytes.ts"

/** A bounded piece of a text: 0-based, end exclusive; characters are Unicode code points, lines end at LF alone. */
export type Slice =
  | { readonly unit: "lines"; readonly start: number; readonly end: number }
  | { readonly unit: "chars"; readonly start: number; readonly end: number }
  | { readonly unit: "head"; readonly count: number }
  | { readonly unit: "tail"; readonly count: number }

const advice = {
  empty: "it is empty",
  unbounded: "it has no end, and a piece of unknown size is never read",
  reversed: "its start must lie before its end",
  zero: "zero characters are nothing to read",
  too_large: "its numbers go beyond 2^53-1",
  malformed: "it is not written as one"
} as const

const reasons = Object.keys(advice) as ReadonlyArray<keyof typeof advice>

/** Longest part of a refused text that its error repeats (UTF-16 units). */
const SHOWN_UNITS = 64

/** Longest text that is looked at, blanks included (UTF-16 units); no slice needs a quarter of it. */
const MAX_SLICE_UNITS = 256

/** The text is not a slice; `slice` is its beginning. */
export class InvalidSlice extends Schema.TaggedError<InvalidSlice>()("InvalidSlice", {
  slice: Schema.String,
  reason: Schema.Literals(reasons)
}) {
  override get message() {
    return `${JSON.stringify(this.slice)} is no slice: ${advice[this.reason]}; write lines[a:b] or chars[a:b] with a < b, counted from 0 and without b itself, or head(n) or tail(n) with n characters from 1 on, in lower case and decimal digits`
  }
}

/** The text ends before the slice does. */
export class SliceOutOfRange extends Schema.TaggedError<SliceOutOfRange>()("SliceOutOfRange", {
  slice: Schema.String,
  unit: Schema.Literals(["lines", "chars"]),
  /** How many lines or characters the text has. */
  available: Schema.Int
}) {
  override get message() {
    return `${this.slice} goes past the end: the text has ${this.available} ${this.unit}; end at ${this.available}, or use head(n) or tail(n), which take what is there`
  }
}

const OUTER_BLANKS = /^[ \t\n\r]+|[ \t\n\r]+$/g
const RANGE = /^(lines|chars)\[(0|[1-9][0-9]*):(0|[1-9][0-9]*)\]$/
const END = /^(head|tail)\((0|[1-9][0-9]*)\)$/
const UNBOUNDED = /^(?:all|[a-z]+\[(?:[0-9]*:|:[0-9]+)\])$/i

const countOf = (digits: string | undefined): number => Number(digits)

/** The one spelling of a slice; this is what is stored, compared and hashed. */
export const sliceText = (slice: Slice): string =>
  "count" in slice ? `${slice.unit}(${slice.count})` : `${slice.unit}[${slice.start}:${slice.end}]`

/** Reads a slice; blanks around it are dropped, everything else must be its canonical text. */
export const parseSlice = (text: string): Result.Result<Slice, InvalidSlice> => {
  const refuse = (reason: keyof typeof advice) =>
    Result.fail(new InvalidSlice({ slice: text.slice(0, SHOWN_UNITS).toWellFormed(), reason }))
  if (text.length > MAX_SLICE_UNITS) return refuse("malformed")
  const trimmed = text.replace(OUTER_BLANKS, "")
  const range = RANGE.exec(trimmed)
  if (range !== null) {
    const [start, end] = [countOf(range[2]), countOf(range[3])]
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return refuse("too_large")
    if (start >= end) return refuse("reversed")
    return Result.succeed({ unit: range[1] === "lines" ? "lines" : "chars", start, end })
  }
  const side = END.exec(trimmed)
  if (side !== null) {
    const count = countOf(side[2])
    if (!Number.isSafeInteger(count)) return refuse("too_large")
    return count === 0
      ? refuse("zero")
      : Result.succeed({ unit: side[1] === "head" ? "head" : "tail", count })
  }
  if (trimmed === "") return refuse("empty")
  return refuse(UNBOUNDED.test(trimmed) ? "unbounded" : "malformed")
}

const LF = 0x0a

/** How far a walk came: where it stands in the text, and how many steps it could not take. */
interface Walked {
  readonly at: number
  readonly left: number
}

/** True for a byte that is not the first of its code point. */
const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

const characterAfter = (text: Uint8Array, from: number): number => {
  let at = from + 1
  while (continues(text[at])) at++
  return at
}

const characterBefore = (text: Uint8Array, from: number): number => {
  let at = from - 1
  while (at > 0 && continues(text[at])) at--
  return at
}

/** Goes `count` code points on. */
const charactersOn = (text: Uint8Array, from: number, count: number): Walked => {
  let at = from
  let left = count
  for (; left > 0 && at < text.length; left--) at = characterAfter(text, at)
  return { at, left }
}

/** Goes `count` code points back from the end. */
const charactersBack = (text: Uint8Array, count: number): number => {
  let at = text.length
  for (let left = count; left > 0 && at > 0; left--) at = characterBefore(text, at)
  return at
}

/** Goes on to behind the `count`-th LF. */
const linesOn = (text: Uint8Array, from: number, count: number): Walked => {
  let at = from
  let left = count
  for (; left > 0; left--) {
    const end = text.indexOf(LF, at)
    if (end === -1) break
    at = end + 1
  }
  return { at, left }
}

type Range = Slice & { readonly unit: "lines" | "chars" }

const cutRange = (
  text: Uint8Array,
  slice: Range,
  start: Walked,
  end: Walked
): Result.Result<Uint8Array, SliceOutOfRange> => {
  const missing = start.left + end.left
  return missing === 0
    ? Result.succeed(text.subarray(start.at, end.at))
    : Result.fail(
        new SliceOutOfRange({ slice: sliceText(slice), unit: slice.unit, available: slice.end - missing })
      )
}

const cutLines = (text: Uint8Array, slice: Range) => {
  const start = linesOn(text, 0, slice.start)
  // The last line needs no LF behind it, and never takes one along.
  const last = linesOn(text, start.at, slice.end - slice.start - 1)
  const end = text.indexOf(LF, last.at)
  return cutRange(text, slice, start, { at: end === -1 ? text.length : end, left: last.left })
}

const cutChars = (text: Uint8Array, slice: Range) => {
  const start = charactersOn(text, 0, slice.start)
  return cutRange(text, slice, start, charactersOn(text, start.at, slice.end - slice.start))
}

/**
 * Cuts the piece out of a text, both as UTF-8; the piece is a part of the given bytes. `head` and `tail` take what is
 * there, `lines` and `chars` must fit.
 */
export const cutSlice = (text: Uint8Array, slice: Slice): Result.Result<Uint8Array, SliceOutOfRange> => {
  switch (slice.unit) {
    case "lines":
      return cutLines(text, slice)
    case "chars":
      return cutChars(text, slice)
    case "head":
      return Result.succeed(text.subarray(0, charactersOn(text, 0, slice.count).at))
    case "tail":
      return Result.succeed(text.subarray(charactersBack(text, slice.count)))
  }
}

/** As `cutSlice`, of a well-formed text that is not large. */
export const applySlice = (text: string, slice: Slice): Result.Result<string, SliceOutOfRange> =>
  Result.map(cutSlice(utf8Bytes(text), slice), textOfUtf8)
