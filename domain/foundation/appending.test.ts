// A list of any length is appended.
import { expect, it } from "vitest"
import { appendTo } from "./appending.ts"

it("appends more items than a call takes arguments", () => {
  const list = [-1]
  appendTo(list, Array(300_000).keys())
  expect(list).toHaveLength(300_001)
  expect(list.slice(0, 3)).toEqual([-1, 0, 1])
  expect(list.at(-1)).toBe(299_999)
})
