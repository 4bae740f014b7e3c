// The order of rows that are read page by page: texts by their bytes, numbers by their value, and strictly behind.
import { describe, expect, it } from "vitest"
import { standsBehind } from "./row-order.ts"

describe("the order of rows", () => {
  it.each([
    [undefined, ["a"], true],
    [["a"], ["b"], true],
    [["b"], ["a"], false],
    [["a"], ["a"], false],
    [["a", 2], ["a", 10], true],
    [["a", 10], ["a", 2], false],
    [["a", 10], ["b", 2], true],
    [["\uffff"], ["\u{1f600}"], true],
    [["\u{1f600}"], ["\uffff"], false],
    [[5], ["a"], true],
    [["a"], [5], false]
  ] as const)("after %j stands %j: %s", (before, row, behind) => {
    expect(standsBehind(before, row)).toBe(behind)
  })
})
