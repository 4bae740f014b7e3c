// How much of an answer a reader gets at once. An answer that is larger than its budget is cut where it is longest: lists
// lose their end, then texts do, and at last objects. Its outermost members stay. What was left off is told with it, by JSON pointer, so that a part is not taken for the
// whole. One mechanism for the command line, the library and the Model Context Protocol; pure.
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"
import { utf8ByteLength } from "./text.ts"

/** Bytes of UTF-8 of an answer as it is written: by default, the least that may be asked for, and the most in one call of a tool. */
export const DEFAULT_ANSWER_BYTES = 32_768
export const MIN_ANSWER_BYTES = 4_096
export const MAX_ANSWER_BYTES = 1_048_576

const MAX_NAMED_CUTS = 5
const MAX_POINTER_CHARACTERS = 120

/** No text of so few characters is cut: ids and hashes stay whole. */
const MIN_TEXT_CHARACTERS = 256
/** How many items of a list stay at most where texts must be cut. */
const ITEMS_OF_LONG_TEXTS = 10
/** How many members of an object stay as long as lists and texts can be cut instead. */
const MIN_MEMBERS = 32
/** How many stay as long as there can be an item in every list. */
const MEMBERS_BESIDE_ITEMS = 8

/** One place where something was left off: `shown` of `of` items, members or characters. */
export interface Cut {
  readonly at: string
  readonly shown: number
  readonly of: number
  readonly unit: "items" | "members" | "characters"
}

export interface Fitted {
  readonly value: JsonValue
  /** The first places; empty when the answer is whole. */
  readonly cuts: ReadonlyArray<Cut>
  /** How many places there are in all. */
  readonly cutCount: number
}

interface Caps {
  readonly items: number
  readonly characters: number
  /** Of an object that is no item of a list and not within one that was cut: those keep their shape. */
  readonly members?: number
  /** Members of the whole answer. */
  readonly outermost?: number
}

/** The first characters of a text, no surrogate pair cut in two. */
const beginningOf = (text: string, characters: number): string => {
  let units = 0
  for (let count = 0; count < characters && units < text.length; count++) {
    units += text.codePointAt(units)! > 0xffff ? 2 : 1
  }
  return text.slice(0, units)
}

/** The number of characters (code points). */
export const charactersOf = (text: string): number => {
  let count = 0
  for (let units = 0; units < text.length; count++) units += text.codePointAt(units)! > 0xffff ? 2 : 1
  return count
}

/** The text from a character on (code points from 0); empty beyond its end. */
export const textFrom = (text: string, offset = 0): string => text.slice(beginningOf(text, offset).length)

class Cutting {
  readonly cuts: Array<Cut> = []
  cutCount = 0
  private readonly caps: Required<Caps>
  /** How many members an object keeps that keeps its shape. */
  private readonly shape: number

  constructor(caps: Caps) {
    this.shape = Math.max(caps.items, MIN_MEMBERS)
    this.caps = { members: this.shape, outermost: this.shape, ...caps }
  }

  private note(cut: Cut): void {
    this.cutCount++
    if (this.cuts.length < MAX_NAMED_CUTS)
      this.cuts.push({ ...cut, at: beginningOf(cut.at, MAX_POINTER_CHARACTERS) })
  }

  /** As much of an answer as the caps allow. */
  whole(value: JsonValue): JsonValue {
    return isJsonObject(value)
      ? this.object(value, "", this.caps.outermost, this.caps.members)
      : this.value(value, "", this.caps.members)
  }

  private value(value: JsonValue, at: string, members: number): JsonValue {
    if (typeof value === "string") return this.text(value, at)
    if (Array.isArray(value)) return this.list(value as ReadonlyArray<JsonValue>, at)
    if (!isJsonObject(value)) return value
    return this.object(value, at, members, Object.keys(value).length > members ? this.shape : members)
  }

  private object(value: JsonObject, at: string, most: number, inner: number): JsonObject {
    const members = Object.entries(value)
    if (members.length > most) this.note({ at, shown: most, of: members.length, unit: "members" })
    return Object.fromEntries(
      members
        .slice(0, most)
        .map(([key, member]) => [
          key,
          this.value(member, `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, inner)
        ])
    )
  }

  private text(text: string, at: string): string {
    if (text.length <= this.caps.characters) return text
    const shown = beginningOf(text, this.caps.characters)
    if (shown.length === text.length) return text
    this.note({ at, shown: this.caps.characters, of: charactersOf(text), unit: "characters" })
    return shown
  }

  private list(items: ReadonlyArray<JsonValue>, at: string): ReadonlyArray<JsonValue> {
    const { items: most } = this.caps
    if (items.length > most) this.note({ at, shown: most, of: items.length, unit: "items" })
    return items.slice(0, most).map((item, index) => this.value(item, `${at}/${index}`, this.shape))
  }
}

const cutTo = (value: JsonValue, caps: Caps): Fitted => {
  const cutting = new Cutting(caps)
  const cut = cutting.whole(value)
  return { value: cut, cuts: cutting.cuts, cutCount: cutting.cutCount }
}

/** The largest number from `least` to `most` for which something fits; undefined when not even `least` does. */
const largestFitting = (
  least: number,
  most: number,
  attempt: (number: number) => Fitted | undefined
): Fitted | undefined => {
  let best = attempt(least)
  if (best === undefined) return undefined
  let fits = least
  let fails = most + 1
  while (fails - fits > 1) {
    const middle = Math.floor((fits + fails) / 2)
    const tried = attempt(middle)
    if (tried === undefined) {
      fails = middle
    } else {
      best = tried
      fits = middle
    }
  }
  return best
}

/** The first number from `most` down to `least` for which something fits. */
const firstFitting = (
  most: number,
  least: number,
  attempt: (number: number) => Fitted | undefined
): Fitted | undefined => {
  for (let number = most; number >= least; number--) {
    const tried = attempt(number)
    if (tried !== undefined) return tried
  }
  return undefined
}

/** As much as fits where lists of no item and texts of few characters are still too large: objects lose members. */
const withFewerMembers = (value: JsonValue, fits: (attempt: Fitted) => Fitted | undefined): Fitted => {
  const characters = MIN_TEXT_CHARACTERS
  return (
    firstFitting(MIN_MEMBERS - 1, MEMBERS_BESIDE_ITEMS, (members) =>
      fits(cutTo(value, { items: 1, characters, members }))
    ) ??
    firstFitting(MIN_MEMBERS - 1, 0, (members) => fits(cutTo(value, { items: 0, characters, members }))) ??
    firstFitting(MIN_MEMBERS, 1, (outermost) =>
      fits(cutTo(value, { items: 0, characters: 0, members: 0, outermost }))
    ) ?? { value: {}, cuts: [{ at: "", shown: 0, of: 1, unit: "members" }], cutCount: 1 }
  )
}

/** The longest list and the longest text of a value. */
const longestOf = (value: JsonValue): Caps => {
  if (typeof value === "string") return { items: 0, characters: value.length }
  if (typeof value !== "object" || value === null) return { items: 0, characters: 0 }
  const members: ReadonlyArray<JsonValue> = Array.isArray(value)
    ? (value as ReadonlyArray<JsonValue>)
    : Object.values(value)
  let items = members.length
  let characters = 0
  for (const member of members) {
    const inner = longestOf(member)
    items = Math.max(items, inner.items)
    characters = Math.max(characters, inner.characters)
  }
  return { items, characters }
}

/**
 * The value itself when what is written of it has at most `bytes` bytes of UTF-8, and else as much of it as fits. `written`
 * gives the whole text that the reader gets, with what it says of the cuts.
 */
export const fitted = (
  value: JsonValue,
  bytes: number,
  written: (fitted: Fitted) => string = ({ value }) => JSON.stringify(value)
): Fitted => {
  const fits = (attempt: Fitted) => (utf8ByteLength(written(attempt)) <= bytes ? attempt : undefined)
  const whole = fits({ value, cuts: [], cutCount: 0 })
  if (whole !== undefined) return whole
  // More items or characters than bytes never fit.
  const longest = longestOf(value)
  const characters = Math.min(longest.characters, bytes)
  return (
    largestFitting(1, Math.min(longest.items, bytes), (items) => fits(cutTo(value, { items, characters }))) ??
    largestFitting(MIN_TEXT_CHARACTERS, characters, (most) =>
      fits(cutTo(value, { items: ITEMS_OF_LONG_TEXTS, characters: most }))
    ) ??
    largestFitting(1, ITEMS_OF_LONG_TEXTS, (items) =>
      fits(cutTo(value, { items, characters: MIN_TEXT_CHARACTERS }))
    ) ??
    withFewerMembers(value, fits)
  )
}

/** What tells that an answer is not whole. */
export interface LeftOff {
  /** The first places, by JSON pointers into the answer. */
  readonly cuts: ReadonlyArray<Cut>
  readonly cut_count: number
  /** Arguments to give beside the same others, to go on behind what is shown. */
  readonly next?: Readonly<Record<string, unknown>>
  /** What to do to read the rest. */
  readonly more: string
}

/** How to read what was left off, in words, and the arguments that go on behind what is shown. */
export interface ReadingOn {
  readonly more: string
  readonly next?: (shown: JsonObject, cuts: ReadonlyArray<Cut>) => LeftOff["next"] | undefined
}

const leftOffOf = ({ cutCount, cuts }: Fitted, shown: JsonObject, { more, next }: ReadingOn): LeftOff => {
  const going = next?.(shown, cuts)
  return { cuts, cut_count: cutCount, ...(going === undefined ? {} : { next: going }), more }
}

/** An answer within a budget; what is cut of it is told in a member `left_off`. */
export const withinBudget = <A extends object>(
  whole: A,
  bytes: number,
  on: ReadingOn,
  written: (answer: JsonObject) => string = JSON.stringify
): A & { readonly left_off?: LeftOff } => {
  const noted = (part: Fitted): JsonObject => {
    const shown = isJsonObject(part.value) ? part.value : {}
    return part.cutCount === 0
      ? shown
      : { ...shown, left_off: leftOffOf(part, shown, on) as unknown as JsonObject }
  }
  // Answers of the application are JSON, and a part of one has its shape.
  const part = fitted(whole as unknown as JsonValue, bytes, (each) => written(noted(each)))
  return noted(part) as unknown as A & { readonly left_off?: LeftOff }
}

/** Whether a number is a budget; `Infinity` is no bound. */
export const isBudget = (bytes: number): boolean =>
  bytes === Infinity || (Number.isSafeInteger(bytes) && bytes >= MIN_ANSWER_BYTES)
