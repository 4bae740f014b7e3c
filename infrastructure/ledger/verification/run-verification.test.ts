// What verifying one run costs and claims: the same reads however many other runs there are, by indexes alone; damage of
// the run is found, and damage elsewhere is left to the whole verification.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LedgerEvidence } from "../../../application/ledger/verification/ledger-evidence.ts"
import { verify } from "../../../application/ledger/verification/verification.ts"
import { claim, complete, openLedger, post, temporaryFile } from "../../testing/ledgers.ts"
import { nodeHashingLayer } from "../../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../../keys/ed25519.ts"
import { openForReading } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { EvidenceRows } from "../statements/evidence-rows.ts"
import { openLedgerFile } from "../opening/ledger-file.ts"
import { makeSqliteLedgerEvidence } from "../sqlite-ledger-evidence.ts"
import { LEDGER_TABLES } from "../../../domain/ledger/rows.ts"

const SMALL = "run-1"

/** A ledger with one small run of two messages, one done, and so many messages of other runs around it. */
const ledgerWith = (others: number) =>
  Effect.gen(function* () {
    const filename = yield* temporaryFile
    yield* Effect.scoped(
      Effect.gen(function* () {
        const ledger = yield* openLedger({ filename })
        for (let n = 0; n < others; n++) yield* post(ledger, n, `other-${n}`)
        yield* post(ledger, 1, SMALL)
        yield* complete(ledger, yield* claim(ledger))
        for (let n = 0; n < others; n++) yield* post(ledger, n, `more-${n}`)
        yield* post(ledger, 2, SMALL)
      })
    )
    return filename
  })

/** Verifies the small run; gives the verdict and how many rows and events were read. */
const readsOf = (filename: string) =>
  Effect.gen(function* () {
    let reads = 0
    const evidence = makeSqliteLedgerEvidence(yield* openLedgerFile({ filename, mode: "read" }))
    const counted = {
      ...evidence,
      snapshot: Effect.map(evidence.snapshot, (snapshot) => ({
        ...snapshot,
        structure: () => assert.fail("pages are read from the first to the last"),
        eventsAfter: (...range: Parameters<typeof snapshot.eventsAfter>) => {
          const events = snapshot.eventsAfter(...range)
          reads += events.length
          return events
        },
        rows: function* (...of: Parameters<typeof snapshot.rows>) {
          for (const row of snapshot.rows(...of)) {
            reads += 1
            yield row
          }
        }
      }))
    }
    const layer = Layer.mergeAll(Layer.succeed(LedgerEvidence, counted), nodeHashingLayer, nodeSigningLayer)
    const { counts, verdict } = yield* verify({ runId: SMALL, pure: true }).pipe(Effect.provide(layer))
    return { counts, verdict, reads }
  }).pipe(Effect.scoped)

describe("verification of one run", () => {
  it.effect("reads the same rows and events, however many other runs there are", () =>
    Effect.gen(function* () {
      const few = yield* readsOf(yield* ledgerWith(3))
      const many = yield* readsOf(yield* ledgerWith(60))
      assert.strictEqual(few.verdict, "PASS")
      assert.strictEqual(few.counts["events"], 4)
      assert.deepStrictEqual(many, few)
    })
  )

  it.effect("passes where events hold so much text that a page of them ends early", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger({ filename: yield* temporaryFile })
      const text = "t".repeat(900_000)
      for (let n = 0; n < 3; n++) {
        yield* ledger.postMessage({ run_id: SMALL, source: "USER", payload: { n, steps: [{ text }] } })
      }
      const { findings } = yield* ledger.verifyCassette({ runId: SMALL, pure: true })
      assert.deepStrictEqual(findings, [])
    })
  )

  it.effect("reaches every row by an index or a key", () =>
    Effect.gen(function* () {
      const filename = yield* ledgerWith(3)
      const connection = openForReading(filename)
      const texts = new Set<string>()
      const listening: SqlHost = {
        ...connection,
        all: (sql, parameters) => {
          texts.add(sql)
          return connection.all(sql, parameters)
        }
      }
      const rows = new EvidenceRows(listening, filename)
      const read = LEDGER_TABLES.map((table) => [...rows.rows(table, SMALL)].length)
      const events = rows.eventsAfter({ after: 0, limit: 100, stream_id: `run:${SMALL}` })
      assert.deepStrictEqual([events.length, ...read], [4, 0, 2, 2, 2, 1, 0])
      assert.isAbove(texts.size, 5)
      for (const sql of texts) {
        const holes = Array.from({ length: sql.split("?").length - 1 }, () => null)
        const plan = connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, holes)
        for (const { detail } of plan) assert.notMatch(detail, /^SCAN (?!\(subquery)/, sql)
      }
      connection.close()
    })
  )
})
