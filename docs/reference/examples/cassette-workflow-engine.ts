// The example of CassetteWorkflowEngine in interfaces/workflow/index.ts.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import { CassetteWorkflowEngine } from "cortex-cassette/workflow"

const Greeting = Workflow.make("Greeting", {
  payload: { name: Schema.String },
  success: Schema.String,
  idempotencyKey: ({ name }) => name
})

const GreetingLive = Greeting.toLayer(({ name }) =>
  Activity.make({ name: "greet", success: Schema.String, execute: Effect.succeed(`Hello, ${name}!`) })
)

const layer = Layer.provideMerge(GreetingLive, CassetteWorkflowEngine.layer({ filename: "flow.db" }))
await Effect.runPromise(Effect.provide(Greeting.execute({ name: "Ada" }), layer))
