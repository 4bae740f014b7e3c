// Ledgers in memory for the tests of the application, and what such tests do again and again. Every ledger ends with the test's
// scope. It knows no database.

import { createHash, hash, randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Claimed, Posted } from "../../../domain/ledger/decide.ts"
import { Hashing } from "../../foundation/hashing.ts"
import { Signing } from "../../foundation/signing.ts"
import { RandomIds } from "../thoughts/random-ids.ts"
import { Thoughts, type ThoughtsShape } from "../thoughts/thoughts.ts"
import { Ledger, type LedgerShape } from "../ledger.ts"
import { memoryPorts } from "../memory/memory-ports.ts"

/** Hashes and random ids as a host brings them, and signatures that no test of these believes. */
export const host = Layer.mergeAll(
  Layer.succeed(Hashing, {
    sha256: (text) => hash("sha256", text, "hex"),
    sha256OfBytes: (bytes) => hash("sha256", bytes, "hex"),
    sha256Stream: () => {
      const state = createHash("sha256")
      return { update: (text) => void state.update(text, "utf8"), digest: () => state.digest("hex") }
    }
  }),
  Layer.succeed(RandomIds, { uuid: randomUUID }),
  Layer.succeed(Signing, {
    sha256: (bytes) => createHash("sha256").update(bytes).digest(),
    verify: () => false
  })
)

/** A ledger in memory for the rest of the scope, and its thoughts. */
export const openServices: Effect.Effect<
  { readonly ledger: LedgerShape; readonly thoughts: ThoughtsShape },
  never,
  Scope.Scope
> = Thoughts.layerNoDeps.pipe(
  Layer.provideMerge(Ledger.layerNoDeps),
  Layer.provide(memoryPorts),
  Layer.provide(host),
  Layer.build,
  Effect.map((built) => ({ ledger: Context.get(built, Ledger), thoughts: Context.get(built, Thoughts) })),
  Effect.orDie
)

/** A ledger in memory for the rest of the scope. */
export const openLedger: Effect.Effect<LedgerShape, never, Scope.Scope> = Effect.map(
  openServices,
  ({ ledger }) => ledger
)

export const run = "run-1"

/** Posts a plain message to the run. */
export const post = (ledger: LedgerShape, n = 1, runId = run): Effect.Effect<Posted> =>
  Effect.orDie(ledger.postMessage({ run_id: runId, source: "USER", payload: { intent: "work", n } }))

/** Claims the run's next step. */
export const claim = (
  ledger: LedgerShape,
  worker_id = "worker-1",
  ttl_seconds = 300
): Effect.Effect<Claimed> => Effect.orDie(ledger.claimStep({ run_id: run, worker_id, ttl_seconds }))

/** Completes a claimed step as its worker. */
export const complete = (ledger: LedgerShape, claimed: Claimed, worker_id = "worker-1") =>
  ledger.completeStep({
    run_id: run,
    step_id: claimed.step_id,
    worker_id,
    fencing_token: claimed.fencing_token,
    receipt_payload: { done: claimed.ordinal },
    outcome: "SUCCESS"
  })

/** The code of every finding of a full verification without a clock. */
export const findingCodesOf = (ledger: LedgerShape) =>
  Effect.map(ledger.verifyCassette({ pure: true }), (report) => report.findings.map(({ code }) => code))
