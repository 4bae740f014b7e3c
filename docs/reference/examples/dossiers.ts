// The example of Dossiers in interfaces/embedding/dossiers.ts.
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Dossiers, generateKeyFiles, Ledger, loadSigningKey } from "cortex-cassette"

const program = Effect.gen(function* () {
  const ledger = yield* Ledger
  const dossiers = yield* Dossiers
  yield* ledger.postMessage({ run_id: "r1", source: "USER", payload: { intent: "greet" } })
  yield* generateKeyFiles("auditor.pem")
  const key = yield* loadSigningKey("auditor.pem")
  yield* dossiers.export({ run_id: "r1" }, { key }, resolve("evidence"))
  return yield* dossiers.verify(resolve("evidence"))
})

const layer = Layer.provideMerge(Dossiers.layer, Ledger.layer({ filename: "evidence.db" }))
await Effect.runPromise(Effect.provide(program, layer))
