// Reads JSON text strictly (RFC 8259), so that what is hashed is what was written: no duplicate keys, no byte
// order mark, no lone surrogates, no number that a double cannot hold exactly. JSON.parse forgives all of
// these, and V8's (Node 24, 26) even gives an escaped key the name of another key that it read before, when
// that one has a backslash in it. The reader must never repair, guess, or set an object's prototype; it loads no
// library, since a process for each cassette loads it.

import { isExactSpelling } from "./decimal.ts"
import { type JsonValue, MAX_JSON_DEPTH, MAX_STORED_DEPTH } from "./json.ts"
import type { CanonicalRule } from "./not-canonical.ts"
import type { NotStrictJsonReason } from "./not-strict-json.ts"

/** Why and where (UTF-16 units from 0) the reader refused a text; it does not leave this folder. */
export class JsonFault extends Error {
  readonly reason: NotStrictJsonReason
  readonly offset: number

  constructor(reason: NotStrictJsonReason, offset: number) {
    super(reason)
    this.reason = reason
    this.offset = offset
  }
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const minus = 0x2d
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39

const literals: ReadonlyArray<readonly [string, JsonValue]> = [
  ["true", true],
  ["false", false],
  ["null", null]
]

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"]
])

const fourHexDigits = /^[0-9a-fA-F]{4}$/

/** Whether a string may hold half a surrogate pair, as an escape: no canonical text has one, other programs write them. */
export type Halves = "refuse" | "keep"

class Reader {
  private readonly text: string
  private readonly rule: CanonicalRule
  private readonly maxDepth: number
  private readonly halves: Halves
  private position = 0

  constructor(text: string, rule: CanonicalRule, maxDepth: number, halves: Halves) {
    this.text = text
    this.rule = rule
    this.maxDepth = maxDepth
    this.halves = halves
  }

  document(): JsonValue {
    if (this.text.charCodeAt(0) === 0xfeff) throw this.fault("byte_order_mark", 0)
    if (!this.text.isWellFormed()) throw this.fault("lone_surrogate", firstLoneSurrogate(this.text))
    const value = this.value(0)
    this.skipSpace()
    if (this.position < this.text.length) throw this.fault("trailing_text", this.position)
    return value
  }

  /** `depth` counts the containers that are open around the value. */
  private value(depth: number): JsonValue {
    this.skipSpace()
    const unit = this.text.charCodeAt(this.position)
    if (unit === quote) return this.string()
    if (unit === minus || isDigit(unit)) return this.number()
    if (unit === openBracket || unit === openBrace) {
      if (depth >= this.maxDepth) throw this.fault("too_deep", this.position)
      this.position++
      return unit === openBrace ? this.object(depth + 1) : this.list(depth + 1)
    }
    for (const [word, value] of literals) {
      if (this.text.startsWith(word, this.position)) {
        this.position += word.length
        return value
      }
    }
    throw this.unexpected()
  }

  private list(depth: number): JsonValue {
    const items: Array<JsonValue> = []
    if (this.skipTo(closeBracket)) return items
    for (;;) {
      items.push(this.value(depth))
      if (this.skipTo(closeBracket)) return items
      this.expect(comma)
    }
  }

  private object(depth: number): JsonValue {
    const object: { [key: string]: JsonValue } = {}
    if (this.skipTo(closeBrace)) return object
    for (;;) {
      this.skipSpace()
      const keyStart = this.position
      if (this.text.charCodeAt(keyStart) !== quote) throw this.unexpected()
      const key = this.string()
      if (Object.hasOwn(object, key)) throw this.fault("duplicate_key", keyStart)
      this.expect(colon)
      const value = this.value(depth)
      if (key === "__proto__") {
        // Assignment would set the prototype instead of making a key.
        Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
      } else {
        object[key] = value
      }
      if (this.skipTo(closeBrace)) return object
      this.expect(comma)
    }
  }

  private string(): string {
    const start = this.position
    let read = ""
    let pieceStart = start + 1
    for (let index = pieceStart; ; index++) {
      const unit = this.text.charCodeAt(index)
      if (unit === quote) {
        this.position = index + 1
        read += this.text.slice(pieceStart, index)
        // The raw text is well-formed, so that only escapes can have brought in half a pair.
        if (this.halves === "refuse" && !read.isWellFormed()) throw this.fault("lone_surrogate", start)
        return read
      }
      if (unit === backslash) {
        read += this.text.slice(pieceStart, index) + this.escape(index)
        index += this.text.charCodeAt(index + 1) === 0x75 ? 5 : 1
        pieceStart = index + 1
      } else if (unit < 0x20) {
        throw this.fault("control_character", index)
      } else if (Number.isNaN(unit)) {
        throw this.fault("unexpected_end", this.text.length)
      }
    }
  }

  /** The character that the escape at `index` (its backslash) stands for. */
  private escape(index: number): string {
    const kind = this.text.charAt(index + 1)
    const plain = escapes.get(kind)
    if (plain !== undefined) return plain
    const hex = this.text.slice(index + 2, index + 6)
    if (kind === "u" && fourHexDigits.test(hex)) return String.fromCharCode(Number.parseInt(hex, 16))
    throw this.fault("bad_escape", index)
  }

  private number(): number {
    const start = this.position
    if (this.text.charCodeAt(start) === minus) this.position++
    const integerStart = this.position
    this.digits(start)
    const integerLength = this.position - integerStart
    if (integerLength > 1 && this.text.charCodeAt(integerStart) === 0x30)
      throw this.fault("bad_number", start)
    if (this.skipOne(".")) this.digits(start)
    if (this.skipOne("eE")) {
      this.skipOne("+-")
      this.digits(start)
    }
    const isInteger = this.position === integerStart + integerLength
    const spelling = this.text.slice(start, this.position)
    const value = Number(spelling)
    if (this.rule === "py/1") {
      if (!isInteger) throw this.fault("not_an_integer", start)
      if (!Number.isSafeInteger(value)) throw this.fault("unsafe_integer", start)
    } else if (!(isInteger && integerLength <= 15) && !isExactSpelling(spelling)) {
      throw this.fault("inexact_number", start)
    }
    // No rule writes a negative zero, so that none is handed out.
    return value === 0 ? 0 : value
  }

  private digits(numberStart: number): void {
    if (!isDigit(this.text.charCodeAt(this.position))) throw this.fault("bad_number", numberStart)
    while (isDigit(this.text.charCodeAt(this.position))) this.position++
  }

  private skipOne(characters: string): boolean {
    const here = this.text.charAt(this.position)
    const found = here !== "" && characters.includes(here)
    if (found) this.position++
    return found
  }

  private skipSpace(): void {
    for (; ; this.position++) {
      const unit = this.text.charCodeAt(this.position)
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return
    }
  }

  private skipTo(unit: number): boolean {
    this.skipSpace()
    const found = this.text.charCodeAt(this.position) === unit
    if (found) this.position++
    return found
  }

  private expect(unit: number): void {
    if (!this.skipTo(unit)) throw this.unexpected()
  }

  private unexpected(): JsonFault {
    const ended = this.position >= this.text.length
    return this.fault(ended ? "unexpected_end" : "unexpected_character", this.position)
  }

  private fault(reason: NotStrictJsonReason, offset: number): JsonFault {
    return new JsonFault(reason, offset)
  }
}

const firstLoneSurrogate = (text: string): number => {
  for (let index = 0; index < text.length; index++) {
    const point = text.codePointAt(index)!
    if (point >= 0xd800 && point <= 0xdfff) return index
    if (point > 0xffff) index++
  }
  return text.length
}

/** The value of a JSON text; throws a `JsonFault`. A key named `__proto__` is an ordinary own key. */
export const readStrictly = (
  text: string,
  rule: CanonicalRule,
  maxDepth = MAX_JSON_DEPTH,
  halves: Halves = "refuse"
): JsonValue => new Reader(text, rule, maxDepth, halves).document()

/** As `readStrictly`, for text that was stored as canonical or written by us; undefined when it is no JSON. */
export const storedValue = (text: string, maxDepth = MAX_STORED_DEPTH): JsonValue | undefined => {
  try {
    return readStrictly(text, "jcs/1", maxDepth)
  } catch (error) {
    if (error instanceof JsonFault) return undefined
    throw error
  }
}
