// The example of CassettePersistedQueue in interfaces/workflow/index.ts.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { Ledger } from "cortex-cassette"
import { CassettePersistedQueue } from "cortex-cassette/workflow"

const program = Effect.gen(function* () {
  const mails = yield* PersistedQueue.make({ name: "mails", schema: Schema.Struct({ to: Schema.String }) })
  yield* mails.offer({ to: "Ada" })
  return yield* mails.take(({ to }) => Effect.succeed(`a mail to ${to}`))
})

const queues = PersistedQueue.layer.pipe(
  Layer.provide(CassettePersistedQueue.layerStore()),
  Layer.provide(Ledger.layer({ filename: "queues.db" }))
)
await Effect.runPromise(Effect.provide(program, queues))
