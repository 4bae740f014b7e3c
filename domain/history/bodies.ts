// Payloads, receipts and thoughts as they are shown: whole when they are short, else their size, their hash and how they begin.
import * as Result from "effect/Result"
import type { JsonValue } from "../canonical/json.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { parseStoredJson } from "../canonical/stored-json.ts"
import { utf8ByteLength } from "../canonical/text.ts"

/** A body that is longer is folded, unless it is asked for whole (UTF-8 bytes). */
const FOLDED_ABOVE_BYTES = 4_096

/** How much of a folded body is shown (UTF-16 units). */
const BEGINNING_UNITS = 1_024

/** A payload, receipt or content: its size in bytes, its SHA-256, and its text, folded where it is long. */
export interface Body {
  /** The length of what is stored, in UTF-8 bytes, and its SHA-256. */
  readonly bytes: number
  readonly sha256: string
  /** The JSON value, or a thought's text; null when it is folded, or damaged so that it is no JSON. */
  readonly whole: JsonValue
  /** How the stored text begins; null when `whole` has it all. */
  readonly beginning: string | null
}

/** The first part of a text, cut between characters. */
export const beginningOf = (text: string, units: number): string => {
  if (text.length <= units) return text
  const last = text.charCodeAt(units - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units)
}

const bodyOf = (
  sha256: Sha256,
  text: string,
  isFull: boolean,
  read: (text: string) => JsonValue | undefined
): Body => {
  const bytes = utf8ByteLength(text)
  const isWhole = isFull || bytes <= FOLDED_ABOVE_BYTES
  const whole = isWhole ? read(text) : undefined
  return {
    bytes,
    sha256: sha256(text),
    whole: whole ?? null,
    beginning: whole === undefined ? beginningOf(text, BEGINNING_UNITS) : null
  }
}

/** Stored JSON as it is shown. */
export const jsonBody = (sha256: Sha256, text: string, isFull: boolean): Body =>
  bodyOf(sha256, text, isFull, (stored) => Result.getOrUndefined(parseStoredJson(stored)))

/** A stored text as it is shown. */
export const textBody = (sha256: Sha256, text: string, isFull: boolean): Body =>
  bodyOf(sha256, text, isFull, (stored) => stored)
