// What callers may ask of the ledger, as Schemas that are decoded strictly, and the prepared form that the
// pipeline works on: payloads as canonical text, defaults filled in, limits checked. Preparing happens outside
// the database's lock; a prepared command can no longer be changed by the caller.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { jcs, jcsText } from "../canonical/jcs.ts"
import type { JsonObject, JsonValue } from "../canonical/json.ts"
import { Identifier, textOfAtMost, utf8ByteLength } from "../canonical/text.ts"
import { Traceparent } from "../canonical/traceparent.ts"
import { invalidAt, type InvalidInput } from "../foundation/errors.ts"
import { intentOf } from "./evolve.ts"
import { isJobId, JOB_ID_FORM } from "./ids.ts"
import { JsonObjectSchema, OutcomeSchema, SourceSchema } from "./events.ts"
import {
  DEFAULT_TTL_SECONDS,
  MAX_EVENT_BYTES,
  MAX_JOBS_PER_MESSAGE,
  MAX_PAYLOAD_BYTES,
  MAX_STEPS_PER_MESSAGE,
  MAX_TEXT_BYTES,
  MAX_TTL_SECONDS,
  MIN_TTL_SECONDS
} from "./limits.ts"
import { type Outcome, OUTCOMES, type Source, SOURCES } from "./rows.ts"

/** Free text of a bounded length. */
export const Text = textOfAtMost(MAX_TEXT_BYTES)

/** Why something was done: text that is not blank. */
export const Reason = Text.check(
  Schema.makeFilter((text: string) => text.trim() !== "", {
    expected: "a reason",
    toJsonSchema: () => ({ minLength: 1 })
  })
)

export const JobId = Schema.String.check(
  Schema.makeFilter(isJobId, {
    expected: "a job id as post answers it",
    toJsonSchema: () => ({ pattern: JOB_ID_FORM })
  })
)

/** Any whole number: one that no lease ever has is refused as every other wrong token is, and not as malformed. */
export const FencingToken = Schema.Int

export const TtlSeconds = Schema.Int.check(
  Schema.isBetween(
    { minimum: MIN_TTL_SECONDS, maximum: MAX_TTL_SECONDS },
    { expected: `whole seconds from ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS}` }
  )
)

/** The lease of one step: what every command on a leased step names. */
export const Lease = Schema.Struct({
  run_id: Identifier,
  worker_id: Identifier,
  step_id: Identifier,
  fencing_token: FencingToken
})
export type Lease = typeof Lease.Type

/** What a claim is asked for beside its scope: who claims, and for how many seconds (300 by default). */
const claimFields = { worker_id: Identifier, ttl_seconds: Schema.optional(TtlSeconds) }

/** The W3C `traceparent` of the span that records; it is kept in the event's data alone. */
const traceFields = { traceparent: Schema.optional(Traceparent) }

/**
 * Posts a message; the same (run_id, idempotency_key) with the same content answers the same ids. With `claim` the first step
 * is leased in the same transaction.
 */
export const PostMessage = Schema.Struct({
  run_id: Identifier,
  source: SourceSchema.annotate({ message: `Invalid source: use ${SOURCES.join(", ")}` }),
  payload: JsonObjectSchema,
  idempotency_key: Schema.optional(Schema.NullOr(Identifier)),
  jobs: Schema.optional(
    Schema.NonEmptyArray(Schema.Struct({ intent: Text, steps: Schema.NonEmptyArray(JsonObjectSchema) }))
  ),
  claim: Schema.optional(Schema.Struct(claimFields)),
  ...traceFields
})
export type PostMessage = typeof PostMessage.Type

/** Claims the oldest waiting step of a run, or of one of its jobs, for `ttl_seconds`. */
export const ClaimStep = Schema.Struct({
  run_id: Identifier,
  job_id: Schema.optional(JobId),
  ...claimFields,
  ...traceFields
})
export type ClaimStep = typeof ClaimStep.Type

/**
 * Claims the oldest waiting step of the next run that has one: in the order of run ids, behind `after_run`, and from the first
 * run on when none is left behind it. `prefix` narrows to runs whose id begins with it.
 */
export const ClaimAny = Schema.Struct({
  after_run: Schema.optional(Identifier),
  prefix: Schema.optional(Identifier),
  ...claimFields,
  ...traceFields
})
export type ClaimAny = typeof ClaimAny.Type

/** Finishes a leased step with its receipt. */
export const CompleteStep = Schema.Struct({
  ...Lease.fields,
  receipt_payload: JsonObjectSchema,
  outcome: OutcomeSchema.annotate({ message: `Invalid outcome: use ${OUTCOMES.join(", ")}` }),
  ...traceFields
})
export type CompleteStep = typeof CompleteStep.Type

/** Ends a lease that still runs and gives its worker a new one of the same step, with the next token. */
export const RenewLease = Schema.Struct({ ...Lease.fields, ttl_seconds: Schema.optional(TtlSeconds) })
export type RenewLease = typeof RenewLease.Type

/**
 * Lets a leased step wait again: after its lease has ended, by its owner, who names the lease's worker and token, or by
 * force.
 */
export const RequeueStep = Schema.Struct({
  run_id: Identifier,
  step_id: Identifier,
  reason: Reason,
  requested_by: Schema.optional(Identifier),
  worker_id: Schema.optional(Identifier),
  fencing_token: Schema.optional(FencingToken),
  force: Schema.optional(Schema.Boolean)
})
export type RequeueStep = typeof RequeueStep.Type

/**
 * What a claim answers beside its `lease`. No command takes these: spread the `lease`, not the whole answer, or the call does
 * not compile.
 */
export interface NoClaimFields {
  readonly payload?: never
  readonly job_id?: never
  readonly message_id?: never
  readonly ordinal?: never
  readonly lease_expires_at?: never
  readonly lease?: never
}

/** Who asked for a requeue when the command does not say so. */
export const DEFAULT_REQUESTER = "operator"

/** A post that was judged, as `decidePost` takes it. */
export interface PreparedPost {
  readonly run_id: string
  readonly source: Source
  readonly idempotency_key: string | null
  /** Canonical text (`jcs/1`) of the payload. */
  readonly payload: string
  /** undefined: one job and one step that carry the payload. */
  readonly jobs: ReadonlyArray<{ readonly intent: string; readonly steps: ReadonlyArray<string> }> | undefined
  /** The lease of the first step that is asked for with the message. */
  readonly claim: { readonly worker_id: string; readonly ttl_seconds: number } | undefined
  readonly traceparent: string | undefined
}

/** Where a claim looks for a step: in a run, in one of its jobs, or in every run. */
export type ClaimPlace =
  | { readonly run_id: string; readonly job_id: string | undefined }
  | { readonly after_run: string; readonly prefix: string }

/** A claim that was judged. */
export interface PreparedClaim {
  readonly place: ClaimPlace
  readonly worker_id: string
  readonly ttl_seconds: number
  readonly traceparent: string | undefined
}

/** A completion that was judged; `receipt` is canonical JSON. */
export interface PreparedCompletion extends Lease {
  readonly outcome: Outcome
  /** Canonical text (`jcs/1`) of the receipt. */
  readonly receipt: string
  readonly traceparent: string | undefined
}

/** A renewal that was judged. */
export interface PreparedRenewal extends Lease {
  readonly ttl_seconds: number
}

/** A requeue that was judged. */
export interface PreparedRequeue {
  readonly run_id: string
  readonly step_id: string
  readonly reason: string
  readonly requested_by: string
  readonly lease: { readonly worker_id: string; readonly fencing_token: number } | undefined
  readonly force: boolean
}

const invalid = (path: string, message: string) => Result.fail(invalidAt(path, message))

// In canonical text U+0000 can only stand as an escape whose backslash is not itself escaped.
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/

/** True when a string in canonical text holds U+0000. */
export const holdsNul = (canonical: string): boolean =>
  canonical.includes("\\u0000") && escapedNul.test(canonical)

const canonicalPayload = (path: string, value: JsonValue): Result.Result<string, InvalidInput> => {
  const text = jcs(value)
  if (Result.isFailure(text)) return invalid(`${path}${text.failure.path}`, text.failure.message)
  if (holdsNul(text.success)) return invalid(path, "U+0000 is not allowed in any string")
  return utf8ByteLength(text.success) > MAX_PAYLOAD_BYTES
    ? invalid(path, `the canonical text is over ${MAX_PAYLOAD_BYTES} bytes`)
    : Result.succeed(text.success)
}

const stepsOfPayload = (payload: JsonObject): Result.Result<PostMessage["jobs"], InvalidInput> => {
  if (utf8ByteLength(intentOf(payload)) > MAX_TEXT_BYTES) {
    return invalid("/payload/intent", `an intent has at most ${MAX_TEXT_BYTES} bytes of UTF-8`)
  }
  if (!Object.hasOwn(payload, "steps")) return Result.succeed(undefined)
  const wanted = Schema.decodeUnknownResult(Schema.NonEmptyArray(JsonObjectSchema))(payload["steps"])
  return Result.isFailure(wanted)
    ? invalid("/payload/steps", "must be a non-empty list of objects")
    : Result.succeed([{ intent: intentOf(payload), steps: wanted.success }])
}

const canonicalJobs = (jobs: NonNullable<PostMessage["jobs"]>, root: string) => {
  const prepared: Array<{ intent: string; steps: Array<string> }> = []
  let stepCount = 0
  for (const [jobIndex, job] of jobs.entries()) {
    const steps: Array<string> = []
    for (const [stepIndex, step] of job.steps.entries()) {
      const text = canonicalPayload(`${root}/${jobIndex}/steps/${stepIndex}`, step)
      if (Result.isFailure(text)) return Result.fail(text.failure)
      steps.push(text.success)
    }
    stepCount += steps.length
    prepared.push({ intent: job.intent, steps })
  }
  if (jobs.length > MAX_JOBS_PER_MESSAGE) return invalid(root, `more than ${MAX_JOBS_PER_MESSAGE} jobs`)
  return stepCount > MAX_STEPS_PER_MESSAGE
    ? invalid(root, `more than ${MAX_STEPS_PER_MESSAGE} steps`)
    : Result.succeed(prepared)
}

// What an event's data has around payload, steps and intents, at most: keys, commas, the message's id and key.
const EVENT_OVERHEAD_BYTES = 1_024
const STEP_OVERHEAD_BYTES = 32

// Rows and index entries of a step beside its payload, so that many small steps count for what they cost.
const WEIGHT_PER_STEP = 512

/** Canonical texts, default jobs and limits of a post; a payload's own `steps` make the one job's steps. */
export const preparePost = (command: PostMessage): Result.Result<PreparedPost, InvalidInput> => {
  const payload = canonicalPayload("/payload", command.payload)
  if (Result.isFailure(payload)) return Result.fail(payload.failure)
  const given = command.jobs === undefined ? stepsOfPayload(command.payload) : Result.succeed(command.jobs)
  if (Result.isFailure(given)) return Result.fail(given.failure)
  const jobs = given.success === undefined ? Result.succeed(undefined) : canonicalJobs(given.success, "/jobs")
  if (Result.isFailure(jobs)) return Result.fail(jobs.failure)
  const bytes = (jobs.success ?? []).reduce(
    (sum, job) =>
      job.steps.reduce((inner, step) => inner + utf8ByteLength(step) + STEP_OVERHEAD_BYTES, sum) +
      utf8ByteLength(jcsText(job.intent)) +
      1,
    utf8ByteLength(payload.success) + EVENT_OVERHEAD_BYTES
  )
  if (bytes > MAX_EVENT_BYTES) return invalid("", `the message is over ${MAX_EVENT_BYTES} bytes`)
  return Result.succeed({
    run_id: command.run_id,
    source: command.source,
    idempotency_key: command.idempotency_key ?? null,
    payload: payload.success,
    jobs: jobs.success,
    claim: command.claim && {
      worker_id: command.claim.worker_id,
      ttl_seconds: command.claim.ttl_seconds ?? DEFAULT_TTL_SECONDS
    },
    traceparent: command.traceparent
  })
}

/** The length of the canonical texts of a post, with what the store writes for each step. */
export const weightOfPost = ({ jobs = [], payload }: PreparedPost): number =>
  jobs.reduce(
    (sum, job) => job.steps.reduce((inner, step) => inner + step.length + WEIGHT_PER_STEP, sum),
    payload.length + WEIGHT_PER_STEP
  )

/** A claim with its defaults. */
export const prepareClaim = (command: ClaimStep): Result.Result<PreparedClaim, InvalidInput> =>
  Result.succeed({
    place: { run_id: command.run_id, job_id: command.job_id },
    worker_id: command.worker_id,
    ttl_seconds: command.ttl_seconds ?? DEFAULT_TTL_SECONDS,
    traceparent: command.traceparent
  })

/** A claim in any run with its defaults. */
export const prepareClaimAny = (command: ClaimAny): Result.Result<PreparedClaim, InvalidInput> =>
  Result.succeed({
    place: { after_run: command.after_run ?? "", prefix: command.prefix ?? "" },
    worker_id: command.worker_id,
    ttl_seconds: command.ttl_seconds ?? DEFAULT_TTL_SECONDS,
    traceparent: command.traceparent
  })

/** A completion with its receipt as canonical text. */
export const prepareCompletion = (command: CompleteStep): Result.Result<PreparedCompletion, InvalidInput> => {
  const receipt = canonicalPayload("/receipt_payload", command.receipt_payload)
  if (Result.isFailure(receipt)) return Result.fail(receipt.failure)
  const { fencing_token, outcome, run_id, step_id, traceparent, worker_id } = command
  return Result.succeed({
    run_id,
    step_id,
    worker_id,
    fencing_token,
    outcome,
    receipt: receipt.success,
    traceparent
  })
}

/** A renewal with its default. */
export const prepareRenewal = ({
  ttl_seconds = DEFAULT_TTL_SECONDS,
  ...lease
}: RenewLease): Result.Result<PreparedRenewal, InvalidInput> => Result.succeed({ ...lease, ttl_seconds })

/** A requeue with its defaults; force and a lease exclude each other. */
export const prepareRequeue = (command: RequeueStep): Result.Result<PreparedRequeue, InvalidInput> => {
  const { fencing_token, force = false, reason, run_id, step_id, worker_id } = command
  if ((worker_id === undefined) !== (fencing_token === undefined)) {
    return invalid(
      worker_id === undefined ? "/worker_id" : "/fencing_token",
      "give the lease's worker_id and fencing_token together, or neither"
    )
  }
  const lease =
    worker_id === undefined || fencing_token === undefined ? undefined : { worker_id, fencing_token }
  const requested_by = command.requested_by ?? worker_id ?? DEFAULT_REQUESTER
  if (force && lease !== undefined)
    return invalid("/force", "use either force or the lease's worker and token")
  return Result.succeed({ run_id, step_id, reason, requested_by, lease, force })
}
