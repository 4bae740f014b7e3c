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

export const Order = Workflow.make("Order", {
  payload: { order: Schema.String },
  success: Schema.String,
  error: NotApproved,
  // The same order is the same execution, however often it is asked for.
  idempotencyKey: ({ order }) => order
})

/**
 * Something that the world outside does. Its receipt is written when it has answered. A process that dies in between has its body
 * run again, so the outside gets a key by which it knows what it did already.
 */
const activity = (what: "charge" | "refund" | "ship", order: string) =>
  Activity.make({
    name: what,
    success: Schema.String,
    execute: Effect.gen(function* () {
      const outside = yield* Outside
      return yield* outside.ask(what, order, yield* Activity.idempotencyKey(what))
    })
  })

export const OrderLive = Order.toLayer(({ order }) =>
  Effect.gen(function* () {
    yield* Order.withCompensation(activity("charge", order), () => activity("refund", order))
    const isApproved = yield* DurableDeferred.await(Approval)
    return isApproved ? yield* activity("ship", order) : yield* new NotApproved({ order })
  })
)
