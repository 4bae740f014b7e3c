// Bodies as the texts that are stored, wherever they stand in an answer.
import { assert, it } from "@effect/vitest"
import { withTexts } from "./stored-text.ts"

const body = { bytes: 9, sha256: "h", whole: { b: 1, a: "<\u2028" }, beginning: null }

it("every body of an answer becomes its stored text, whole or by its beginning, and nothing else changes", () => {
  const answer = {
    kind: "step",
    payload: body,
    list: [{ receipt: { ...body, whole: null, beginning: '{"a"' } }],
    none: null
  }
  assert.deepStrictEqual(withTexts(answer) as unknown, {
    kind: "step",
    payload: { text: '{"a":"<\u2028","b":1}', bytes: 9, sha256: "h", is_cut: false },
    list: [{ receipt: { text: '{"a"', bytes: 9, sha256: "h", is_cut: true } }],
    none: null
  })
})

it("a thought's text stays as it is", () => {
  assert.strictEqual(withTexts({ content: { ...body, whole: "no {json}" } }).content.text, "no {json}")
})
