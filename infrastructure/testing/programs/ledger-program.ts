/**
 * Programs on a ledger that tests and their child processes share: the layer on a file, posts, and a small history
 * with a step in every state. It uses public doors alone, so that a test sees what a host sees.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ledger } from "../../../application/ledger/ledger.ts"
import type { SqliteLedgerOptions } from "../../ledger/opening/ledger-options.ts"
import { sqliteLedgerLayer } from "../../ledger/sqlite-ledger.ts"

/** The ledger on a file, as a host gets it. */
export const ledgerLayer = (options: SqliteLedgerOptions) =>
  Ledger.layerWith().pipe(Layer.provide(sqliteLedgerLayer(options)))

/** Runs a program on the ledger of a file, opened for it alone. */
export const withLedger = <A, E>(options: SqliteLedgerOptions, program: Effect.Effect<A, E, Ledger>) =>
  program.pipe(Effect.provide(ledgerLayer(options)))

/** A post with a key of its own. */
export const post = (run_id: string, n: number) =>
  Ledger.use((ledger) =>
    ledger.postMessage({ run_id, source: "USER", payload: { n }, idempotency_key: `k${n}` })
  )

/** Posts this many messages at once, so that they share commits. */
export const postMany = (run_id: string, count: number) =>
  Effect.all(
    Array.from({ length: count }, (_, n) => post(run_id, n)),
    { concurrency: "unbounded", discard: true }
  )

/** Two runs and a step in every state: committed, leased, requeued and waiting. Ten events. */
export const smallHistory = Ledger.use((ledger) =>
  Effect.gen(function* () {
    const claim = (worker_id: string) => ledger.claimStep({ run_id: "r1", worker_id, ttl_seconds: 86_400 })
    yield* ledger.postMessage({
      run_id: "r1",
      source: "PLANNER",
      payload: { intent: "read", text: "é\u007f\u2028😀" },
      jobs: [
        { intent: "first", steps: [{ n: 1 }, { n: 2 }] },
        { intent: "second", steps: [{ n: 3 }] }
      ]
    })
    yield* post("r1", 1)
    yield* post("r2", 2)
    const first = yield* claim("w1")
    yield* ledger.completeStep({
      run_id: "r1",
      step_id: first.step_id,
      worker_id: "w1",
      fencing_token: first.fencing_token,
      receipt_payload: { ok: true },
      outcome: "SUCCESS"
    })
    const second = yield* claim("w2")
    yield* ledger.requeueStep({
      ...second.lease,
      reason: "given back"
    })
    yield* claim("w3")
    yield* post("r2", 3)
  })
)

/** Makes a closed ledger file with the small history. */
export const makeLedgerFile = (filename: string) => withLedger({ filename }, smallHistory)
