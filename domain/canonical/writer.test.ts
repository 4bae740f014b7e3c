// What both writers refuse, with the reason and the place; and that refusing runs no code of the value.

import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { jcs, jcsText } from "./jcs.ts"
import { isJsonObject, MAX_JSON_DEPTH } from "./json.ts"
import { NotCanonical } from "./not-canonical.ts"
import { py, pyText } from "./py.ts"

const nested = (depth: number): unknown => {
  let value: unknown = 7
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { k: value }
  return value
}

const cyclic = (): unknown => {
  const inner: Record<string, unknown> = {}
  const outer = { a: [1, inner] }
  inner["back"] = outer
  return outer
}

const untouchable = (): never => {
  throw new Error("code of the value was run")
}

class Money {
  readonly amount = 1
}

class MoreThanAList extends Array<number> {}

const refused: ReadonlyArray<readonly [name: string, value: unknown, reason: string, path: string]> = [
  ["NaN", Number.NaN, "not_finite", ""],
  ["an infinity", [1, Number.POSITIVE_INFINITY], "not_finite", "/1"],
  ["minus infinity", { a: { b: Number.NEGATIVE_INFINITY } }, "not_finite", "/a/b"],
  ["a high surrogate alone", "\ud83d", "lone_surrogate", ""],
  ["a low surrogate alone", ["a\udfafb"], "lone_surrogate", "/0"],
  ["surrogates in the wrong order", { k: "\udfaf\ud83c" }, "lone_surrogate", "/k"],
  ["a lone surrogate in a key", { a: { "x\ud800": 1 } }, "lone_surrogate", "/a/x\ufffd"],
  ["a lone surrogate in a key beside an awkward one", { 1: 0, "\ud800": 1 }, "lone_surrogate", "/\ufffd"],
  ["undefined", undefined, "undefined", ""],
  ["undefined as a member", { a: undefined }, "undefined", "/a"],
  ["undefined as an item", [null, undefined], "undefined", "/1"],
  // eslint-disable-next-line no-sparse-arrays
  ["a hole", [1, , 3], "undefined", "/1"],
  ["a list of nothing but holes", Object.assign([], { length: 3 }), "undefined", "/0"],
  ["a function", { f: untouchable }, "unsupported_type", "/f"],
  ["a toJSON method", { toJSON: untouchable }, "unsupported_type", "/toJSON"],
  ["a symbol", [Symbol("s")], "unsupported_type", "/0"],
  ["a bigint", { n: 1n }, "unsupported_type", "/n"],
  ["a class instance", { price: new Money() }, "not_plain", "/price"],
  ["a date", [new Date(0)], "not_plain", "/0"],
  ["a map", new Map([["a", 1]]), "not_plain", ""],
  ["a set", new Set([1]), "not_plain", ""],
  ["a boxed number", { n: Object(1) as unknown }, "not_plain", "/n"],
  ["a boxed string", Object("text"), "not_plain", ""],
  ["bytes", new Uint8Array(2), "not_plain", ""],
  ["an error", new Error("e"), "not_plain", ""],
  ["a subclass of Array", MoreThanAList.from([1]), "not_plain", ""],
  ["an object with a changed prototype", Object.create({ a: 1 }), "not_plain", ""],
  ["a getter", Object.defineProperty({}, "g", { get: untouchable, enumerable: true }), "accessor", "/g"],
  ["a getter as an item", Object.defineProperty([1, 2], 1, { get: untouchable }), "accessor", "/1"],
  [
    "a setter alone",
    Object.defineProperty({}, "s", { set: untouchable, enumerable: true }),
    "undefined",
    "/s"
  ],
  ["a hidden member", Object.defineProperty({ a: 1 }, "h", { value: 1 }), "hidden_member", "/h"],
  ["a member beside a list's items", { l: Object.assign([1], { extra: 2 }) }, "hidden_member", "/l"],
  ["a symbol as key", { o: { [Symbol("s")]: 1 } }, "symbol_key", "/o"],
  ["a symbol as a list's key", Object.assign([1], { [Symbol("s")]: 1 }), "symbol_key", ""],
  ["a cycle", cyclic(), "cycle", "/a/1/back"],
  ["one level too many", nested(MAX_JSON_DEPTH + 1), "too_deep", "/0/k".repeat(32)],
  ["a path that needs escapes", { "a/b": { "c~d": Number.NaN } }, "not_finite", "/a~1b/c~0d"],
  ["the first fault in key order", { b: Number.NaN, a: undefined }, "undefined", "/a"]
]

describe.each([
  ["jcs/1", jcs, jcsText],
  ["py/1", py, pyText]
] as const)("%s refuses", (rule, write, writeText) => {
  it.each(refused)("%s", (_name, value, reason, path) => {
    const error = Result.getOrThrow(Result.flip(write(value)))
    assert.instanceOf(error, NotCanonical)
    assert.deepStrictEqual(
      { rule: error.rule, reason: error.reason, path: error.path },
      { rule, reason, path }
    )
    assert.include(error.message, path === "" ? "the value itself" : path)
    assert.throws(() => writeText(value), error.message)
  })

  it("nothing at the last allowed depth", () => {
    assert.strictEqual(writeText(nested(MAX_JSON_DEPTH)).length, 64 + 64 + 1 + 32 * 4)
  })

  it("a list inside itself at once, though its text would be endless", () => {
    const list: Array<unknown> = []
    list.push(list, list)
    const error = Result.getOrThrow(Result.flip(write(list)))
    assert.deepStrictEqual([error.reason, error.path], ["cycle", "/0"])
  })
})

describe("numbers that only one rule writes", () => {
  it.each([
    [0.5, "not_an_integer"],
    [1e-300, "not_an_integer"],
    [2 ** 53, "unsafe_integer"],
    [-(2 ** 53), "unsafe_integer"],
    [1e300, "unsafe_integer"]
  ])("%d", (value, reason) => {
    assert.strictEqual(jcsText([value]), `[${value}]`)
    const error = Result.getOrThrow(Result.flip(py([value])))
    assert.deepStrictEqual([error.reason, error.path], [reason, "/0"])
  })
})

describe("isJsonObject", () => {
  it("takes plain objects alone", () => {
    assert.isTrue([{}, { a: 1 }, Object.create(null)].every(isJsonObject))
    const others = [null, undefined, [], "text", 1, new Date(0), new Money(), new Map(), () => 1, Object(1)]
    assert.deepStrictEqual(
      others.map(isJsonObject),
      others.map(() => false)
    )
  })
})
