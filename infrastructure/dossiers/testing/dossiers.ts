/**
 * Ledgers with a story, and dossiers of them, for tests: a fixed clock, fixed ids and a fixed key, so that every byte is known. Outside
 * tests nothing may import it.
 */
import { createPrivateKey, createPublicKey, sign } from "node:crypto"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { DossierEvidence, ExportDossier } from "../../../application/dossiers/dossier-request.ts"
import { exportDossier } from "../../../application/dossiers/export-dossier.ts"
import { verifyDossier, verifyDossierWith } from "../../../application/dossiers/verify-dossier.ts"
import type { SigningKey } from "../../../application/foundation/signing.ts"
import { Ledger, type LedgerShape } from "../../../application/ledger/ledger.ts"
import { Checkpoints, type CheckpointsShape } from "../../../application/ledger/proofs/checkpoints.ts"
import { Thoughts, type ThoughtsShape } from "../../../application/ledger/thoughts/thoughts.ts"
import type { TrustFile } from "../../../domain/evidence/trust.ts"
import { bundleFolderLayer } from "../../bundles/bundle-folder.ts"
import { folderDraftLayer } from "../../files/folder-draft.ts"
import { nodeHashingLayer } from "../../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../../keys/ed25519.ts"
import { merkleFileLayer } from "../../ledger/merkle/merkle-file-log.ts"
import { sqliteLedgerLayer } from "../../ledger/sqlite-ledger.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { dossierFolderLayer } from "../dossier-folder.ts"

export const dossierPorts = Layer.mergeAll(
  bundleFolderLayer,
  dossierFolderLayer,
  folderDraftLayer,
  nodeHashingLayer,
  nodeSigningLayer
)

/** An Ed25519 key from 32 bytes (PKCS#8 puts 16 before them). */
const keyOf = (byte: number) => {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, byte)])
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" })
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" })
  const key: SigningKey = {
    publicKey: new Uint8Array(spki.subarray(-32)),
    sign: (message) => Effect.sync(() => new Uint8Array(sign(undefined, message, privateKey)))
  }
  return { key, publicKey: spki.toString("base64") }
}

export const auditor = keyOf(7)
export const stranger = keyOf(9)

/** A trust file that believes a key, called `audit`, for ledgers. */
export const trusting = (...ledgers: ReadonlyArray<string>): TrustFile => ({
  keys: [{ name: "audit", public_key: auditor.publicKey, scope: { ledgers }, enabled: true }]
})

export const signedBy = ({ key }: typeof auditor): DossierEvidence => ({ key, keyName: "audit" })

/** A ledger with its services, on a new file. */
export interface Story {
  readonly ledger: LedgerShape
  readonly thoughts: ThoughtsShape
  readonly checkpoints: CheckpointsShape
  readonly file: string
  readonly folder: string
  readonly trust: TrustFile
}

export const openStory = (
  file = join(temporaryFolder(), "l.db"),
  ledgerId?: string
): Effect.Effect<Story, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const ports = merkleFileLayer(file).pipe(
      Layer.provideMerge(sqliteLedgerLayer({ filename: file, durability: "normal", ledgerId }))
    )
    const built = yield* Layer.build(Ledger.layerFrom(ports))
    const ledger = Context.get(built, Ledger)
    return {
      ledger,
      thoughts: Context.get(built, Thoughts),
      checkpoints: Context.get(built, Checkpoints),
      file,
      folder: temporaryFolder(),
      trust: trusting(ledger.ledgerId ?? "")
    }
  })

export const RUN = "run-a"
export const OTHER_RUN = "run-b"
export const TASK = "task-a"

/** Two runs beside each other: jobs, claims, a renewal, a requeue, completions of each outcome, thoughts. */
export const tellStory = Effect.fnUntraced(function* ({ ledger, thoughts }: Story) {
  yield* TestClock.setTime(Date.UTC(2026, 10, 29, 10))
  const think = (type: "plan" | "decision", content: string, id: string) =>
    thoughts.createThoughtRecord({
      id,
      task_id: TASK,
      agent_id: "w1",
      type,
      content,
      timestamp: "2026-11-29T10:00:00Z"
    })
  const first = yield* ledger.postMessage({
    run_id: RUN,
    source: "USER",
    idempotency_key: "k1",
    payload: { intent: "greet", name: "Ada \u{1f642}", ratio: 0.5 },
    jobs: [
      { intent: "one", steps: [{ say: "a" }, { say: "b" }] },
      { intent: "two", steps: [{ say: "c" }] }
    ]
  })
  yield* think("plan", "First greet, then go.", "t1")
  yield* ledger.postMessage({ run_id: OTHER_RUN, source: "SYSTEM", payload: { intent: "other" } })
  const finish = Effect.fnUntraced(function* (run_id: string, outcome: "SUCCESS" | "FAILURE" | "ABORTED") {
    const { fencing_token, step_id } = yield* ledger.claimStep({ run_id, worker_id: "w1", ttl_seconds: 60 })
    yield* TestClock.adjust(1_000)
    yield* ledger.completeStep({
      run_id,
      step_id,
      worker_id: "w1",
      fencing_token,
      outcome,
      receipt_payload: { outcome }
    })
  })
  yield* finish(RUN, "SUCCESS")
  const slow = yield* ledger.claimStep({ run_id: RUN, worker_id: "w2", ttl_seconds: 60 })
  const lease = { run_id: RUN, step_id: slow.step_id, worker_id: "w2" }
  const renewed = yield* ledger.renewLease({ ...lease, fencing_token: slow.fencing_token, ttl_seconds: 90 })
  yield* finish(OTHER_RUN, "ABORTED")
  yield* ledger.requeueStep({
    ...lease,
    fencing_token: renewed.fencing_token,
    requested_by: "ops",
    reason: "too slow"
  })
  yield* finish(RUN, "FAILURE")
  yield* think("decision", "Enough.", "t2")
  yield* finish(RUN, "SUCCESS")
  yield* ledger.postMessage({ run_id: OTHER_RUN, source: "SYSTEM", payload: { intent: "last" } })
  return first
})

/** Exports from a story's ledger to a new folder, which it answers. */
export const exported = (
  { checkpoints, folder, ledger }: Story,
  name: string,
  request: ExportDossier = { run_id: RUN, tasks: [TASK] },
  evidence = signedBy(auditor)
) =>
  exportDossier(ledger, checkpoints, request, evidence, join(folder, name)).pipe(Effect.provide(dossierPorts))

export const reportAt = (path: string, trust?: TrustFile) =>
  verifyDossier(path, { trust }).pipe(
    Effect.map(({ report }) => report),
    Effect.provide(dossierPorts)
  )

export const reportWith = ({ ledger, trust }: Story, path: string) =>
  verifyDossierWith(ledger, path, { trust }).pipe(
    Effect.map(({ report }) => report),
    Effect.provide(dossierPorts)
  )
