// An order as a durable workflow: the customer is charged, a person approves, the parcel is shipped. If the order comes to
// nothing, the money goes back. The body is plain Effect code. After a crash it runs again from its first line: each activity that
// has a receipt answers at once with what it answered before.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import * as Workflow from "effect/workflow/Workflow"
import { Outside } from "./outside.ts"

export class NotApproved extends Schema.TaggedError<NotApproved>()("NotApproved", { order: Schema.String }) {
  override get message() {
    return `${this.order} was not approved, and its money went back`
  }
}

/** What a person decides; any process that opens the ledger may tell it. */
export const Approval = DurableDeferred.make("approval", { success: Schema.Boolean })

/**
 * Something that the world outside does. Its receipt is written when it has answered. A process that dies in between has its body
 * run again, so the outside gets a key by which it knows what it did already.
 */
const activity = (name: string) => (order: string) =>
  Activity.make({
    name,
    success: Schema.String,
    execute: Effect.gen(function* () {
      const outside = yield* Outside
      return yield* outside.ask(name, order, yield* Activity.idempotencyKey(name))
    })
  })

const charge = activity("charge")
const refund = activity("refund")
const ship = activity("ship")

export const Order = Workflow.make("Order", {
  payload: { order: Schema.String },
  success: Schema.String,
  error: NotApproved,
  idempotencyKey: ({ order }) => order // the same order is the same execution
})

export const OrderLive = Order.toLayer(({ order }) =>
  Effect.gen(function* () {
    yield* Order.withCompensation(charge(order), () => refund(order))
    const isApproved = yield* DurableDeferred.await(Approval)
    return isApproved ? yield* ship(order) : yield* new NotApproved({ order })
  })
)
