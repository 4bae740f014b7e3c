// The example of Checkpoints in application/ledger/proofs/checkpoints.ts.
import * as Effect from "effect/Effect"
import { Checkpoints, generateKeyFiles, Ledger, loadSigningKey, type TrustFile } from "cortex-cassette"

const program = Effect.gen(function* () {
  const ledger = yield* Ledger
  const checkpoints = yield* Checkpoints
  yield* ledger.postMessage({ run_id: "r1", source: "USER", payload: { intent: "greet" } })
  const { public_key } = yield* generateKeyFiles("audit.pem")
  const { note } = yield* checkpoints.make({ key: yield* loadSigningKey("audit.pem"), keyName: "audit" })
  // Kept elsewhere, the note and the trust file tell later whether the history was rewritten.
  const scope = { ledgers: [ledger.ledgerId ?? ""] }
  const trust: TrustFile = { keys: [{ name: "audit", public_key, scope, enabled: true }] }
  return yield* checkpoints.verify(note, trust)
})

await Effect.runPromise(Effect.provide(program, Ledger.layer({ filename: "signed.db" })))
