// The ways in which building, comparing and packing bundles is refused, as tagged data that carries what is needed to
// act. A bundle that does not verify is a report and not an error; see finding.ts.
import * as Schema from "effect/Schema"
import type { TargetExists } from "../foundation/root-files.ts"
import type { JobNotFound } from "../ledger/errors.ts"

/** Most ids that one error lists. */
const SHOWN = 5

const shown = (ids: ReadonlyArray<string>): string =>
  ids.length > SHOWN ? `${ids.slice(0, SHOWN).join(", ")} and ${ids.length - SHOWN} more` : ids.join(", ")

/** Work is left to do, or the evidence of work that was done is not there. */
export class JobIncomplete extends Schema.TaggedError<JobIncomplete>()("JobIncomplete", {
  job_id: Schema.String,
  /** Steps that are not COMMITTED. */
  open_steps: Schema.Array(Schema.String),
  /** Steps that have not exactly one receipt. */
  unproven_steps: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.open_steps.length > 0
      ? `Job ${this.job_id} is not complete: ${this.open_steps.length} step(s) not COMMITTED (${shown(this.open_steps)}); work them first`
      : `Job ${this.job_id} cannot be proven: ${this.unproven_steps.length} step(s) without exactly one receipt (${shown(this.unproven_steps)}); run cortex cassette verify`
  }
}

/** Steps ended in FAILURE or ABORTED, and the call did not say that a bundle may leave them out. */
export class StepsFailed extends Schema.TaggedError<StepsFailed>()("StepsFailed", {
  job_id: Schema.String,
  failed_steps: Schema.Array(Schema.String)
}) {
  override get message() {
    return `${this.failed_steps.length} step(s) of job ${this.job_id} did not succeed (${shown(this.failed_steps)}): allow failures to bundle the others`
  }
}

/** The step, its receipt or its text has no place in a bundle. */
export class NotBundleable extends Schema.TaggedError<NotBundleable>()("NotBundleable", {
  /** "" when it is the bundle as a whole. */
  step_id: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return this.step_id === ""
      ? `No bundle: ${this.reason}`
      : `Step ${this.step_id} is not for a bundle: ${this.reason}`
  }
}

/** The receipt and what is kept of the reading contradict each other. */
export class ReceiptDrift extends Schema.TaggedError<ReceiptDrift>()("ReceiptDrift", {
  step_id: Schema.String,
  field: Schema.String,
  receipt: Schema.String,
  found: Schema.String
}) {
  override get message() {
    return `The receipt of step ${this.step_id} says ${this.field} ${this.receipt}, found is ${this.found}: one of the two was changed, nothing is bundled from them`
  }
}

/** What the step read is not kept any more. */
export class ExpansionMissing extends Schema.TaggedError<ExpansionMissing>()("ExpansionMissing", {
  step_id: Schema.String,
  ref: Schema.String,
  slice: Schema.String,
  section_content_hash: Schema.String
}) {
  override get message() {
    return `What step ${this.step_id} read (${this.ref} ${this.slice}) is not in the expansion cache: use the root folder and cache that the worker used`
  }
}

/** Two steps read the same slice of the same reference and got different texts, so that one artifact cannot hold both. */
export class ArtifactConflict extends Schema.TaggedError<ArtifactConflict>()("ArtifactConflict", {
  artifact_id: Schema.String,
  step_ids: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Steps ${this.step_ids.join(" and ")} read different texts under one artifact ${this.artifact_id}: the source changed while the job ran, plan it again`
  }
}

/** A file of a bundle is not any more what it was when the bundle was verified. */
export class BundleChanged extends Schema.TaggedError<BundleChanged>()("BundleChanged", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path} changed after the bundle had been verified (${this.reason}): nothing was made from it, verify it again`
  }
}

/** The file is no archive that `bundle pack` could have written. */
export class NotABundleArchive extends Schema.TaggedError<NotABundleArchive>()("NotABundleArchive", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not a packed bundle: ${this.reason}`
  }
}

/** The file is no receipt of a replay. */
export class NotAReplayReceipt extends Schema.TaggedError<NotAReplayReceipt>()("NotAReplayReceipt", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not a replay receipt: ${this.reason}`
  }
}

/** One difference between two documents: a JSON pointer or a path, and what stands there on either side. */
export const Difference = Schema.Struct({
  where: Schema.String,
  left: Schema.NullOr(Schema.String),
  right: Schema.NullOr(Schema.String)
})
export type Difference = typeof Difference.Type

/** Two bundles, or two receipts, are not the same. */
export class Different extends Schema.TaggedError<Different>()("Different", {
  verdict: Schema.Literal("DIFFERENT"),
  differences: Schema.Array(Difference)
}) {
  override get message() {
    const [first] = this.differences
    const where = first === undefined || first.where === "" ? "" : `, the first at ${first.where}`
    return `${this.differences.length} difference(s)${where}`
  }
}

/** What working with bundles refuses, beside what ledger, cache and disk do. */
export type BundleRefusal =
  | JobNotFound
  | JobIncomplete
  | StepsFailed
  | NotBundleable
  | ReceiptDrift
  | ExpansionMissing
  | ArtifactConflict
  | TargetExists
  | BundleChanged
  | NotABundleArchive
  | NotAReplayReceipt
  | Different
