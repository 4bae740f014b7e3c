// Sentences about data that does not fit its schema: the place, and what is allowed there.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { expect, it } from "vitest"
import { plainIssues, pointerOf } from "./plain-issues.ts"

const Inner = Schema.Struct({
  kind: Schema.Literals(["local", "external"]),
  size: Schema.optionalKey(Schema.Int)
})
const Outer = Schema.Struct({
  name: Schema.NullOr(Schema.String),
  on: Schema.Boolean,
  list: Schema.Array(Inner),
  count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
  id: Schema.String.check(Schema.isPattern(/^[a-z]+$/, { expected: "small letters" }))
})
const decode = Schema.decodeUnknownResult(Outer, { onExcessProperty: "error", errors: "all" })
const good = { name: "n", on: true, list: [], count: 3, id: "a" }

const told = (value: unknown): ReadonlyArray<string> => {
  const decoded = decode(value)
  return Result.isSuccess(decoded)
    ? []
    : plainIssues(decoded.failure.issue).map(({ message, path }) => `${pointerOf(path)} ${message}`.trim())
}

it.each([
  [{ ...good, extra: 1 }, "/extra is not known here: allowed are name, on, list, count, id"],
  [{ ...good, name: undefined }, "/name must be a string or null"],
  [{ ...good, name: 7 }, "/name must be a string or null"],
  [{ ...good, on: "yes" }, "/on must be true or false"],
  [{ ...good, list: {} }, "/list must be a list"],
  [{ ...good, list: [3] }, "/list/0 must be an object"],
  [{ ...good, list: [{ kind: "remote" }] }, '/list/0/kind must be "local" or "external"'],
  [{ ...good, list: [{}] }, "/list/0/kind is missing"],
  [{ ...good, list: [{ kind: "local", size: 1.5 }] }, "/list/0/size must be a whole number"],
  [{ ...good, count: 10 }, "/count must be a value between 1 and 9"],
  [{ ...good, id: "7" }, "/id must be small letters"],
  [[], "the value must be an object"],
  [good, undefined]
])("says what is allowed where: %#", (value, sentence) => {
  expect(told(value)).toEqual(sentence === undefined ? [] : [sentence])
})

it("escapes a pointer's signs", () => {
  expect(pointerOf(["a/b", "c~d", 0])).toBe("/a~1b/c~0d/0")
})
