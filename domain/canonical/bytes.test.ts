// Hexadecimal and base64 in one spelling only, compared with Node's own codecs, which take many.
import { describe, expect, it } from "vitest"
import { base64Text, bytesEqual, bytesOfBase64, bytesOfHex, hexText, joinBytes, utf8Bytes } from "./bytes.ts"

const samples = Array.from({ length: 70 }, (_, length) =>
  Uint8Array.from({ length }, (_, index) => (length * 31 + index * 87) % 256)
)

describe("hexadecimal and base64", () => {
  it("are written and read as Node does", () => {
    for (const bytes of samples) {
      expect(hexText(bytes)).toBe(Buffer.from(bytes).toString("hex"))
      expect(bytesOfHex(hexText(bytes))).toEqual(bytes)
      expect(base64Text(bytes)).toBe(Buffer.from(bytes).toString("base64"))
      expect(bytesOfBase64(base64Text(bytes))).toEqual(bytes)
    }
    expect(base64Text(Uint8Array.of(251, 255, 191))).toBe("+/+/")
  })

  it.each(["0", "0G", "AB", "a b0", "0x00", "00 ", " 00", "é0", "a\n"])(
    "refuse %j as hexadecimal",
    (text) => {
      expect(bytesOfHex(text)).toBeUndefined()
    }
  )

  it.each([
    ["no padding", "AA"],
    ["too much padding", "AAA=="],
    ["padding alone", "===="],
    ["padding in the middle", "AA==AAAA"],
    ["bits behind the padding, two characters", "AB=="],
    ["bits behind the padding, three characters", "AAB="],
    ["a line feed", "AAAA\n"],
    ["a line feed inside", "AA\nAA"],
    ["a space", "AAAA "],
    ["the alphabet of URLs", "-_-_"],
    ["a letter beyond ASCII", "AAAé"]
  ])("refuse as base64: %s", (_name, text) => {
    expect(bytesOfBase64(text)).toBeUndefined()
  })
})

describe("bytes", () => {
  it("are equal when length and content are", () => {
    expect(bytesEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true)
    expect(bytesEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false)
    expect(bytesEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 0))).toBe(false)
    expect(bytesEqual(Uint8Array.of(1, 2, 0), Uint8Array.of(1, 2))).toBe(false)
  })

  it("are joined in order", () => {
    expect(joinBytes(utf8Bytes("é"), new Uint8Array(0), Uint8Array.of(7))).toEqual(Uint8Array.of(195, 169, 7))
  })
})
