// Compression as pure text: which places are looked up, which are replaced, and that what is around them is read as before.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { compressionRanges, compressText, type HeldRange } from "./compression.ts"
import { MAX_COMPRESSION_RUNS } from "../limits.ts"
import { expandText } from "./symbol-expansion.ts"

const symbol = "@C:0123456789ab"

/** Replaces what stands between the two signs. */
const compressed = (marked: string) => {
  const held: Array<HeldRange> = []
  let text = ""
  for (const [index, part] of marked.split("|").entries()) {
    if (index % 2 === 1) held.push({ start: text.length, end: text.length + part.length, symbol })
    text += part
  }
  const content = marked.split("|")[1] ?? ""
  const result = compressText(text, held)
  const targets = new Map([[symbol, { kind: "chunk" as const, hash: "", content }]])
  expect(Result.getOrThrow(expandText(result.text, 1, targets))).toBe(text)
  return result.text
}

describe("compression", () => {
  it("looks up chunks and runs of blocks between empty lines", () => {
    const text = "\ufeffone\n\ntwo\r\n \r\nthree\n"
    const found = compressionRanges(text, [{ start: 0, end: 4 }]).map(({ end, start }) =>
      text.slice(start, end)
    )
    expect(found).toEqual([
      "\ufeffone",
      "one",
      "one\n\ntwo",
      "one\n\ntwo\r\n \r\nthree",
      "two",
      "two\r\n \r\nthree",
      "three"
    ])
    expect(compressionRanges(" \n\n ", [])).toEqual([])
  })

  it("looks up a bounded number of runs, none larger than a chunk", () => {
    const many = compressionRanges("a\n\n".repeat(150_000), [])
    expect(many.length).toBeLessThanOrEqual(MAX_COMPRESSION_RUNS)
    const large = compressionRanges(`${"é".repeat(1_000)}\n\n${"é".repeat(1_000)}`, [])
    expect(large).toHaveLength(2)
  })

  it("replaces what is free-standing, the longest of what begins together", () => {
    expect(compressed("a |chunk| b |chunk|.")).toBe(`a ${symbol} b ${symbol}.`)
    const held = [
      { start: 0, end: 3, symbol },
      { start: 0, end: 7, symbol: "@C:longlonglong" },
      { start: 4, end: 9, symbol }
    ]
    expect(compressText("one two three", held).text).toBe("@C:longlonglong three")
    expect(compressText("", [])).toEqual({ text: "", replaced: [] })
  })

  it.each(["|chunk|s", "|chunk|_", "|chunk|9", "@|chunk|", "@@|chunk| x"])(
    "leaves %s, since it would be read otherwise",
    (marked) => {
      expect(compressed(marked)).toBe(marked.replaceAll("|", ""))
    }
  )

  it("marks what looks like a symbol already, also where the replaced text ends a longer word", () => {
    expect(compressed(`${symbol} |chunk| @${symbol}`)).toBe(`@${symbol} ${symbol} @@${symbol}`)
    expect(compressed(`${symbol}|xyz| `)).toBe(`@${symbol}${symbol} `)
    expect(compressed(`|chunk|${symbol}`)).toBe(`${symbol}@${symbol}`)
  })
})
