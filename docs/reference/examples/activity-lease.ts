// The example of ActivityLease in application/workflow/activities.ts.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { ActivityLease } from "cortex-cassette/workflow"

const execute = Effect.gen(function* () {
  const lease = yield* ActivityLease
  return lease === undefined ? 0 : (yield* lease).fencing_token
})
export const charging = Activity.make({ name: "charge", success: Schema.Number, execute })
