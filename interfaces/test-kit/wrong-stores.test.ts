// The test of the laws: a store that is wrong in one way breaks its own law, and the life that shows it is shrunk to a few commands.
import { describe, expect, it } from "vitest"
import type { Law } from "./law.ts"
import { tryLaw } from "./ledger-life.ts"
import { batchLaw } from "./laws/batch-law.ts"
import { claimOrderLaw } from "./laws/claim-order.ts"
import { keyLaw } from "./laws/key-law.ts"
import { LAWS } from "./laws/laws.ts"
import { claimedOnceLaw, holderLaw, tokenLaw } from "./laws/lease-laws.ts"
import { logLaw } from "./laws/log-law.ts"
import { modelLaw } from "./laws/model-law.ts"
import { persistenceLaw } from "./laws/persistence-law.ts"
import { receiptLaw } from "./laws/receipt-law.ts"
import { refusalLaw } from "./laws/refusal-law.ts"
import { wrongStores } from "./testing/wrong-stores.ts"

/** For each wrong store the law that it breaks, what the law says, and the most moves that show it. */
const cases: ReadonlyArray<
  readonly [store: keyof typeof wrongStores, law: Law, says: RegExp, mostMoves: number]
> = [
  ["tells of no receipt where a step is done", modelLaw, /The reply is another[^]*receipt/, 4],
  ["gives the newest waiting step", claimOrderLaw, /and the oldest waiting step there is step_/, 3],
  ["gives a step that is leased", claimedOnceLaw, /was claimed by \w+ while \w+ had it/, 3],
  [
    "checks the lease that was renewed",
    holderLaw,
    /another than the holder|refused though its lease stands/,
    4
  ],
  ["knows no end of a lease", holderLaw, /after its lease had ended/, 4],
  ["begins with token 1 at each claim", tokenLaw, /was leased with token 1 after token \d/, 4],
  ["lets a step be completed again", receiptLaw, /was completed twice/, 4],
  ["forgets idempotency keys", keyLaw, /became msg_\w+ after msg_|another message under/, 2],
  ["keeps what it refuses", refusalLaw, /the answers tell of 0 events, and the log has 1 more/, 3],
  ["shows a batch what stood before it", batchLaw, /What a batch answers is another/, 2],
  ["changes an event when it is read", logLaw, /does not follow: hash/, 2],
  ["shows receipts of one job alone", logLaw, /What is answered is another[^]*receipts/, 4],
  ["loses the newest event when it is opened again", persistenceLaw, /opening again is another/, 2]
]

describe("a store that", () => {
  it.each(cases)("%s breaks its law", async (store, law, says, mostMoves) => {
    const breach = await tryLaw(law, wrongStores[store], { numRuns: 200, seed: 3 })
    expect(breach?.message).toMatch(says)
    expect(breach?.moves.length, breach?.moves.join("\n")).toBeLessThanOrEqual(mostMoves)
  })

  it("breaks it is there for every law, and all of them are wrong in some way", () => {
    expect(new Set(cases.map(([, law]) => law))).toStrictEqual(new Set(LAWS))
    expect(cases.map(([store]) => store).toSorted()).toStrictEqual(Object.keys(wrongStores).toSorted())
  })
})
