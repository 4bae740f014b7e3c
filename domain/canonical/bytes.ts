// Bytes as hexadecimal, base64 and UTF-8 text, and the port through which bytes are hashed. Every decoder here takes
// one spelling only, since a second spelling of a hash or a signature is a second document with the same meaning; the
// one exception is named for what it is, and reads what other programs write.
// Nothing here repairs: white space, upper-case digits and unused bits are refused.

/** SHA-256 (32 bytes) of bytes; synchronous, and its answer is never changed afterwards. */
export type Sha256Bytes = (bytes: Uint8Array) => Uint8Array

// Both are globals of every JavaScript host, yet part of no ECMAScript library that TypeScript knows.
declare const TextEncoder: new () => { encode: (text: string) => Uint8Array }
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean }
) => { decode: (bytes: Uint8Array) => string }

const HEX = "0123456789abcdef"
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const BASE64_TEXT = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const base64Values = new Map([...BASE64].map((character, value) => [character, value]))

/** The text's UTF-8 bytes; the text must be well-formed. */
export const utf8Bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The text of well-formed UTF-8, a byte order mark included; throws when the bytes are none. */
export const textOfUtf8 = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)

/** Lower-case hexadecimal, two digits a byte. */
export const hexText = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += HEX[byte >> 4]! + HEX[byte & 15]!
  return text
}

const hexDigit = (unit: number): number => {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  return unit >= 0x61 && unit <= 0x66 ? unit - 0x57 : -1
}

/** The bytes of lower-case hexadecimal text, or undefined when it is none. */
export const bytesOfHex = (text: string): Uint8Array | undefined => {
  if (text.length % 2 !== 0) return undefined
  const bytes = new Uint8Array(text.length / 2)
  for (let index = 0; index < bytes.length; index++) {
    const high = hexDigit(text.charCodeAt(2 * index))
    const low = hexDigit(text.charCodeAt(2 * index + 1))
    if (high < 0 || low < 0) return undefined
    bytes[index] = high * 16 + low
  }
  return bytes
}

/** Standard base64 with padding (RFC 4648, section 4). */
export const base64Text = (bytes: Uint8Array): string => {
  let text = ""
  for (let index = 0; index < bytes.length; index += 3) {
    const left = bytes.length - index
    const group = (bytes[index]! << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0)
    text += BASE64[group >> 18]! + BASE64[(group >> 12) & 63]!
    text += (left > 1 ? BASE64[(group >> 6) & 63]! : "=") + (left > 2 ? BASE64[group & 63]! : "=")
  }
  return text
}

/** The bytes of padded standard base64 in its one canonical spelling, or undefined. */
export const bytesOfBase64 = (text: string): Uint8Array | undefined => {
  if (!BASE64_TEXT.test(text)) return undefined
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  for (let from = 0, to = 0; from < text.length; from += 4, to += 3) {
    let group = 0
    for (let digit = from; digit < from + 4; digit++) {
      group = group * 64 + (base64Values.get(text[digit]!) ?? 0)
    }
    // Writing beyond the end of a typed array does nothing, which is what the padding wants.
    bytes[to] = group >> 16
    bytes[to + 1] = (group >> 8) & 255
    bytes[to + 2] = group & 255
  }
  // The last group can hide set bits behind its padding.
  return base64Text(bytes) === text ? bytes : undefined
}

/** The bytes of base64 in either alphabet (RFC 4648, sections 4 and 5), with its padding or without; or undefined. */
export const bytesOfAnyBase64 = (text: string): Uint8Array | undefined => {
  const digits = text.replace(/={0,2}$/, "")
  const padded = digits.padEnd(Math.ceil(digits.length / 4) * 4, "=")
  if (text !== digits && text !== padded) return undefined
  if (/[+/]/.test(digits) && /[-_]/.test(digits)) return undefined
  return bytesOfBase64(padded.replaceAll("-", "+").replaceAll("_", "/"))
}

/** True when both have the same length and the same bytes. */
export const bytesEqual = (left: Uint8Array, right: Uint8Array): boolean => {
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false
  return true
}

/** One array with the bytes of all parts in order. */
export const joinBytes = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
