// The golden values: exact texts and hashes made by other implementations, for both rules, reading and writing.

import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { hash } from "node:crypto"
import { jcs } from "./jcs.ts"
import { py } from "./py.ts"
import { readJson, readJsonBytes } from "./strict-reader.ts"
import golden from "./testing/canonical-json.json" with { type: "json" }

const writers = { "jcs/1": jcs, "py/1": py } as const

describe.each(["jcs/1", "py/1"] as const)("golden values of %s", (rule) => {
  it.each(golden.cases)("$input_json_text", (entry) => {
    const read = readJson(entry.input_json_text, rule)
    const expected = entry[rule]
    if (typeof expected === "string") {
      assert.strictEqual(expected, "refuse")
      assert.isTrue(Result.isFailure(read))
      return
    }
    const text = Result.getOrThrow(writers[rule](Result.getOrThrow(read)))
    assert.strictEqual(text, expected.text)
    assert.strictEqual(hash("sha256", text), expected.sha256)
    assert.deepStrictEqual(readJsonBytes(new TextEncoder().encode(entry.input_json_text), rule), read)
  })
})

describe("the golden file", () => {
  it("has cases of every kind", () => {
    assert.isAtLeast(golden.cases.length, 25)
    assert.isTrue(golden.cases.some((entry) => entry["jcs/1"] === "refuse"))
    assert.isTrue(golden.cases.some((entry) => entry["py/1"] === "refuse" && entry["jcs/1"] !== "refuse"))
  })
})
