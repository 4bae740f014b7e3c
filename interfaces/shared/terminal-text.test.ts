// Text from a ledger on a terminal: nothing in it may move the cursor, hide a line or reverse the reading.
import { describe, expect, it } from "vitest"
import { fieldLines, laidOut, printable, printableJson, table, tableLines } from "./terminal-text.ts"

describe("printable", () => {
  it.each([
    ["plain é 😀", "plain é 😀"],
    ["\u001b[2Jgone", "\\u001b[2Jgone"],
    ["two\nlines\r", "two\\u000alines\\u000d"],
    ["\u0085\u009b", "\\u0085\\u009b"],
    ["\u202egnp.exe", "\\u202egnp.exe"],
    ["\ud800", "\\ud800"],
    ["\u2028", "\\u2028"],
    ["\u061c\u200b\u200c\u200d\u200e\u200f", "\\u061c\\u200b\\u200c\\u200d\\u200e\\u200f"],
    ["\u2060\u2061\u2064\ufeff\u00ad", "\\u2060\\u2061\\u2064\\ufeff\\u00ad"],
    ["\u{e0041}\u{e007f}", "\\udb40\\udc41\\udb40\\udc7f"],
    ["\ue000\u{10ffff}\u3164\u034f", "\\ue000\\udbff\\udfff\\u3164\\u034f"],
    ["\u0080\u009f\u007f", "\\u0080\\u009f\\u007f"],
    ["❤\ufe0f e\u0301 אב عر", "❤\ufe0f e\u0301 אב عر"]
  ])("%j", (text, shown) => expect(printable(text)).toBe(shown))

  it("keeps the value of JSON", () => {
    const value = { "a\u009b\u202e": ["\u{e0041}\u2028é😀", "\\u0041", "\n"] }
    const shown = printableJson(JSON.stringify(value))
    expect(JSON.parse(shown)).toEqual(value)
    expect(shown).toBe('{"a\\u009b\\u202e":["\\udb40\\udc41\\u2028é😀","\\\\u0041","\\n"]}')
  })
})

describe("tables", () => {
  it("makes columns as wide as their widest cell and ends no line with blanks", () => {
    expect(
      tableLines(
        ["a", "long name", "c"],
        [
          ["wide cell", "1", "x"],
          ["é", "2", ""]
        ]
      )
    ).toEqual(["a          long name  c", "wide cell  1          x", "é          2"])
  })
  it("become records where the terminal has no room for them, and lose nothing", () => {
    const lines = table(
      ["id", "said"],
      [
        ["a", "one two three"],
        ["b", "x".repeat(14)]
      ]
    )
    expect(laidOut(["first", ...lines], undefined)).toEqual([
      "first",
      "id  said",
      "a   one two three",
      "b   xxxxxxxxxxxxxx"
    ])
    expect(laidOut(lines, 18)).toEqual(laidOut(lines, undefined))
    expect(laidOut(lines, 14)).toEqual([
      "id    a",
      "said  one two",
      "      three",
      "",
      "id    b",
      "said  xxxxxxxx",
      "      xxxxxx"
    ])
  })
  it("measure as a terminal does", () => {
    expect(
      tableLines(
        ["a", "b"],
        [
          ["锁e\u0301", "x"],
          ["abc", "y"]
        ]
      )
    ).toEqual(["a    b", "锁e\u0301  x", "abc  y"])
  })
  it("escapes before it measures", () => {
    expect(tableLines(["a", "b"], [["\n", "x"]])).toEqual(["a       b", "\\u000a  x"])
  })
  it("puts values below each other", () => {
    expect(
      fieldLines([
        ["id", "1"],
        ["longer", "2"]
      ])
    ).toEqual(["id      1", "longer  2"])
  })
})
