// A person decides on an order: `node approve.ts FOLDER ORDER yes|no`. No other process needs to run: the decision waits in the
// ledger.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import { CassetteWorkflowEngine } from "cortex-cassette/workflow"
import { Approval, Order } from "./order.ts"

const [folder = ".", order = "order-1", answer = "yes"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const token = yield* DurableDeferred.tokenFromPayload(Approval, { workflow: Order, payload: { order } })
  yield* DurableDeferred.succeed(Approval, { token, value: answer === "yes" })
})

await Effect.runPromise(
  Effect.provide(program, CassetteWorkflowEngine.layer({ filename: join(folder, "orders.db") }))
)
