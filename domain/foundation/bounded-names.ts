// Names that fit into ids: percent-encoded, so that they can be read back, and cut and hashed where they are too long.
import type { Sha256 } from "../canonical/sha256.ts"
import { isWellFormedText, utf8ByteLength } from "../canonical/text.ts"

/** Longest part of a run's id, in bytes: two parts and what stands before them fit into an identifier. */
const MAX_PART_BYTES = 120

/** Longest key, in bytes. */
const MAX_KEY_BYTES = 256

/** What stands between the readable beginning of a name that was cut and its hash; no name that is whole has it. */
export const CUT = "~"

/** True when the name can be stored as it is: it has no lone surrogate and no U+0000. */
export const isName = (name: string): boolean => isWellFormedText(name) && !name.includes("\u0000")

const percent = (text: string): string => (text === CUT ? "%7E" : encodeURIComponent(text))

const needsEncoding = /[/%~]|\p{Cc}/gu

/** The text itself while it is short enough; else its beginning and the hash of the whole. */
const bounded = (sha256: Sha256, text: string, maxBytes: number): string => {
  if (utf8ByteLength(text) <= maxBytes) return text
  const hash = sha256(text)
  let beginning = ""
  for (const character of text) {
    if (utf8ByteLength(beginning + character) > maxBytes - hash.length - CUT.length) break
    beginning += character
  }
  return `${beginning}${CUT}${hash}`
}

/** A name as one part of an id, between slashes. */
export const namePart = (sha256: Sha256, name: string): string =>
  name === "" ? CUT : bounded(sha256, name.replaceAll(needsEncoding, percent), MAX_PART_BYTES)

/** A text as a key; slashes stay. */
export const boundedKey = (sha256: Sha256, text: string): string =>
  bounded(sha256, text.replaceAll(/[%~]|\p{Cc}/gu, percent), MAX_KEY_BYTES)
