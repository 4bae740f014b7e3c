// The example of run in application/ledger/worker/worker.ts.
import * as Effect from "effect/Effect"
import { Ledger, Worker } from "cortex-cassette"

const options = { worker_id: "mailer-1", run_id: "mails", concurrency: 4, untilEmpty: true }
const program = Worker.run(options, (step) => Effect.succeed({ sent_to: step.payload["to"] ?? null }))

await Effect.runPromise(Effect.provide(program, Ledger.layer({ filename: "work.db" })))
