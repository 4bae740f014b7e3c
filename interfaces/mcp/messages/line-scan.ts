// What can be told of a message that the strict reader refuses, or that is too long to be kept: whose request it is, so
// that the client that asked hears why instead of waiting. It looks at the members of the outermost object alone, takes
// the bytes as they come and keeps none but those of a key and its value. It must never judge a message: what
// it finds may stand in a text that is no JSON.
import type { JsonValue } from "../../../domain/canonical/json.ts"
import { storedValue } from "../../../domain/canonical/json-reading.ts"

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c

/** Longest key or id that is kept (bytes); a longer one is passed over. */
const MAX_TOKEN_BYTES = 65_536

/** The members that tell what a message is. */
const TELLING_KEYS: ReadonlySet<string> = new Set(["id", "method", "result", "error"])

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
const opens = (byte: number): boolean => byte === 0x7b || byte === 0x5b
const closes = (byte: number): boolean => byte === 0x7d || byte === 0x5d

/** The bytes as UTF-8 text; undefined when they are none, or when they were too many to be kept. */
const textOf = (bytes: ReadonlyArray<number>): string | undefined => {
  if (bytes.length > MAX_TOKEN_BYTES) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
  } catch {
    return undefined
  }
}

/** A string or a number of JSON; a string may hold half of a surrogate pair as an escape. */
const ID =
  /^(?:"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/u

const isId = (token: string | undefined): token is string => token !== undefined && ID.test(token)

export class LineScan {
  private depth = 0
  private inString = false
  private isEscaped = false
  private hasEnded = false
  private hasTrailer = false
  /** What is being read of the outermost object: a key or a value, in bytes. */
  private token: Array<number> = []
  private key: JsonValue | undefined
  private readonly ids = new Set<string>()
  private readonly keys = new Set<string>()

  /** Takes the next bytes of the line. */
  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.inString) this.inText(byte)
      else this.between(byte)
    }
  }

  /** The id of a request as it is spelled; `null` when none can be read, when there are two, or in an answer. */
  get id(): string {
    const isAnswer = !this.keys.has("method") && (this.keys.has("result") || this.keys.has("error"))
    return this.ids.size === 1 && !isAnswer ? [...this.ids].join("") : "null"
  }

  /** True for what looks like a whole notification, or a whole answer: nothing is answered to either. */
  get isUnanswered(): boolean {
    const isWhole = this.hasEnded && !this.hasTrailer
    const isAnswer = this.keys.has("result") || this.keys.has("error")
    return isWhole && (this.keys.has("method") ? !this.keys.has("id") : isAnswer)
  }

  private keep(byte: number): void {
    if (this.depth === 1 && this.token.length <= MAX_TOKEN_BYTES) this.token.push(byte)
  }

  private inText(byte: number): void {
    this.keep(byte)
    if (this.isEscaped) this.isEscaped = false
    else if (byte === BACKSLASH) this.isEscaped = true
    else if (byte === QUOTE) this.inString = false
  }

  private between(byte: number): void {
    if (this.hasEnded) {
      if (!isSpace(byte)) this.hasTrailer = true
      return
    }
    if (byte === QUOTE) {
      this.inString = true
      this.keep(byte)
    } else if (opens(byte)) {
      // A list, or a value before the object, is no request.
      if (this.depth === 0 && byte !== 0x7b) this.hasEnded = true
      this.keep(byte)
      this.depth++
    } else if (closes(byte)) {
      if (this.depth === 1) this.endMember()
      this.depth--
      if (this.depth <= 0) this.hasEnded = true
    } else if (this.depth === 1 && byte === COLON) {
      this.key = storedValue(textOf(this.token) ?? "")
      this.token = []
    } else if (this.depth === 1 && byte === COMMA) {
      this.endMember()
    } else if (!isSpace(byte)) {
      this.keep(byte)
    }
  }

  private endMember(): void {
    const { key } = this
    if (typeof key === "string" && TELLING_KEYS.has(key)) {
      this.keys.add(key)
      const token = key === "id" ? textOf(this.token) : undefined
      if (isId(token) && this.ids.size < 2) this.ids.add(token)
    }
    this.key = undefined
    this.token = []
  }
}
