// The example of finished in application/ledger/worker/step-result.ts.
import * as Effect from "effect/Effect"
import { Worker } from "cortex-cassette"

export const worker = Worker.run({ worker_id: "w1", run_id: "orders" }, (step) =>
  Effect.succeed(
    step.payload["cancelled"] === true
      ? Worker.finished("ABORTED", { reason: "the order was cancelled" })
      : { packed: true }
  )
)
