// Tampering campaign, header: every bit of a ledger file's first hundred bytes is turned over once, all eight hundred.
// Verification says FAIL, whatever the byte means, but for the eight bytes that may hold anything; a command is refused
// by the damage, never by the rights of its caller, and leaves the file as it was.

import { readFileSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { withLedger } from "../application/ledger/testing/ledgers.ts"
import { withBit } from "../infrastructure/testing/doctored-pages.ts"
import { type CampaignLedger, makeCampaignLedger } from "./support/campaign-ledger.ts"

let ledger: CampaignLedger
beforeAll(async () => {
  ledger = await makeCampaignLedger()
})
afterAll(() => ledger.close())

/** Why a byte may be any: the first counts changes of the schema, the second names the library that wrote last. */
const UNAFFECTED = new Set([40, 41, 42, 43, 96, 97, 98, 99])

const verdictOf = (filename: string) =>
  withLedger({ filename, mode: "read" }, (opened) => opened.verifyCassette({ pure: true })).pipe(
    Effect.match({ onFailure: (error): string => error._tag, onSuccess: ({ verdict }) => verdict }),
    Effect.runPromise
  )

const refusalOf = (filename: string) =>
  withLedger({ filename }, (opened) =>
    opened.postMessage({ run_id: "r", source: "USER", payload: { n: 1 } })
  ).pipe(
    Effect.match({ onFailure: (error) => error._tag as string, onSuccess: () => "posted" }),
    Effect.runPromise
  )

describe("a bit of the header that is turned over", () => {
  it.each(Array.from({ length: 100 }, (_, at) => at))("byte %i", async (at) => {
    const filename = ledger.path("turned.db")
    const original = readFileSync(ledger.filename)
    for (let bit = 0; bit < 8; bit++) {
      const turned = withBit(original, at, bit)
      writeFileSync(filename, turned)
      expect(await verdictOf(filename), `bit ${bit}`).toBe(UNAFFECTED.has(at) ? "PASS" : "FAIL")
      if (UNAFFECTED.has(at)) continue
      expect(await refusalOf(filename), `bit ${bit}`).toBe("StoreCorrupt")
      expect(readFileSync(filename).equals(turned), `bit ${bit}`).toBe(true)
    }
  })
})
