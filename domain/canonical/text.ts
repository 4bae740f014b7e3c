// What stored text may hold. Lone surrogates are refused because UTF-8 turns each into U+FFFD, so that two
// texts would hash alike; U+0000 because older SQLite cuts text there. These checks refuse and must never
// repair: a repaired id is another id.

import * as Schema from "effect/Schema"
import { isAscii } from "./ascii.ts"

/** Longest identifier, in UTF-8 bytes. */
const MAX_IDENTIFIER_BYTES = 256

/** True when every surrogate stands in a pair, so that the text survives UTF-8. */
export const isWellFormedText = (text: string): boolean => text.isWellFormed()

/** True when the text holds a character of U+0000..U+001F or U+007F..U+009F. */
export const hasControlCharacter = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return true
  }
  return false
}

/** The number of bytes that the text takes as UTF-8; a lone surrogate counts 3, as its replacement U+FFFD does. */
export const utf8ByteLength = (text: string): number => {
  let bytes = text.length
  if (isAscii(text)) return bytes
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    if (unit < 0x800) {
      bytes += 1
      continue
    }
    bytes += 2
    // A pair is two units and four bytes, and the two units were already counted once.
    if (unit >= 0xd800 && unit <= 0xdbff && text.charCodeAt(index + 1) >> 10 === 0x37) index++
  }
  return bytes
}

/** Text of any length that can be stored and hashed as it is. */
export const WellFormedText = Schema.String.check(
  Schema.makeFilter((text: string) => text.isWellFormed() && !text.includes("\u0000"), {
    expected: "text without lone surrogates and without U+0000"
  })
)

/** True for a text that `Identifier` takes. */
export const isIdentifier = (text: string): boolean =>
  text.length > 0 &&
  text.length <= MAX_IDENTIFIER_BYTES &&
  text.isWellFormed() &&
  !hasControlCharacter(text) &&
  utf8ByteLength(text) <= MAX_IDENTIFIER_BYTES

/** An id that a caller chooses: a run, a task, a worker, an idempotency key. */
export const Identifier = Schema.String.check(
  Schema.makeFilter(isIdentifier, {
    expected: `1 to ${MAX_IDENTIFIER_BYTES} UTF-8 bytes of well-formed text without control characters`,
    toJsonSchema: () => ({ minLength: 1, maxLength: MAX_IDENTIFIER_BYTES })
  })
)

/** Text of at most so many bytes of UTF-8 that can be stored and hashed as it is. */
export const textOfAtMost = (bytes: number) =>
  WellFormedText.check(
    Schema.makeFilter((text: string) => utf8ByteLength(text) <= bytes, {
      expected: `at most ${bytes} bytes of UTF-8`,
      toJsonSchema: () => ({ maxLength: bytes })
    })
  )
