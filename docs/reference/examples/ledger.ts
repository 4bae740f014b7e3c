// The example of Ledger in interfaces/embedding/ledger.ts.
import * as Effect from "effect/Effect"
import { Ledger } from "cortex-cassette"

const program = Effect.gen(function* () {
  const ledger = yield* Ledger
  yield* ledger.postMessage({ run_id: "mails", source: "USER", payload: { to: "Ada" } })
  const step = yield* ledger.claimStep({ run_id: "mails", worker_id: "w1", wait: "30 seconds" })
  yield* ledger.completeStep({ ...step.lease, receipt_payload: { sent: true }, outcome: "SUCCESS" })
  return yield* ledger.verifyCassette()
})

await Effect.runPromise(Effect.provide(program, Ledger.layer({ filename: "work.db" })))
