/**
 * A forger with patience: guards dropped and put back, rows and events changed alike, every hash made afresh. What no
 * honest writer would have written is found all the same, and named by its event.
 */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { Ledger } from "../../application/ledger/ledger.ts"
import { makeLedgerFile, post, withLedger } from "../testing/ledger-program.ts"
import { rechain, tamper } from "../testing/tampering.ts"
import { keptFolder, temporaryFolder } from "../testing/temporary-folder.ts"

const sample = keptFolder()
const original = join(sample.folder, "original.db")
beforeAll(() => Effect.runPromise(makeLedgerFile(original)))
afterAll(sample.remove)

const verifyFile = (filename: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => ledger.verifyCassette({ pure: true }))
  )

interface Forgery {
  readonly change: ReadonlyArray<string>
  readonly position: number
  readonly code: string
  readonly message: string
}

const forgeries: Readonly<Record<string, Forgery>> = {
  "a claim out of turn": {
    change: [
      // Event 9 claims the message's last step; the one that was given back goes on waiting.
      `CREATE TEMP TABLE turn AS SELECT step_id, (SELECT step_id FROM cassette_steps WHERE status = 'PENDING' AND run_id = 'r1' AND step_id LIKE substr(leased.step_id, 1, 36) || '0002%') AS other FROM cassette_steps AS leased WHERE event_position = 9`,
      "UPDATE events SET data = json_set(data, '$.step_id', (SELECT other FROM turn), '$.fencing_token', 1) WHERE position = 9",
      "UPDATE cassette_steps SET status = 'LEASED', lease_owner = 'w3', fencing_token = 1, event_position = 9, lease_expires_at = (SELECT lease_expires_at FROM cassette_steps WHERE step_id = (SELECT step_id FROM turn)) WHERE step_id = (SELECT other FROM turn)",
      "UPDATE cassette_steps SET status = 'PENDING', lease_owner = NULL, fencing_token = 1, event_position = 8, lease_expires_at = NULL WHERE step_id = (SELECT step_id FROM turn)"
    ],
    position: 9,
    code: "FOLD_IMPOSSIBLE",
    message: "has waited longer"
  },
  "a lease longer than a day": {
    change: [
      "UPDATE events SET data = json_set(data, '$.lease_expires_at', '2999-01-01T00:00:00.000Z') WHERE position = 9",
      "UPDATE cassette_steps SET lease_expires_at = '2999-01-01T00:00:00.000Z' WHERE event_position = 9"
    ],
    position: 9,
    code: "EVENT_INVALID",
    message: "the lease holds"
  },
  "a creation in another stream": {
    change: ["UPDATE events SET stream_id = 'run:r1' WHERE position = 1"],
    position: 1,
    code: "EVENT_INVALID",
    message: "no stream of such an event"
  },
  "a requeue without a reason": {
    change: ["UPDATE events SET data = json_set(data, '$.reason', '') WHERE position = 8"],
    position: 8,
    code: "EVENT_INVALID",
    message: "the reason"
  },
  "U+0000 in a receipt": {
    change: [
      "UPDATE events SET data = json_set(data, '$.receipt', json('{\"a\":\"\\u0000\"}')) WHERE position = 6",
      'UPDATE cassette_receipts SET receipt_json = \'{"a":"\\u0000"}\''
    ],
    position: 6,
    code: "EVENT_INVALID",
    message: "U+0000"
  }
}

describe("forgeries with valid hashes", () => {
  for (const [name, { change, code, message, position }] of Object.entries(forgeries)) {
    it.effect(`${name} is found and is all that is found`, () =>
      Effect.gen(function* () {
        const filename = join(temporaryFolder(), "forged.db")
        copyFileSync(original, filename)
        tamper(filename, (database: Database.Database) => {
          for (const statement of change) database.exec(statement)
          rechain(database)
        })
        const { findings } = yield* verifyFile(filename)
        assert.deepStrictEqual(
          findings.map((finding) => [finding.code, finding.where]),
          [[code, `event ${position}`]]
        )
        assert.include(findings[0]?.message, message)
      })
    )
  }
})

describe("an honest history at every limit", () => {
  it.effect("has no finding", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "honest.db")
      let deep: unknown = "bottom"
      for (let level = 0; level < 63; level++) deep = [deep]
      yield* withLedger(
        { filename },
        Ledger.use((ledger) =>
          Effect.gen(function* () {
            yield* post("r", 1)
            yield* ledger.postMessage({
              run_id: "r".repeat(256),
              source: "USER",
              payload: { deep: deep as never, slash: "\\\n", text: "x".repeat(1_048_576 - 400) }
            })
            const job = { intent: "", steps: [{ deep: deep as never }] as const }
            yield* ledger.postMessage({ run_id: "s", source: "USER", payload: {}, jobs: [job] })
            const claimed = yield* ledger.claimStep({
              run_id: "r".repeat(256),
              worker_id: "w",
              ttl_seconds: 86_400
            })
            yield* ledger.completeStep({
              run_id: "r".repeat(256),
              step_id: claimed.step_id,
              worker_id: "w",
              fencing_token: 1,
              receipt_payload: { deep: deep as never },
              outcome: "SUCCESS"
            })
          })
        )
      )
      assert.deepStrictEqual((yield* verifyFile(filename)).findings, [])
    })
  )
})
