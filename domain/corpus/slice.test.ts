// Slices against values made by another program, and every way in which one can be refused.
import { readFileSync } from "node:fs"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { sha256 } from "../ledger/testing/samples.ts"
import { applySlice, InvalidSlice, parseSlice, SliceOutOfRange, sliceText } from "./slice.ts"

interface Vectors {
  readonly texts: { readonly plain: string; readonly trailing_newline: string }
  readonly cases: ReadonlyArray<{
    readonly text: keyof Vectors["texts"]
    readonly slice: string
    readonly ok: boolean
    readonly content?: string
    readonly sha256?: string
  }>
}

const vectors = JSON.parse(
  readFileSync(new URL("../../docs/spec/vectors/slices.json", import.meta.url), "utf8")
) as Vectors

const cut = (text: string, slice: string) =>
  Result.flatMap(parseSlice(slice), (parsed): ReturnType<typeof applySlice> => applySlice(text, parsed))

const failureOf = (text: string, slice: string) => {
  const result = cut(text, slice)
  return Result.isFailure(result) ? result.failure : undefined
}

const reasonOf = (slice: string): string => {
  const failure = failureOf("", slice)
  return failure instanceof InvalidSlice ? failure.reason : "accepted"
}

describe("the published slices", () => {
  it.each(vectors.cases)("$slice of $text", (example) => {
    const result = cut(vectors.texts[example.text], example.slice)
    expect(Result.isSuccess(result)).toBe(example.ok)
    if (Result.isFailure(result)) return
    expect(result.success).toBe(example.content)
    expect(sha256(result.success)).toBe(example.sha256)
  })
})

describe("a slice's text", () => {
  it.each(["lines[0:80]", "chars[10:11]", "head(1)", "tail(9007199254740991)"])("%s is its own", (text) => {
    expect(sliceText(Result.getOrThrow(parseSlice(text)))).toBe(text)
    expect(sliceText(Result.getOrThrow(parseSlice(`\r\n\t ${text} \n`)))).toBe(text)
  })

  it.each(["", " \t\r\n"])("%j is empty", (text) => expect(reasonOf(text)).toBe("empty"))

  it.each(["ALL", "all", " All ", "lines[0:]", "lines[:3]", "chars[:]", "LINES[1:]"])(
    "%j has no end",
    (text) => expect(reasonOf(text)).toBe("unbounded")
  )

  it.each(["lines[2:2]", "lines[3:1]", "chars[0:0]"])("%j ends before it starts", (text) =>
    expect(reasonOf(text)).toBe("reversed")
  )

  it.each(["head(0)", "tail(0)"])("%j takes nothing", (text) => expect(reasonOf(text)).toBe("zero"))

  it.each(["head(9007199254740992)", "lines[0:9007199254740993]", `chars[1:${"9".repeat(100)}]`])(
    "%j cannot be counted",
    (text) => expect(reasonOf(text)).toBe("too_large")
  )

  it.each([
    "none",
    "lines",
    "lines[-1:2]",
    "lines[0:-2]",
    "lines[+0:2]",
    "Lines[0:1]",
    "HEAD(3)",
    "lines[00:1]",
    "lines[0:01]",
    "head(03)",
    "head(+3)",
    "head(-3)",
    "head(1e3)",
    "head(1.0)",
    "head(1_000)",
    "head(0x10)",
    "head()",
    "head(3",
    "head[3]",
    "lines(0:1)",
    "lines[ 0:1]",
    "lines[0 :1]",
    "lines [0:1]",
    "lines[0:1:2]",
    "lines[0,1]",
    "lines[0-1]",
    "head(3)head(3)",
    "head(3)\0",
    "head(3)\n;",
    "\u00a0head(3)",
    "\ufeffhead(3)",
    "head(\uff13)",
    "lines[\u0661:\u0663]",
    "lin\u0435s[0:1]",
    " ".repeat(300)
  ])("%j is malformed", (text) => expect(reasonOf(text)).toBe("malformed"))

  it("is refused with what would be accepted, and repeats no more than its beginning", () => {
    const failure = failureOf("", "x".repeat(100_000))
    expect(failure).toMatchObject({ _tag: "InvalidSlice", slice: "x".repeat(64) })
    expect(failure?.message).toMatch(/lines\[a:b\].*chars\[a:b\].*head\(n\).*tail\(n\)/)
    expect(failureOf("", `${"x".repeat(63)}😀`)).toMatchObject({ slice: `${"x".repeat(63)}\ufffd` })
  })
})

describe("a slice past the end", () => {
  it.each([
    ["", "lines[0:2]", 1],
    ["", "chars[0:1]", 0],
    ["a\nb", "lines[0:3]", 2],
    ["a\nb", "lines[7:9]", 2],
    ["a\nb\n", "lines[3:4]", 3],
    ["a😀", "chars[0:3]", 2],
    ["a😀", "chars[2:3]", 2],
    ["a😀", "chars[8:9]", 2]
  ] as const)("of %j, %s, says how much there is", (text, slice, available) => {
    const unit = slice.startsWith("lines") ? "lines" : "chars"
    const failure = failureOf(text, slice)
    expect(failure).toMatchObject({ _tag: "SliceOutOfRange", slice, unit, available })
    expect(failure instanceof SliceOutOfRange && failure.message).toContain(
      `the text has ${available} ${unit}`
    )
  })
})

describe("what a slice counts", () => {
  it.each([
    ["", "lines[0:1]", ""],
    ["", "head(5)", ""],
    ["", "tail(5)", ""],
    ["a\r\nb\u2028c\u0085d", "lines[1:2]", "b\u2028c\u0085d"],
    ["a\r\nb", "lines[0:1]", "a\r"],
    ["a😀b", "chars[1:2]", "😀"],
    ["a😀b", "head(2)", "a😀"],
    ["a😀b", "tail(2)", "😀b"],
    ["e\u0301x", "chars[0:1]", "e"],
    ["👩‍👩‍👧", "head(2)", "👩\u200d"],
    ["\ufeffa", "head(1)", "\ufeff"]
  ])("in %j, %s is %j", (text, slice, expected) => {
    expect(Result.getOrThrow(cut(text, slice))).toBe(expected)
  })
})
