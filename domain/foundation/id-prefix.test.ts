// What the beginning of an id means: one id, none, or several, which are named.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { idOfPrefix } from "./id-prefix.ts"

const found = (prefix: string, ids: ReadonlyArray<string>) =>
  Result.getOrElse(idOfPrefix(prefix, ids), (error) => error)

describe("idOfPrefix", () => {
  it("gives the only id that begins so, and the id itself before longer ones", () => {
    expect(found("ab", ["abc", "ac"])).toBe("abc")
    expect(found("ab", ["ab", "abc"])).toBe("ab")
    expect(found("ab", ["ac"])).toBeUndefined()
    expect(found("ab", [])).toBeUndefined()
  })

  it("names at most five of several", () => {
    expect(found("a", ["a1", "a2", "b"])).toMatchObject({
      _tag: "AmbiguousPrefix",
      message: "a is the beginning of several ids: a1, a2; give more of the id"
    })
    expect(found("a", ["a1", "a2", "a3", "a4", "a5", "a6"])).toMatchObject({
      candidates: ["a1", "a2", "a3", "a4", "a5"],
      message: "a is the beginning of several ids: a1, a2, a3, a4, a5 and more; give more of the id"
    })
  })
})
