// Every attack on a ledger by raw SQL, on connections where a pragma takes something away: the tests beside the schema try them on
// plain connections, and some of them here. Nothing is drawn: PROP_RUNS changes nothing.
import { expect, it } from "vitest"
import { RECURSIVE_TRIGGERS, successes, successesUnchecked } from "../migrations/testing/adversary.ts"
import { outcomesOf } from "../migrations/testing/attack.ts"
import { attacks } from "../migrations/testing/attacks/index.ts"

it("with recursive triggers every attack is refused and leaves no trace", () => {
  expect(successes(outcomesOf(attacks, [RECURSIVE_TRIGGERS]))).toEqual([])
})

it("with CHECKs switched off nothing gets in but a malformed hash, which the chain shows", () => {
  expect(successesUnchecked(attacks)).toEqual([])
})
