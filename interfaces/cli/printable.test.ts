// Text from a ledger on a terminal: nothing in it may move the cursor, hide a line or reverse the reading.
import { describe, expect, it } from "vitest"
import { fieldLines, printable, tableLines } from "./printable.ts"

describe("printable", () => {
  it.each([
    ["plain é 😀", "plain é 😀"],
    ["\u001b[2Jgone", "\\u001b[2Jgone"],
    ["two\nlines\r", "two\\u000alines\\u000d"],
    ["\u0085\u009b", "\\u0085\\u009b"],
    ["\u202egnp.exe", "\\u202egnp.exe"],
    ["\ud800", "\\ud800"],
    ["\u2028", "\\u2028"]
  ])("%j", (text, shown) => expect(printable(text)).toBe(shown))
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
