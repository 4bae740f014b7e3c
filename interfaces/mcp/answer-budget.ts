// What a model can read of an answer. An answer that is larger than its budget is cut where it is longest: lists lose their
// end, then texts do. What was left off is told with it, by JSON pointer, so that nobody takes a part for the whole. Pure,
// and the same for tools, errors and resources.
import { isJsonObject, type JsonValue } from "../../domain/canonical/json.ts"
import { utf8ByteLength } from "../../domain/canonical/text.ts"

/** Bytes of UTF-8 of an answer's JSON text: by default, and the least and most that a call may ask for. */
export const DEFAULT_ANSWER_BYTES = 32_768
export const MIN_ANSWER_BYTES = 4_096
export const MAX_ANSWER_BYTES = 1_048_576

/** Room for what tells about the cuts. */
const NOTE_BYTES = 2_048
const MAX_NAMED_CUTS = 5
const MAX_POINTER_CHARACTERS = 120

/** No text of so few characters is cut: ids and hashes stay whole. */
const MIN_TEXT_CHARACTERS = 256
/** How many items of a list stay at most where texts must be cut. */
const ITEMS_OF_LONG_TEXTS = 10
/** How many members of an object stay at least. */
const MIN_MEMBERS = 32

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
}

/** The first characters of a text, no surrogate pair cut in two. */
export const beginningOf = (text: string, characters: number): string => {
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

class Cutting {
  readonly cuts: Array<Cut> = []
  cutCount = 0
  private readonly caps: Caps

  constructor(caps: Caps) {
    this.caps = caps
  }

  private note(cut: Cut): void {
    this.cutCount++
    if (this.cuts.length < MAX_NAMED_CUTS)
      this.cuts.push({ ...cut, at: beginningOf(cut.at, MAX_POINTER_CHARACTERS) })
  }

  value(value: JsonValue, at: string): JsonValue {
    if (typeof value === "string") return this.text(value, at)
    if (Array.isArray(value)) return this.list(value as ReadonlyArray<JsonValue>, at)
    if (!isJsonObject(value)) return value
    const members = Object.entries(value)
    const most = Math.max(this.caps.items, MIN_MEMBERS)
    if (members.length > most) this.note({ at, shown: most, of: members.length, unit: "members" })
    return Object.fromEntries(
      members
        .slice(0, most)
        .map(([key, member]) => [
          key,
          this.value(member, `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`)
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
    return items.slice(0, most).map((item, index) => this.value(item, `${at}/${index}`))
  }
}

const cutTo = (value: JsonValue, caps: Caps): Fitted => {
  const cutting = new Cutting(caps)
  const cut = cutting.value(value, "")
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

/** The value itself when its JSON text has at most `bytes` bytes, and else as much of it as fits with a note. */
export const fitted = (value: JsonValue, bytes: number): Fitted => {
  const isWithin = (most: number) => (attempt: Fitted) =>
    utf8ByteLength(JSON.stringify(attempt.value)) <= most ? attempt : undefined
  const whole = isWithin(bytes)({ value, cuts: [], cutCount: 0 })
  if (whole !== undefined) return whole
  const fits = isWithin(bytes - NOTE_BYTES)
  // More items or characters than bytes never fit.
  const longest = longestOf(value)
  const characters = Math.min(longest.characters, bytes)
  return (
    largestFitting(1, Math.min(longest.items, bytes), (items) => fits(cutTo(value, { items, characters }))) ??
    largestFitting(MIN_TEXT_CHARACTERS, characters, (most) =>
      fits(cutTo(value, { items: ITEMS_OF_LONG_TEXTS, characters: most }))
    ) ??
    largestFitting(0, ITEMS_OF_LONG_TEXTS, (items) =>
      fits(cutTo(value, { items, characters: MIN_TEXT_CHARACTERS }))
    ) ?? { value: {}, cuts: [{ at: "", shown: 0, of: 1, unit: "members" }], cutCount: 1 }
  )
}
