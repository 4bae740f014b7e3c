// The rungs of the log share one reading of it; where it finds anything, each reads for itself, and all is told.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LedgerEvidence } from "../../../application/ledger/verification/ledger-evidence.ts"
import { verify } from "../../../application/ledger/verification/verification.ts"
import {
  behindTheTriggers,
  claim,
  complete,
  openLedger,
  post,
  rawSql,
  temporaryFile
} from "../../testing/ledgers.ts"
import { nodeHashingLayer } from "../../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../../keys/ed25519.ts"
import { openLedgerFile } from "../opening/ledger-file.ts"
import { makeSqliteLedgerEvidence } from "../sqlite-ledger-evidence.ts"

/** A ledger of four events. */
const smallLedger = Effect.gen(function* () {
  const filename = yield* temporaryFile
  yield* Effect.scoped(
    Effect.gen(function* () {
      const ledger = yield* openLedger({ filename })
      yield* post(ledger, 1)
      yield* complete(ledger, yield* claim(ledger))
    })
  )
  return filename
})

/** Verifies chain, events and projections; gives what was found, and how many events were read. */
const verified = (filename: string) =>
  Effect.gen(function* () {
    let reads = 0
    const evidence = makeSqliteLedgerEvidence(yield* openLedgerFile({ filename, mode: "read" }))
    const counted = {
      ...evidence,
      snapshot: Effect.map(evidence.snapshot, (snapshot) => ({
        ...snapshot,
        eventsAfter: (...range: Parameters<typeof snapshot.eventsAfter>) => {
          const events = snapshot.eventsAfter(...range)
          reads += events.length
          return events
        }
      }))
    }
    const layer = Layer.mergeAll(Layer.succeed(LedgerEvidence, counted), nodeHashingLayer, nodeSigningLayer)
    const { findings, rungs } = yield* verify({ rungs: ["chain", "events", "projections"], pure: true }).pipe(
      Effect.provide(layer)
    )
    return { codes: findings.map(({ code }) => code), found: rungs.map(({ findings }) => findings), reads }
  }).pipe(Effect.scoped)

describe("verification of a log", () => {
  it.effect("reads every event once where nothing is wrong", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* verified(yield* smallLedger), { codes: [], found: [0, 0, 0], reads: 4 })
    })
  )

  it.effect("reads for each rung by itself where the chain, or an event for itself, is broken", () =>
    Effect.gen(function* () {
      const filename = yield* smallLedger
      rawSql(filename, (database) =>
        behindTheTriggers(database, "events", () =>
          database.exec("UPDATE events SET data = replace(data, 'SUCCESS', 'DONE') WHERE position = 4")
        )
      )
      assert.deepStrictEqual(yield* verified(filename), {
        codes: ["CHAIN_BROKEN", "EVENT_INVALID", "ROW_DIFFERS", "ROW_EXTRA"],
        found: [1, 1, 2],
        reads: 12
      })
    })
  )

  it.effect("compares the rows with the fold of that one reading", () =>
    Effect.gen(function* () {
      const filename = yield* smallLedger
      rawSql(filename, (database) =>
        behindTheTriggers(database, "cassette_receipts", () =>
          database.exec("UPDATE cassette_receipts SET outcome = 'FAILURE'")
        )
      )
      assert.deepStrictEqual(yield* verified(filename), {
        codes: ["ROW_DIFFERS"],
        found: [0, 0, 1],
        reads: 4
      })
    })
  )
})
