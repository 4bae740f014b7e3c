// Symbols: the form and everything that is not of it, symbols inside texts, and expansion with circles, diamonds and
// growth.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { circleFrom, expandText, type SymbolTarget } from "./symbol-expansion.ts"
import { escapeSymbols, isFreeStanding, parseSymbol, piecesOf, symbolOf, symbolsIn } from "./symbols.ts"

const digits = "0123456789abcdef".repeat(4)
const hash = (letter: string): string => letter.repeat(64)
const named = (letter: string): string => `@C:${letter.repeat(12)}`

describe("a symbol", () => {
  it("is a letter and 12 to 64 digits", () => {
    for (const [letter, kind] of [
      ["C", "chunk"],
      ["P", "document"],
      ["A", "memory"]
    ] as const) {
      for (const length of [12, 13, 63, 64]) {
        const text = `@${letter}:${digits.slice(0, length)}`
        expect(Result.getOrThrow(parseSymbol(text))).toEqual({ kind, prefix: digits.slice(0, length) })
        expect(symbolOf(kind, digits.slice(0, length))).toBe(text)
      }
    }
  })

  it.each([
    ["11 digits", "@C:0123456789a", "11 digits are fewer than 12"],
    ["no digits", "@C:", "0 digits are fewer than 12"],
    ["65 digits", `@C:${digits}0`, "65 digits are more than 64"],
    ["capital digits", "@C:0123456789AB", "a digit is none of 0 to 9 and a to f"],
    ["a small letter", "@c:0123456789ab", "@c: names nothing"],
    ["another letter", "@X:0123456789ab", "@X: names nothing"],
    ["a blank before", " @C:0123456789ab", "there is white space around it"],
    ["a line end", "@C:0123456789ab\n", "there is white space around it"],
    ["a blank inside", "@C:012345 789ab", "a digit is none of 0 to 9 and a to f"],
    ["no sign", "C:0123456789ab", "it does not begin with @C:, @P: or @A:"],
    ["nothing", "", "it does not begin with @C:, @P: or @A:"],
    ["wide digits", "@C:０１２３４５６７８９ab", "a digit is none of 0 to 9 and a to f"],
    ["a wildcard", "@C:0123456789a%", "a digit is none of 0 to 9 and a to f"]
  ])("with %s is refused, and the form is named", (_, text, reason) => {
    const parsed = parseSymbol(text)
    expect(Result.isFailure(parsed) && parsed.failure).toMatchObject({ symbol: text, reason })
    expect(Result.isFailure(parsed) && parsed.failure.message).toContain(
      "12 to 64 lower-case hexadecimal digits"
    )
  })
})

describe("symbols in a text", () => {
  it("are found with their boundaries", () => {
    expect(symbolsIn("see @C:0123456789ab, @P:0123456789abc. @C:0123456789ab")).toEqual([
      "@C:0123456789ab",
      "@P:0123456789abc"
    ])
    expect(
      symbolsIn(`@C:0123456789abx @C:0123456789ab_ @C:0123456789abF @C:${digits}0 @X:0123456789ab`)
    ).toEqual([])
    expect(symbolsIn("@C:0123456789ab@A:0123456789ab")).toEqual(["@C:0123456789ab", "@A:0123456789ab"])
  })

  it("are no symbols behind a second sign, and lose it when they are read", () => {
    expect(piecesOf("a @@C:0123456789ab @@@C:0123456789ab")).toEqual([
      { text: "a @C:0123456789ab @@C:0123456789ab" }
    ])
    expect(escapeSymbols("@C:0123456789ab @C:short @@C:0123456789ab")).toBe(
      "@@C:0123456789ab @C:short @@@C:0123456789ab"
    )
  })

  it("may not touch what would change how they are read", () => {
    expect(isFreeStanding("a", " b")).toBe(true)
    expect(isFreeStanding("@", "")).toBe(false)
    for (const behind of ["a", "G", "0", "_"]) expect(isFreeStanding("", behind)).toBe(false)
  })
})

describe("expansion", () => {
  const targetsOf = (texts: Readonly<Record<string, string>>) =>
    new Map(
      Object.entries(texts).map(([letter, content]): [string, SymbolTarget] => [
        named(letter),
        { kind: "chunk", hash: hash(letter), content }
      ])
    )
  const all = (targets: ReadonlyMap<string, SymbolTarget>) => new Set(targets.keys())

  it("goes as deep as it is told, and leaves what has no target", () => {
    const targets = targetsOf({ a: `[a ${named("b")}]`, b: `[b ${named("c")}]`, c: `[c ${named("d")}]` })
    const of = (levels: number) => Result.getOrThrow(expandText(`x ${named("a")} y`, levels, targets))
    expect([0, 1, 2, 3, 4].map(of)).toEqual([
      `x ${named("a")} y`,
      `x [a ${named("b")}] y`,
      `x [a [b ${named("c")}]] y`,
      `x [a [b [c ${named("d")}]]] y`,
      `x [a [b [c ${named("d")}]]] y`
    ])
  })

  it("names a circle by its trail, also when it is spelt with more digits or does not lead through the first", () => {
    const targets = targetsOf({ a: named("b"), b: named("a") })
    expect(circleFrom([named("a")], targets, all(targets))?.trail).toEqual([
      named("a"),
      named("b"),
      named("a")
    ])
    const lead = targetsOf({ a: named("b"), b: `x ${named("b")}` })
    expect(circleFrom([named("a")], lead, all(lead))?.trail).toEqual([named("a"), named("b"), named("b")])
    const longer = `@C:${"a".repeat(20)}`
    const spelt = new Map([
      ...targetsOf({ a: longer }),
      [longer, { kind: "chunk", hash: hash("a"), content: longer }]
    ] as const)
    expect(circleFrom([named("a")], spelt, all(spelt))?.trail).toEqual([named("a"), longer])
    expect(circleFrom([named("a")], targets, all(targets))?.message).toContain("→")
  })

  it("takes a diamond for none, and does not look into what is left", () => {
    const diamond = targetsOf({ a: `${named("b")} ${named("c")}`, b: named("d"), c: named("d"), d: "end" })
    expect(circleFrom([named("a")], diamond, all(diamond))).toBeUndefined()
    expect(Result.getOrThrow(expandText(named("a"), 3, diamond))).toBe("end end")
    const circle = targetsOf({ a: named("b"), b: named("a") })
    expect(circleFrom([named("a")], circle, new Set([named("a")]))).toBeUndefined()
  })

  it("does not grow beyond the limit, and needs little time to tell", () => {
    const doubling = targetsOf(
      Object.fromEntries(
        "abcdef0123456789"
          .split("")
          .map((letter, index, list) => [letter, `${named(list[index + 1] ?? "x")} `.repeat(60)])
      )
    )
    const expanded = expandText(named("a"), 16, doubling)
    expect(Result.isFailure(expanded) && expanded.failure).toMatchObject({ unit: "bytes" })
    const two = targetsOf({ a: "é" })
    expect(Result.isSuccess(expandText(named("a").repeat(2), 1, two, 4))).toBe(true)
    expect(Result.isFailure(expandText(named("a").repeat(2), 1, two, 3))).toBe(true)
  })
})
