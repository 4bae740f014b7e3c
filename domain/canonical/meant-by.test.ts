// The one judgement of names that are given by their beginning.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { meantBy } from "./meant-by.ts"

const meant = (beginning: string, names: ReadonlyArray<string>) =>
  Result.getOrElse(meantBy(beginning, names, 2), (several) => several)

describe("the beginning of a name", () => {
  it("means the only one that begins so, however often it is there", () => {
    expect(meant("ab", ["b", "abc", "ac", "abc"])).toBe("abc")
  })

  it("means the name that it is, although others begin with it", () => {
    expect(meant("ab", ["abc", "ab"])).toBe("ab")
  })

  it("means nothing where no name begins so", () => {
    expect(meant("ab", ["a", "ba"])).toBeUndefined()
    expect(meant("ab", [])).toBeUndefined()
  })

  it("may mean several, of which the first are named in order", () => {
    expect(meant("a", ["ab", "aa"])).toEqual({ candidates: ["aa", "ab"], has_more: false })
    expect(meant("a", ["ac", "ab", "aa"])).toEqual({ candidates: ["aa", "ab"], has_more: true })
  })
})
