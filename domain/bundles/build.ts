// From a complete job and what its steps read to the files of a bundle. Pure, so that the same job gives the same bytes
// everywhere; texts are handed over one by one, so that a large bundle is never in memory as a whole. Nothing is
// bundled that contradicts its receipt.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { py, pyText } from "../canonical/py.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { parseStoredJson } from "../canonical/stored-json.ts"
import { utf8ByteLength } from "../canonical/text.ts"
import { ReadReceipt, ReadStep, refOfStep, sliceOfStep } from "../corpus/read-step.ts"
import { parseSlice, sliceText } from "../corpus/slice.ts"
import type { ReceiptRow, StepRow } from "../ledger/rows.ts"
import { ArtifactConflict, JobIncomplete, NotBundleable, ReceiptDrift, StepsFailed } from "./errors.ts"
import { artifactIdOf, bundleIdOf, planHashOf, rootHashOf } from "./hashes.ts"
import { MAX_MANIFEST_BYTES } from "./limits.ts"
import {
  artifactPath,
  BUNDLE_VERSION,
  compareSteps,
  inputsOf,
  kindOf,
  type Manifest,
  type ManifestArtifact,
  type ManifestStep,
  sortedUnique
} from "./manifest.ts"

/** A job as the ledger has it. */
export interface JobEvidence {
  readonly run_id: string
  readonly job_id: string
  readonly message_id: string
  readonly steps: ReadonlyArray<Pick<StepRow, "step_id" | "ordinal" | "status" | "payload_json">>
  readonly receipts: ReadonlyArray<Pick<ReceiptRow, "step_id" | "outcome" | "receipt_json">>
}

/** What one artifact is to be made of; its text lies under the expansion key that these fields name. */
export interface PlannedReading {
  readonly artifact_id: string
  readonly step_id: string
  readonly kind: ManifestArtifact["kind"]
  readonly ref: string
  readonly slice: string
  readonly section_content_hash: string
  readonly payload_hash: string
  readonly bytes_read: number
}

/** Everything of a bundle but the texts. */
export interface BundlePlan {
  readonly run_id: string
  readonly job_id: string
  readonly message_id: string
  readonly steps: ReadonlyArray<ManifestStep>
  /** In order of artifact ids, each once. */
  readonly readings: ReadonlyArray<PlannedReading>
  readonly failed_steps: ReadonlyArray<string>
}

export type PlanRefusal = JobIncomplete | StepsFailed | NotBundleable | ReceiptDrift | ArtifactConflict

const strictly = { onExcessProperty: "error" } as const
const decodeStep = Schema.decodeUnknownResult(ReadStep, strictly)
const decodeReceipt = Schema.decodeUnknownResult(ReadReceipt, strictly)

const parsed = <A>(
  text: string,
  decode: (value: unknown) => Result.Result<A, Schema.SchemaError>
): Result.Result<A, string> => {
  const value = parseStoredJson(text)
  if (Result.isFailure(value)) return Result.fail(value.failure.message)
  return Result.mapError(decode(value.success), ({ message }) => message.replaceAll(/\s*\n\s*/g, " "))
}

/** What forbids a slice in a bundle, or undefined. */
const sliceFault = (text: string): string | undefined => {
  const slice = parseSlice(text)
  if (Result.isFailure(slice)) return slice.failure.message
  const canonical = sliceText(slice.success)
  return canonical === text ? undefined : `its slice must be spelled ${canonical}`
}

const manifestStep = (row: JobEvidence["steps"][number]): Result.Result<ManifestStep, NotBundleable> => {
  const refused = (reason: string) => Result.fail(new NotBundleable({ step_id: row.step_id, reason }))
  const step = parsed(row.payload_json, decodeStep)
  if (Result.isFailure(step)) {
    return refused(`its payload is not that of a READ_SYMBOL or READ_SECTION step (${step.failure})`)
  }
  const fault = sliceFault(sliceOfStep(step.success))
  if (fault !== undefined) return refused(fault)
  const made = { ...step.success, step_id: row.step_id, ordinal: row.ordinal } as ManifestStep
  // At the depth that it will have in the manifest.
  const text = py({ steps: [made] })
  return Result.isFailure(text) ? refused(text.failure.message) : Result.succeed(made)
}

const readingOf = (
  sha256: Sha256,
  step: ManifestStep,
  receiptJson: string
): Result.Result<PlannedReading, NotBundleable | ReceiptDrift> => {
  const { step_id } = step
  const receipt = parsed(receiptJson, decodeReceipt)
  if (Result.isFailure(receipt)) {
    const reason = `its receipt is not that of a step that read (${receipt.failure})`
    return Result.fail(new NotBundleable({ step_id, reason }))
  }
  const said = receipt.success
  const ref = refOfStep(step)
  const slice = sliceOfStep(step)
  const agreed: ReadonlyArray<readonly [string, string | null, string | null]> = [
    ["step_id", said.step_id, step_id],
    ["op", said.op, step.op],
    ["slice", said.slice, slice],
    ["symbol_id", said.symbol_id, step.op === "READ_SYMBOL" ? ref : null],
    ...(step.op === "READ_SECTION" ? [["section_id", said.section_id, ref] as const] : [])
  ]
  for (const [field, stated, found] of agreed) {
    if (stated !== found) {
      return Result.fail(
        new ReceiptDrift({ step_id, field, receipt: String(stated), found: `${String(found)} (in the step)` })
      )
    }
  }
  const { bytes_read, payload_hash, section_content_hash } = said
  const artifact_id = artifactIdOf(sha256, ref, slice)
  const kind = kindOf(step.op)
  return Result.succeed({
    artifact_id,
    step_id,
    kind,
    ref,
    slice,
    section_content_hash,
    payload_hash,
    bytes_read
  })
}

/** The readings by artifact; steps that read the same share one. */
const sharedReadings = (
  readings: ReadonlyArray<PlannedReading>
): Result.Result<ReadonlyArray<PlannedReading>, ArtifactConflict> => {
  const byId = new Map<string, PlannedReading>()
  for (const reading of readings) {
    const first = byId.get(reading.artifact_id)
    if (first === undefined) byId.set(reading.artifact_id, reading)
    else if (
      first.kind !== reading.kind ||
      first.ref !== reading.ref ||
      first.slice !== reading.slice ||
      first.payload_hash !== reading.payload_hash
    ) {
      const step_ids = [first.step_id, reading.step_id]
      return Result.fail(new ArtifactConflict({ artifact_id: reading.artifact_id, step_ids }))
    }
  }
  return Result.succeed([...byId.values()].sort((a, b) => (a.artifact_id < b.artifact_id ? -1 : 1)))
}

const completeness = (job: JobEvidence, receiptCounts: ReadonlyMap<string, number>) => {
  const idsOf = (open: (step: JobEvidence["steps"][number]) => boolean) =>
    job.steps.filter(open).map(({ step_id }) => step_id)
  const open_steps = idsOf(({ status }) => status !== "COMMITTED")
  const unproven_steps = idsOf(({ step_id }) => receiptCounts.get(step_id) !== 1)
  return open_steps.length + unproven_steps.length > 0 || job.steps.length === 0
    ? Result.fail(new JobIncomplete({ job_id: job.job_id, open_steps, unproven_steps }))
    : Result.succeed(undefined)
}

/** What the bundle of a job will hold, or why there can be none. The order of steps and receipts does not matter. */
export const planBundle = (
  sha256: Sha256,
  job: JobEvidence,
  options: { readonly allowFailures: boolean }
): Result.Result<BundlePlan, PlanRefusal> =>
  Result.gen(function* () {
    const counts = new Map<string, number>()
    for (const { step_id } of job.receipts) counts.set(step_id, (counts.get(step_id) ?? 0) + 1)
    yield* completeness(job, counts)
    const receipts = new Map(job.receipts.map((receipt) => [receipt.step_id, receipt]))
    const succeeded = ({ step_id }: { readonly step_id: string }) =>
      receipts.get(step_id)?.outcome === "SUCCESS"
    const failed_steps = sortedUnique(
      job.steps.filter((step) => !succeeded(step)).map(({ step_id }) => step_id)
    )
    if (failed_steps.length > 0 && !options.allowFailures) {
      return yield* Result.fail(new StepsFailed({ job_id: job.job_id, failed_steps }))
    }
    const steps: Array<ManifestStep> = []
    for (const row of job.steps) steps.push(yield* manifestStep(row))
    steps.sort(compareSteps)
    const readings: Array<PlannedReading> = []
    for (const step of steps.filter(succeeded)) {
      readings.push(yield* readingOf(sha256, step, receipts.get(step.step_id)?.receipt_json ?? ""))
    }
    const { job_id, message_id, run_id } = job
    return { run_id, job_id, message_id, steps, readings: yield* sharedReadings(readings), failed_steps }
  })

/** An artifact with its text, from the payload that the reading's expansion holds. */
export const artifactOf = (
  sha256: Sha256,
  reading: PlannedReading,
  payload: string
): Result.Result<
  { readonly artifact: ManifestArtifact; readonly text: string },
  NotBundleable | ReceiptDrift
> => {
  const { artifact_id, bytes_read, kind, payload_hash, ref, slice, step_id } = reading
  const drift = (field: string, receipt: string, found: string) =>
    Result.fail(new ReceiptDrift({ step_id, field, receipt, found }))
  const refused = (reason: string) => Result.fail(new NotBundleable({ step_id, reason }))
  if (!payload.isWellFormed()) return refused("what it read is not well-formed text")
  if (payload.includes("\r")) return refused("what it read holds a carriage return")
  if (payload.startsWith("\ufeff")) return refused("what it read begins with a byte order mark")
  const payloadHash = sha256(payload)
  if (payloadHash !== payload_hash) return drift("payload_hash", payload_hash, payloadHash)
  const payloadBytes = utf8ByteLength(payload)
  if (payloadBytes !== bytes_read) return drift("bytes_read", String(bytes_read), String(payloadBytes))
  const ended = payload.endsWith("\n")
  const text = ended ? payload : `${payload}\n`
  const artifact: ManifestArtifact = {
    artifact_id,
    kind,
    ref,
    slice,
    path: artifactPath(artifact_id),
    sha256: ended ? payloadHash : sha256(text),
    bytes: ended ? payloadBytes : payloadBytes + 1
  }
  return Result.succeed({ artifact, text })
}

/** The manifest of a plan whose artifacts were made, and the text of `bundle.json`. */
export const manifestOf = (
  sha256: Sha256,
  plan: BundlePlan,
  artifacts: ReadonlyArray<ManifestArtifact>
): Result.Result<{ readonly manifest: Manifest; readonly text: string }, NotBundleable> => {
  const { failed_steps, job_id, message_id, run_id, steps } = plan
  const unnamed: Manifest = {
    bundle_version: BUNDLE_VERSION,
    bundle_id: "",
    run_id,
    job_id,
    message_id,
    plan_hash: planHashOf(sha256, run_id, steps),
    steps,
    inputs: inputsOf(steps),
    artifacts,
    hashes: { root_hash: "" },
    provenance: failed_steps.length === 0 ? {} : { failed_steps }
  }
  const manifest: Manifest = {
    ...unnamed,
    bundle_id: bundleIdOf(sha256, unnamed),
    hashes: { root_hash: rootHashOf(sha256, artifacts) }
  }
  const text = `${pyText(manifest)}\n`
  return text.length > MAX_MANIFEST_BYTES
    ? Result.fail(
        new NotBundleable({
          step_id: "",
          reason: `its bundle.json would be over ${MAX_MANIFEST_BYTES} bytes`
        })
      )
    : Result.succeed({ manifest, text })
}
