// The ledger that the tampering campaigns change, and how a changed one is judged: a small honest history with every
// kind of event, made through public doors with a clock of its own, and verification over bytes in memory, which
// costs a fraction of a file. Nothing here changes anything; that is the campaigns' work.

import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { LedgerEvidence } from "../../../application/ledger/verification/ledger-evidence.ts"
import { openServices } from "../../../infrastructure/testing/ledgers.ts"
import { makeManualClock, withClock } from "../../../interfaces/test-kit/manual-clock.ts"
import { verify, type VerificationOptions } from "../../../application/ledger/verification/verification.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import type { VerificationReport } from "../../../domain/ledger/verification.ts"
import { nodeHashingLayer } from "../../../infrastructure/hashing/node-hashing.ts"
import { nodeSigningLayer } from "../../../infrastructure/keys/ed25519.ts"
import { type LedgerFile, openLedgerFile } from "../../../infrastructure/ledger/opening/ledger-file.ts"
import { insertEvent } from "../../../infrastructure/ledger/statements/compiled/ledger-statements.ts"
import { LEDGER_VERSIONS, schemaSteps } from "../../../infrastructure/ledger/opening/schema-snapshots.ts"
import { makeSqliteLedgerEvidence } from "../../../infrastructure/ledger/sqlite-ledger-evidence.ts"
import { openBytes } from "../../../infrastructure/sqlite/connection/better-sqlite3-host.ts"
import { applySteps } from "../../../infrastructure/sqlite/checks/schema-steps.ts"
import { withoutLog } from "../../../infrastructure/testing/disarmed-ledger.ts"
import { START } from "../ledger-system.ts"

/** The id of every ledger here, so that histories differ in nothing but what is done to them. */
export const LEDGER_ID = "campaign"

const run_id = "run-a"
const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

/**
 * Messages, one of several jobs and one with its claim; claims; an ending of each kind; requeues of each cause; renewals of
 * leases that end in each way; thoughts of two tasks.
 */
export const campaignHistory = (filename: string) => {
  const clock = makeManualClock(START)
  const program = Effect.gen(function* () {
    const { ledger, thoughts } = yield* openServices({ filename, durability: "normal", ledgerId: LEDGER_ID })
    const claim = (worker_id: string) => ledger.claimStep({ run_id, worker_id, ttl_seconds: 60 })
    const think = (task_id: string, id: string) =>
      thoughts.createThoughtRecord({
        id,
        task_id,
        agent_id: "agent",
        type: "plan",
        content: `what ${id} thinks: é\u{1f600}\ufffd`,
        timestamp: "2026-04-17T00:00:00Z"
      })
    const finish = (worker_id: string, outcome: "SUCCESS" | "FAILURE") =>
      Effect.gen(function* () {
        const { fencing_token, step_id } = yield* claim(worker_id)
        yield* ledger.completeStep({
          run_id,
          step_id,
          worker_id,
          fencing_token,
          receipt_payload: { done: worker_id, lost: "\ufffd" },
          outcome,
          traceparent
        })
      })
    yield* ledger.postMessage({
      run_id,
      source: "PLANNER",
      idempotency_key: "Plan-1",
      payload: { intent: "read", text: "é\u007f\u2028😀" },
      jobs: [
        { intent: "First", steps: [{ n: 1 }, { n: 2 }] },
        { intent: "Second", steps: [{ n: 3 }] }
      ]
    })
    yield* think("task-a", "Thought-1")
    yield* think("task-b", "Thought-2")
    yield* finish("Worker-1", "SUCCESS")
    const released = yield* claim("Worker-2")
    const again = yield* ledger.renewLease({ ...released.lease, ttl_seconds: 60 })
    yield* ledger.requeueStep({
      ...again.lease,
      reason: "given back"
    })
    yield* think("task-a", "Thought-3")
    const expired = yield* claim("Worker-3")
    clock.set(START + 61_000)
    yield* ledger.requeueStep({ run_id, step_id: expired.step_id, reason: "its lease has ended" })
    clock.set(START + 1_000)
    const forced = yield* claim("Worker-4")
    yield* ledger.requeueStep({ run_id, step_id: forced.step_id, reason: "stuck", force: true })
    yield* finish("Worker-5", "FAILURE")
    yield* ledger.postMessage({ run_id, source: "USER", payload: { intent: "more \ufffd" } })
    const last = yield* claim("Worker-6")
    yield* ledger.renewLease({ ...last.lease, ttl_seconds: 90 })
    yield* ledger.postMessage({
      run_id,
      source: "USER",
      payload: { intent: "claimed" },
      traceparent,
      claim: { worker_id: "Worker-7", ttl_seconds: 60 }
    })
    yield* think("task-b", "Thought-4")
  })
  return Effect.runPromise(withClock(clock)(Effect.scoped(program)))
}

/** The events of a closed file. */
export const eventsIn = (filename: string): ReadonlyArray<EventEnvelope> => {
  const connection = openBytes(withoutLog(readFileSync(filename)))
  try {
    return connection.all<EventEnvelope>("SELECT * FROM events ORDER BY position")
  } finally {
    connection.close()
  }
}

/** A database of the newest version with these events put in, as a rebuilt one has them. */
export const ledgerOf = (events: ReadonlyArray<EventEnvelope>): Buffer => {
  const connection = openBytes(Buffer.alloc(0))
  try {
    connection.pragma("foreign_keys = ON")
    connection.transaction(() => {
      applySteps(connection, LEDGER_VERSIONS, schemaSteps(), 0)
      for (const event of events) insertEvent.run(connection, event)
    })
    return Buffer.from(connection.serialize())
  } finally {
    connection.close()
  }
}

/** The campaign's ledger with what judges changes of it; `close` removes it from the disk. */
export interface CampaignLedger {
  readonly filename: string
  /** The ledger's bytes, which a database in memory can be opened from. */
  readonly bytes: Buffer
  readonly events: ReadonlyArray<EventEnvelope>
  /** Verifies a database of these bytes, without a clock. */
  readonly verify: (bytes: Buffer, options?: VerificationOptions) => Promise<VerificationReport>
  /** A path in the campaign's folder. */
  readonly path: (name: string) => string
  readonly close: () => Promise<void>
}

const verifyBytes =
  (file: LedgerFile) =>
  (bytes: Buffer, options: VerificationOptions = {}) => {
    const evidence = makeSqliteLedgerEvidence({ ...file, openSnapshot: () => openBytes(Buffer.from(bytes)) })
    return verify({ pure: true, ...options }).pipe(
      Effect.provideService(LedgerEvidence, evidence),
      Effect.provide(Layer.merge(nodeHashingLayer, nodeSigningLayer)),
      Effect.runPromise
    )
  }

/** Makes the campaign's ledger. */
export const makeCampaignLedger = async (): Promise<CampaignLedger> => {
  const folder = mkdtempSync(join(tmpdir(), "cassette-campaign-"))
  const path = (name: string): string => join(folder, name)
  const filename = path("original.db")
  await campaignHistory(filename)
  const scope = Scope.makeUnsafe()
  // A database in memory is what verification is told of; what it reads are the bytes of each change.
  const file = await openLedgerFile({ filename: ":memory:" }).pipe(
    Effect.provideService(Scope.Scope, scope),
    Effect.runPromise
  )
  return {
    filename,
    bytes: withoutLog(readFileSync(filename)),
    events: eventsIn(filename),
    verify: verifyBytes(file),
    path,
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
