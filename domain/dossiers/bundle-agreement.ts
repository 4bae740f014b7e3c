// Whether a bundle is what the events of its job make. The manifest is made again from the events and compared as a whole; what
// each artifact holds is for its receipt to say.
import * as Result from "effect/Result"
import type { Sha256 } from "../canonical/sha256.ts"
import { manifestOf, planBundle } from "../bundles/build.ts"
import type { Manifest } from "../bundles/manifest.ts"
import { messageIdOfJob } from "../ledger/ids.ts"
import type { JobRows } from "./fold.ts"

/** What an artifact must hold: the text that was read, and a line feed where it ended without one. */
export interface ReceiptedText {
  readonly path: string
  readonly bytes_read: number
  readonly payload_hash: string
}

/** What the artifacts of a bundle must hold, or why the bundle is not one of these events. */
export const agreedTexts = (
  sha256: Sha256,
  runId: string,
  manifest: Manifest,
  rows: JobRows | undefined
): Result.Result<ReadonlyArray<ReceiptedText>, string> => {
  const { artifacts, bundle_id, job_id } = manifest
  if (rows === undefined || rows.steps.size === 0) return Result.fail(`there is no event of job ${job_id}`)
  const evidence = {
    run_id: runId,
    job_id,
    message_id: messageIdOfJob(job_id),
    steps: [...rows.steps.values()],
    receipts: rows.receipts
  }
  const plan = planBundle(sha256, evidence, { allowFailures: true })
  if (Result.isFailure(plan)) return Result.fail(plan.failure.message)
  const made = manifestOf(sha256, plan.success, artifacts)
  if (Result.isFailure(made)) return Result.fail(made.failure.message)
  if (made.success.manifest.bundle_id !== bundle_id)
    return Result.fail("its manifest is not what the events make")
  const texts: Array<ReceiptedText> = []
  for (const { artifact_id, bytes_read, payload_hash } of plan.success.readings) {
    const artifact = artifacts.find((held) => held.artifact_id === artifact_id)
    if (artifact === undefined || artifact.bytes - bytes_read < 0 || artifact.bytes - bytes_read > 1) {
      return Result.fail(`artifact ${artifact_id} has not the length that its receipt says`)
    }
    texts.push({ path: artifact.path, bytes_read, payload_hash })
  }
  return Result.succeed(texts)
}
