// Builds the bundle of a complete job: rows from the ledger, texts from the expansion cache, one after the other, so that
// memory holds one text at a time. Everything is held against the receipts before it is written, and the target appears
// as a whole or not at all.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  artifactOf,
  type BundlePlan,
  manifestOf,
  planBundle,
  type PlanRefusal,
  type PlannedReading
} from "../../domain/bundles/build.ts"
import { ExpansionMissing, NotBundleable } from "../../domain/bundles/errors.ts"
import { type TargetExists } from "../../domain/foundation/root-files.ts"
import { MAX_BUNDLE_BYTES } from "../../domain/bundles/limits.ts"
import { ARTIFACT_FOLDER, type ManifestArtifact, MANIFEST_NAME } from "../../domain/bundles/manifest.ts"
import { Identifier } from "../../domain/canonical/text.ts"
import type { ExpansionCacheError } from "../../domain/corpus/expansion-errors.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { JobNotFound, StoreCorrupt } from "../../domain/ledger/errors.ts"
import type { PageOptions } from "../../domain/foundation/page.ts"
import { ExpansionCache } from "../corpus/expansion-cache.ts"
import { Hashing } from "../foundation/hashing.ts"
import { decodeInput } from "../foundation/input.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import { Ledger, type LedgerShape } from "../ledger/ledger.ts"
import { Progress } from "../foundation/progress.ts"
import { rowPages } from "../ledger/reading/row-pages.ts"
import { type FolderDraft, FolderTarget, type TargetFailure } from "../foundation/folder-target.ts"
import { traced } from "../foundation/telemetry.ts"

/** Which job to bundle; `allow_failures` leaves out what steps that did not succeed would have read. */
export const BuildBundle = Schema.Struct({
  run_id: Identifier,
  job_id: Identifier,
  allow_failures: Schema.optional(Schema.Boolean)
})
export type BuildBundle = typeof BuildBundle.Type

/** A bundle that stands at its target; `created` is false when the same stood there already. */
export interface BuiltBundle {
  readonly bundle_id: string
  readonly run_id: string
  readonly job_id: string
  readonly plan_hash: string
  readonly root_hash: string
  readonly path: string
  readonly created: boolean
  readonly failed_steps: ReadonlyArray<string>
  readonly counts: { readonly steps: number; readonly artifacts: number; readonly bytes: number }
}

/** Every way building can fail; the target is left as it was. */
export type BuildError =
  | InvalidInput
  | JobNotFound
  | PlanRefusal
  | ExpansionMissing
  | TargetExists
  | TargetFailure
  | ReadError
  | ExpansionCacheError

const decode = decodeInput(BuildBundle, Result.succeed)

/** Artifacts that are written before others get their turn. */
const TURN = 64

/** All rows of a paged query. */
const allRows = <Row, E>(
  query: (page: PageOptions) => Effect.Effect<ReadonlyArray<Row>, E>,
  idOf: (row: Row) => string
) =>
  Stream.runCollect(
    rowPages({
      page: (last: Row | undefined) => query(last === undefined ? {} : { after: idOf(last) }),
      placeOf: (row) => [idOf(row)],
      nameOf: idOf
    })
  )

const evidenceOf = Effect.fnUntraced(function* (ledger: LedgerShape, { job_id, run_id }: BuildBundle) {
  const { fault } = ledger
  if (fault !== undefined) {
    const { code, message, where } = fault
    return yield* Effect.fail(new StoreCorrupt({ code, where, finding: message }))
  }
  const status = yield* ledger.jobStatus(job_id)
  const message_id = status?.job.message_id ?? ""
  const message = status === undefined ? undefined : yield* ledger.message(message_id)
  if (message?.run_id !== run_id) return yield* Effect.fail(new JobNotFound({ run_id, job_id }))
  const steps = yield* allRows(
    (page) => ledger.steps({ job_id }, page),
    ({ step_id }) => step_id
  )
  const receipts = yield* allRows(
    (page) => ledger.receipts({ job_id }, page),
    ({ receipt_id }) => receipt_id
  )
  return { run_id, job_id, message_id, steps, receipts }
})

const writeArtifact = Effect.fnUntraced(function* (
  draft: FolderDraft,
  run_id: string,
  reading: PlannedReading
) {
  const { sha256 } = yield* Hashing
  const cache = yield* ExpansionCache
  const { ref, section_content_hash, slice, step_id } = reading
  const expansion = yield* cache.lookup({ run_id, symbol_id: ref, slice, section_content_hash })
  if (expansion === undefined) {
    return yield* Effect.fail(new ExpansionMissing({ step_id, ref, slice, section_content_hash }))
  }
  const { artifact, text } = yield* Effect.fromResult(artifactOf(sha256, reading, expansion.payload))
  yield* draft.write(artifact.path, text)
  return artifact
})

const writeBundle = Effect.fnUntraced(function* (draft: FolderDraft, plan: BundlePlan) {
  const { sha256 } = yield* Hashing
  const artifacts: Array<ManifestArtifact> = []
  let bytes = 0
  const report = yield* Progress
  for (const reading of plan.readings) {
    const artifact = yield* writeArtifact(draft, plan.run_id, reading)
    artifacts.push(artifact)
    bytes += artifact.bytes
    if (bytes > MAX_BUNDLE_BYTES) {
      const reason = `its artifacts would be over ${MAX_BUNDLE_BYTES} bytes`
      return yield* Effect.fail(new NotBundleable({ step_id: "", reason }))
    }
    report(`artifact ${artifacts.length} of ${plan.readings.length}`)
    if (artifacts.length % TURN === 0) yield* Effect.yieldNow
  }
  const { manifest, text } = yield* Effect.fromResult(manifestOf(sha256, plan, artifacts))
  yield* draft.write(MANIFEST_NAME, text)
  return { manifest, bytes }
})

/** Builds the bundle of a job into an absolute path. */
export const buildBundle = traced("cassette.bundle.build")(function* (
  request: BuildBundle,
  path: string
): Effect.fn.Return<BuiltBundle, BuildError, Ledger | ExpansionCache | Hashing | FolderTarget> {
  const { sha256 } = yield* Hashing
  const decoded = yield* Effect.fromResult(decode(request))
  const report = yield* Progress
  report("its steps and receipts")
  const evidence = yield* evidenceOf(yield* Ledger, decoded)
  const allowFailures = decoded.allow_failures ?? false
  const plan = yield* Effect.fromResult(planBundle(sha256, evidence, { allowFailures }))
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const draft = yield* FolderTarget.use((target) => target.begin(path, { folders: [ARTIFACT_FOLDER] }))
      const { bytes, manifest } = yield* writeBundle(draft, plan)
      const how = yield* draft.finish
      const { artifacts, bundle_id, hashes, job_id, plan_hash, run_id, steps } = manifest
      const counts = { steps: steps.length, artifacts: artifacts.length, bytes }
      const { failed_steps } = plan
      const { root_hash } = hashes
      return {
        bundle_id,
        run_id,
        job_id,
        plan_hash,
        root_hash,
        path,
        created: how === "created",
        failed_steps,
        counts
      }
    })
  )
})
