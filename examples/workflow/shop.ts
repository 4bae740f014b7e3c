// Sees one order through: `node shop.ts FOLDER ORDER`. Killed and started again, it goes on where it was.
import { join } from "node:path"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CassetteWorkflowEngine } from "cortex-cassette/workflow"
import { Order, OrderLive } from "./order.ts"
import { Outside } from "./outside.ts"

const [folder = ".", order = "order-1"] = process.argv.slice(2)

const program = Order.execute({ order }).pipe(
  Effect.matchEffect({
    onSuccess: (parcel) => Console.log(`${order} was shipped: ${parcel}`),
    onFailure: (error) => Console.log(error.message)
  })
)

// What a process that died had in hand is taken over when its lease has ended: here after one second.
const engine = CassetteWorkflowEngine.layer({ filename: join(folder, "orders.db"), ttl_seconds: 1 })
const shop = OrderLive.pipe(Layer.provideMerge(engine), Layer.provide(Outside.layer(folder)))

await Effect.runPromise(Effect.provide(program, shop))
