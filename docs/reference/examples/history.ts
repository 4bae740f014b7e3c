// The example of History in interfaces/embedding/history.ts.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { History, Ledger } from "cortex-cassette"

const program = Effect.gen(function* () {
  const ledger = yield* Ledger
  const history = yield* History
  const { message_id } = yield* ledger.postMessage({ run_id: "r1", source: "USER", payload: { n: 1 } })
  const entries = yield* Stream.runCollect(history.timeline({ run_id: "r1" }))
  return { entries, message: yield* history.show(message_id) }
})

const layer = Layer.provideMerge(History.layer, Ledger.layer({ filename: "history.db" }))
await Effect.runPromise(Effect.provide(program, layer))
