// A few words for stored texts: payloads and receipts that are usual, large, or damaged.
import { assert, it } from "@effect/vitest"
import { reasonOf, whatOf } from "./describing.ts"

it("a payload is named by what it asks", () => {
  assert.strictEqual(whatOf('{"op":"REFUND","refs":{"order":"4417"}}'), "REFUND 4417")
})

it("a receipt is named by its reason", () => {
  assert.strictEqual(reasonOf('{"code":51,"error":"no funds"}'), "no funds")
})

it("what is damaged, or too large to look into, is named by its beginning", () => {
  assert.match(whatOf("{not json"), /^\{not json/)
  assert.isBelow(whatOf(`{"op":"${"x".repeat(4_000_000)}"}`).length, 200)
  assert.isBelow(reasonOf(`{"error":"${"x".repeat(60_000)}"}`).length, 200)
})
