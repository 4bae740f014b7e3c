// The decider: a prepared command, the little state that it needs and the moment give either the event to append
// with the reply, the reply alone, or a refusal. Pure and synchronous, since it runs inside the database's write
// lock; it never reads a clock and never writes. Posts and claims are here; what is done with a lease is in decide-lease.ts.
import * as Result from "effect/Result"
import { jcsText } from "../canonical/jcs.ts"
import { isJsonObject, type JsonObject } from "../canonical/json.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { parseCanonicalJson } from "../canonical/stored-json.ts"
import { hasTimestamp, millisFromTimestamp, timestampFromMillis } from "../canonical/timestamp.ts"
import type { Lease, PreparedClaim, PreparedPost } from "./commands.ts"
import { IdempotencyConflict, NoPendingStep, type Refusal, StoreCorrupt } from "./errors.ts"
import { InvariantViolation } from "../foundation/errors.ts"
import { runStream } from "./event-envelope.ts"
import type { ClaimScope, EventType } from "./events.ts"
import { jobIdOf, messageIdAt, messageIdOfJob, stepIdOf } from "./ids.ts"
import type { StepRow } from "./rows.ts"

/** What a claim reads of the step that it takes. */
export type WaitingStep = Pick<
  StepRow,
  "step_id" | "run_id" | "job_id" | "ordinal" | "fencing_token" | "payload_json"
>

/** What is read of a step that is to be finished or requeued: where it stands, and in whose hands. */
export type StepStanding = Pick<
  StepRow,
  "step_id" | "run_id" | "status" | "lease_owner" | "lease_expires_at" | "fencing_token"
>

/** Where and when an event would be appended: the next position and its `recorded_at`. */
export interface Moment {
  readonly position: number
  readonly recorded_at: string
  readonly sha256: Sha256
}

/** An event that is not appended yet: `data` is canonical text. */
export interface NewEvent {
  readonly type: EventType
  readonly stream_id: string
  readonly data: string
}

/** What a command leads to: the events to append, and the reply that goes out once they are committed. */
export interface Decision<Reply> {
  readonly events: ReadonlyArray<NewEvent>
  readonly reply: Reply
}

/** A decision, or why there is none. */
export type Decided<Reply, R extends Refusal = Refusal> = Result.Result<
  Decision<Reply>,
  R | InvariantViolation | StoreCorrupt
>

/**
 * The reply to a post: the ids that were given; `created` is false where the same key and content were posted
 * before.
 */
export interface Posted {
  readonly message_id: string
  /** The first job. */
  readonly job_id: string
  readonly job_ids: ReadonlyArray<string>
  /** false when the idempotency key had been used for the same message before. */
  readonly created: boolean
}

/** What a post that claims answers: the lease of the first step, or nulls where that step was taken before. */
export interface PostedAndClaimed extends Posted {
  readonly lease: Lease | null
  readonly lease_expires_at: string | null
}

/** The reply to a claim: the step with its payload, and the lease that finishes, renews or requeues it. */
export interface Claimed {
  readonly step_id: string
  readonly job_id: string
  readonly message_id: string
  readonly ordinal: number
  readonly payload: JsonObject
  readonly fencing_token: number
  readonly lease_expires_at: string
  /** The lease in hand: spread it into the command that completes, renews or gives back. */
  readonly lease: Lease
}

/** The message that a key names already, with the text of its event's data. */
export interface ExistingMessage {
  readonly message_id: string
  readonly source: string
  readonly payload_json: string
  readonly data: string
}

/** Canonical object text from canonical member texts; the keys must be given in order. */
export const objectText = (
  members: ReadonlyArray<readonly [key: string, text: string | undefined]>
): string =>
  `{${members.flatMap(([key, text]) => (text === undefined ? [] : [`"${key}":${text}`])).join(",")}}`

const postedData = (command: PreparedPost, messageId: string): string =>
  objectText([
    ["idempotency_key", command.idempotency_key === null ? "null" : jcsText(command.idempotency_key)],
    ["jobs", command.jobs && jcsText(command.jobs.map((job) => job.intent))],
    ["message_id", jcsText(messageId)],
    ["payload", command.payload],
    ["source", jcsText(command.source)],
    [
      "steps",
      command.jobs &&
        `[${command.jobs
          .flatMap((job, index) => job.steps.map((step) => `{"job":${index + 1},"payload":${step}}`))
          .join(",")}]`
    ],
    ["traceparent", command.traceparent && jcsText(command.traceparent)]
  ])

// The last key of a message's data; inside a step it would be followed by more than one bracket.
const TRACE_OF_DATA = /,"traceparent":"([0-9a-f-]*)"\}$/

/** The `traceparent` in the data of a message, which need not be parsed for it. */
export const traceOfMessage = (data: string): string | undefined => TRACE_OF_DATA.exec(data)?.[1]

/** True when the message says the same; the trace that it was posted in does not count. */
const isSameMessage = (command: PreparedPost, { data, message_id }: ExistingMessage): boolean =>
  data.replace(TRACE_OF_DATA, "}") === postedData({ ...command, traceparent: undefined }, message_id)

const posted = (messageId: string, jobs: number, created: boolean): Posted => ({
  message_id: messageId,
  job_id: jobIdOf(messageId, 1),
  job_ids: Array.from({ length: jobs }, (_, index) => jobIdOf(messageId, index + 1)),
  created
})

/** The end of a lease that begins now, or why there is none. */
export const leaseEnd = (moment: Moment, ttlSeconds: number): Result.Result<string, InvariantViolation> => {
  const end = millisFromTimestamp(moment.recorded_at) + ttlSeconds * 1000
  return hasTimestamp(end)
    ? Result.succeed(timestampFromMillis(end))
    : Result.fail(
        new InvariantViolation({
          message: "the lease would end after the year 9999, which no time can say: set the clock"
        })
      )
}

const claimEvent = (
  { fencing_token, run_id, step_id, worker_id }: Lease,
  scope: ClaimScope,
  lease_expires_at: string,
  traceparent: string | undefined
): NewEvent => ({
  type: "StepClaimed",
  stream_id: runStream(run_id),
  data: jcsText({
    fencing_token,
    lease_expires_at,
    scope,
    step_id,
    ...(traceparent === undefined ? {} : { traceparent }),
    worker_id
  })
})

/** Adds the lease of the message's first step, whose token is `token`, to what a post does. */
const withClaim = (
  { events, reply }: Decision<Posted>,
  { claim, run_id, traceparent }: PreparedPost,
  token: number | undefined,
  moment: Moment
): Decided<Posted | PostedAndClaimed, never> => {
  if (claim === undefined) return Result.succeed({ events, reply })
  if (token === undefined) {
    return Result.succeed({ events, reply: { ...reply, lease: null, lease_expires_at: null } })
  }
  return Result.map(leaseEnd(moment, claim.ttl_seconds), (lease_expires_at) => {
    const lease: Lease = {
      run_id,
      worker_id: claim.worker_id,
      step_id: stepIdOf(reply.job_id, 1),
      fencing_token: token + 1
    }
    return {
      events: [...events, claimEvent(lease, "job", lease_expires_at, traceparent)],
      reply: { ...reply, lease, lease_expires_at }
    }
  })
}

/**
 * Posts, or answers the ids of the message that the key names already if it is the same message. `firstStep` is the first
 * step of that message, looked up where the command claims it.
 */
export const decidePost = (
  command: PreparedPost,
  existing: ExistingMessage | undefined,
  firstStep: Pick<StepStanding, "status" | "fencing_token"> | undefined,
  moment: Moment
): Decided<Posted | PostedAndClaimed, IdempotencyConflict> => {
  const jobs = command.jobs?.length ?? 1
  if (existing === undefined) {
    const messageId = messageIdAt(moment.sha256, command.run_id, moment.position, command.idempotency_key)
    const message: NewEvent = {
      type: "MessagePosted",
      stream_id: runStream(command.run_id),
      data: postedData(command, messageId)
    }
    return withClaim({ events: [message], reply: posted(messageId, jobs, true) }, command, 0, moment)
  }
  if (isSameMessage(command, existing)) {
    const token = firstStep?.status === "PENDING" ? firstStep.fencing_token : undefined
    return withClaim({ events: [], reply: posted(existing.message_id, jobs, false) }, command, token, moment)
  }
  const payloadDiffers = existing.payload_json !== command.payload
  const sourceDiffers = existing.source !== command.source
  return Result.fail(
    new IdempotencyConflict({
      run_id: command.run_id,
      idempotency_key: command.idempotency_key ?? "",
      message_id: existing.message_id,
      differs: [
        ...(sourceDiffers ? ["source" as const] : []),
        ...(payloadDiffers ? ["payload" as const] : []),
        ...(sourceDiffers || payloadDiffers ? [] : ["jobs" as const])
      ],
      stored_source: existing.source,
      given_source: command.source,
      stored_payload_hash: moment.sha256(existing.payload_json),
      given_payload_hash: moment.sha256(command.payload)
    })
  )
}

/** A step's payload as its row has it. */
export const payloadOf = (stepId: string, text: string): Result.Result<JsonObject, StoreCorrupt> => {
  const payload = parseCanonicalJson(text)
  if (isJsonObject(payload)) return Result.succeed(payload)
  const where = `cassette_steps ${stepId} payload_json`
  const finding = "the payload is not the canonical text of an object"
  return Result.fail(new StoreCorrupt({ code: "JSON_INVALID", where, finding }))
}

/** Claims `next`, the oldest waiting step in the claim's place. */
export const decideClaim = (
  command: PreparedClaim,
  next: WaitingStep | undefined,
  moment: Moment
): Decided<Claimed, NoPendingStep> => {
  const { place, traceparent, ttl_seconds, worker_id } = command
  if (next === undefined) {
    const none =
      "run_id" in place
        ? { run_id: place.run_id, job_id: place.job_id ?? null, prefix: null }
        : { run_id: null, job_id: null, prefix: place.prefix }
    return Result.fail(new NoPendingStep(none))
  }
  const { job_id, ordinal, run_id, step_id } = next
  // A payload that is not canonical JSON could be claimed but never returned to the caller.
  const payload = payloadOf(step_id, next.payload_json)
  if (Result.isFailure(payload)) return Result.fail(payload.failure)
  const end = leaseEnd(moment, ttl_seconds)
  if (Result.isFailure(end)) return Result.fail(end.failure)
  const fencing_token = next.fencing_token + 1
  const lease_expires_at = end.success
  const lease: Lease = { run_id, worker_id, step_id, fencing_token }
  const scope = "job_id" in place && place.job_id !== undefined ? "job" : "run"
  return Result.succeed({
    events: [claimEvent(lease, scope, lease_expires_at, traceparent)],
    reply: {
      step_id,
      job_id,
      message_id: messageIdOfJob(job_id),
      ordinal,
      payload: payload.success,
      fencing_token,
      lease_expires_at,
      lease
    }
  })
}
