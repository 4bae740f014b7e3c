// The receipt of a replay: what running the steps of a bundle gave, with nothing but the bundle to run them on. It holds
// no time and no path, so that two replays give the same bytes, and names the receipt before it, so that receipts
// form a chain (docs/spec/bundles.md, "Replay").
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonValue } from "../canonical/json.ts"
import { pyText } from "../canonical/py.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { readJsonBytes } from "../canonical/strict-reader.ts"
import type { Difference } from "./errors.ts"
import { rootHashOf } from "./hashes.ts"
import { type Manifest, refOf } from "./manifest.ts"

const RECEIPT_VERSION = "1.0.0"
const EXECUTOR_VERSION = "1.0.0"

/** Longest receipt that is read (bytes). */
export const MAX_RECEIPT_BYTES = 32 * 1_048_576

const Outcome = Schema.Literals(["SUCCESS", "FAILURE"])

/** What a replay of a bundle comes to: the same for the same bundle, without times and paths. */
export const ReplayReceipt = Schema.Struct({
  receipt_version: Schema.Literal(RECEIPT_VERSION),
  executor_version: Schema.Literal(EXECUTOR_VERSION),
  run_id: Schema.String,
  job_id: Schema.String,
  bundle_id: Schema.String,
  plan_hash: Schema.String,
  outcome: Outcome,
  error: Schema.NullOr(Schema.String),
  steps: Schema.Array(
    Schema.Struct({
      ordinal: Schema.Int,
      step_id: Schema.String,
      op: Schema.Literals(["READ_SYMBOL", "READ_SECTION"]),
      outcome: Outcome,
      result: Schema.NullOr(Schema.Struct({ content_hash: Schema.String, bytes: Schema.Int })),
      error: Schema.NullOr(Schema.String)
    })
  ),
  artifacts: Schema.Array(
    Schema.Struct({ artifact_id: Schema.String, sha256: Schema.String, bytes: Schema.Int })
  ),
  root_hash: Schema.String,
  parent_receipt_hash: Schema.NullOr(Schema.String),
  receipt_hash: Schema.String
})
export type ReplayReceipt = typeof ReplayReceipt.Type

/** What reading one artifact gave. */
export type ReadArtifact = ReplayReceipt["artifacts"][number]

const STEP_FAILED = "the step did not succeed in its job"

const stepsOf = (manifest: Manifest, read: ReadonlyArray<ReadArtifact>): ReplayReceipt["steps"] => {
  const results = new Map(read.map((artifact) => [artifact.artifact_id, artifact]))
  const byReading = new Map(
    manifest.artifacts.map(({ artifact_id, ref, slice }) => [
      JSON.stringify([ref, slice]),
      results.get(artifact_id)
    ])
  )
  const failed = new Set(manifest.provenance.failed_steps)
  return manifest.steps.map((step) => {
    const { op, ordinal, step_id } = step
    const found = failed.has(step_id)
      ? undefined
      : byReading.get(JSON.stringify([refOf(step), step.constraints.slice]))
    return found === undefined
      ? { ordinal, step_id, op, outcome: "FAILURE", result: null, error: STEP_FAILED }
      : {
          ordinal,
          step_id,
          op,
          outcome: "SUCCESS",
          result: { content_hash: found.sha256, bytes: found.bytes },
          error: null
        }
  })
}

/** The hash over the receipt's file as it would be without `receipt_hash`, its line feed included. */
const receiptHashOf = (sha256: Sha256, receipt: Omit<ReplayReceipt, "receipt_hash">): string =>
  sha256(`${pyText(receipt)}\n`)

/** The text of a receipt's file. */
export const receiptText = (receipt: ReplayReceipt): string => `${pyText(receipt)}\n`

/** The receipt of a replay of a verified bundle that read these artifacts. */
export const replayReceipt = (
  sha256: Sha256,
  manifest: Manifest,
  read: ReadonlyArray<ReadArtifact>,
  parentHash: string | null
): ReplayReceipt => {
  const steps = stepsOf(manifest, read)
  const failures = steps.filter(({ outcome }) => outcome === "FAILURE").length
  const unnamed = {
    receipt_version: RECEIPT_VERSION,
    executor_version: EXECUTOR_VERSION,
    run_id: manifest.run_id,
    job_id: manifest.job_id,
    bundle_id: manifest.bundle_id,
    plan_hash: manifest.plan_hash,
    outcome: failures === 0 ? "SUCCESS" : "FAILURE",
    error: failures === 0 ? null : `${failures} of ${steps.length} steps did not succeed in their job`,
    steps,
    artifacts: read,
    root_hash: rootHashOf(sha256, read),
    parent_receipt_hash: parentHash
  } as const
  return { ...unnamed, receipt_hash: receiptHashOf(sha256, unnamed) }
}

const decode = Schema.decodeUnknownResult(ReplayReceipt, { onExcessProperty: "error", errors: "first" })

/** The receipt in a file's bytes, or why they are none; its hash has been recomputed. */
export const parseReceipt = (sha256: Sha256, bytes: Uint8Array): Result.Result<ReplayReceipt, string> => {
  const value = readJsonBytes(bytes, "py/1")
  if (Result.isFailure(value)) return Result.fail(value.failure.message)
  const decoded = decode(value.success)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure.message.replaceAll(/\s*\n\s*/g, " "))
  const { receipt_hash, ...unnamed } = decoded.success
  // A text that is canonical has no bytes beyond ASCII.
  if (bytes.length !== receiptText(decoded.success).length)
    return Result.fail("it is not its own canonical text")
  const computed = receiptHashOf(sha256, unnamed)
  return computed === receipt_hash
    ? Result.succeed(decoded.success)
    : Result.fail(`receipt_hash is not the hash of the receipt, which is ${computed}`)
}

const child = (value: JsonValue | undefined, key: string): JsonValue | undefined => {
  if (Array.isArray(value)) return (value as ReadonlyArray<JsonValue>)[Number(key)]
  return isJsonObject(value) ? value[key] : undefined
}

const keysOf = (value: JsonValue | undefined): ReadonlyArray<string> =>
  typeof value === "object" && value !== null ? Object.keys(value) : []

/** The first place, in the order of the left one, where two receipts are not the same, as a JSON pointer. */
export const firstDifference = (left: ReplayReceipt, right: ReplayReceipt): Difference | undefined => {
  const walk = (
    where: string,
    one: JsonValue | undefined,
    other: JsonValue | undefined
  ): Difference | undefined => {
    const keys = [...new Set([...keysOf(one), ...keysOf(other)])]
    for (const key of keys) {
      const found = walk(`${where}/${key}`, child(one, key), child(other, key))
      if (found !== undefined) return found
    }
    if (keys.length > 0 || one === other) return undefined
    const shown = (value: JsonValue | undefined) => (value === undefined ? null : pyText(value))
    return shown(one) === shown(other) ? undefined : { where, left: shown(one), right: shown(other) }
  }
  return walk("", left as unknown as JsonValue, right as unknown as JsonValue)
}
