// The decider: a prepared command, the little state that it needs and the moment give either the event to append
// with the reply, the reply alone, or a refusal. Pure and synchronous, since it runs inside the database's write
// lock; it never reads a clock and never writes.
import * as Result from "effect/Result"
import { jcsText } from "../canonical/jcs.ts"
import { isJsonObject, type JsonObject } from "../canonical/json.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { parseCanonicalJson } from "../canonical/stored-json.ts"
import { hasTimestamp, millisFromTimestamp, timestampFromMillis } from "../canonical/timestamp.ts"
import type { PreparedClaim, PreparedCompletion, PreparedPost, PreparedRequeue } from "./commands.ts"
import {
  IdempotencyConflict,
  LeaseExpired,
  LeaseNotExpired,
  NoPendingStep,
  NotLeased,
  type Refusal,
  StaleFencingToken,
  StepNotFound,
  WrongRun,
  WrongWorker,
  StoreCorrupt
} from "./errors.ts"
import { InvariantViolation } from "../foundation/errors.ts"
import { runStream } from "./event-envelope.ts"
import type { EventType, RequeueCause } from "./events.ts"
import { jobIdOf, messageIdAt, messageIdOfJob, receiptIdOf } from "./ids.ts"
import type { ReceiptRow, StepRow } from "./rows.ts"

/** What a claim reads of the step that it takes. */
export type WaitingStep = Pick<StepRow, "step_id" | "job_id" | "ordinal" | "fencing_token" | "payload_json">

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

/** What a command leads to: at most one event, and the reply that goes out once it is committed. */
export interface Decision<Reply> {
  readonly event: NewEvent | undefined
  readonly reply: Reply
}

export type Decided<Reply> = Result.Result<Decision<Reply>, Refusal | InvariantViolation | StoreCorrupt>

export interface Posted {
  readonly message_id: string
  /** The first job. */
  readonly job_id: string
  readonly job_ids: ReadonlyArray<string>
  /** false when the idempotency key had been used for the same message before. */
  readonly created: boolean
}

export interface Claimed {
  readonly step_id: string
  readonly job_id: string
  readonly message_id: string
  readonly ordinal: number
  readonly payload: JsonObject
  readonly fencing_token: number
  readonly lease_expires_at: string
}

export interface Completed {
  readonly receipt_id: string
}

export interface Requeued {
  readonly step_id: string
  readonly status: "PENDING"
  readonly fencing_token: number
  readonly cause: RequeueCause
}

/** The message that a key names already, with the text of its event's data. */
export interface ExistingMessage {
  readonly message_id: string
  readonly source: string
  readonly payload_json: string
  readonly data: string
}

/** Canonical object text from canonical member texts; the keys must be given in order. */
const objectText = (members: ReadonlyArray<readonly [key: string, text: string | undefined]>): string =>
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
    ]
  ])

const posted = (messageId: string, jobs: number, created: boolean): Posted => ({
  message_id: messageId,
  job_id: jobIdOf(messageId, 1),
  job_ids: Array.from({ length: jobs }, (_, index) => jobIdOf(messageId, index + 1)),
  created
})

/** Posts, or answers the ids of the message that the key names already if it is the same message. */
export const decidePost = (
  command: PreparedPost,
  existing: ExistingMessage | undefined,
  moment: Moment
): Decided<Posted> => {
  const jobs = command.jobs?.length ?? 1
  if (existing === undefined) {
    const messageId = messageIdAt(moment.sha256, command.run_id, moment.position, command.idempotency_key)
    return Result.succeed({
      event: {
        type: "MessagePosted",
        stream_id: runStream(command.run_id),
        data: postedData(command, messageId)
      },
      reply: posted(messageId, jobs, true)
    })
  }
  if (existing.data === postedData(command, existing.message_id)) {
    return Result.succeed({ event: undefined, reply: posted(existing.message_id, jobs, false) })
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

/** Claims `next`, the oldest waiting step in the claim's scope. */
export const decideClaim = (
  command: PreparedClaim,
  next: WaitingStep | undefined,
  moment: Moment
): Decided<Claimed> => {
  if (next === undefined) {
    return Result.fail(new NoPendingStep({ run_id: command.run_id, job_id: command.job_id ?? null }))
  }
  // What has no canonical text could be committed here and then not be told.
  const payload = parseCanonicalJson(next.payload_json)
  if (!isJsonObject(payload)) {
    const where = `cassette_steps ${next.step_id} payload_json`
    const finding = "the payload is not the canonical text of an object"
    return Result.fail(new StoreCorrupt({ code: "JSON_INVALID", where, finding }))
  }
  const fencing_token = next.fencing_token + 1
  const leaseEnd = millisFromTimestamp(moment.recorded_at) + command.ttl_seconds * 1000
  if (!hasTimestamp(leaseEnd)) {
    const message = "the lease would end after the year 9999, which no time can say: set the clock"
    return Result.fail(new InvariantViolation({ message }))
  }
  const lease_expires_at = timestampFromMillis(leaseEnd)
  return Result.succeed({
    event: {
      type: "StepClaimed",
      stream_id: runStream(command.run_id),
      data: jcsText({
        fencing_token,
        lease_expires_at,
        scope: command.job_id === undefined ? "run" : "job",
        step_id: next.step_id,
        worker_id: command.worker_id
      })
    },
    reply: {
      step_id: next.step_id,
      job_id: next.job_id,
      message_id: messageIdOfJob(next.job_id),
      ordinal: next.ordinal,
      payload,
      fencing_token,
      lease_expires_at
    }
  })
}

const leasedStep = (
  command: { readonly run_id: string; readonly step_id: string },
  step: StepStanding | undefined,
  receipt: ReceiptRow | undefined,
  moment: Moment
): Result.Result<Lease, Refusal> => {
  if (step === undefined) return Result.fail(new StepNotFound({ step_id: command.step_id }))
  const { lease_expires_at, lease_owner, status, step_id } = step
  if (step.run_id !== command.run_id) {
    return Result.fail(new WrongRun({ step_id, run_id: command.run_id, actual_run_id: step.run_id }))
  }
  if (status === "LEASED" && lease_owner !== null && lease_expires_at !== null) {
    return Result.succeed({ step_id, lease_owner, lease_expires_at, fencing_token: step.fencing_token })
  }
  return Result.fail(
    new NotLeased({
      step_id,
      status,
      receipt: receipt
        ? {
            receipt_id: receipt.receipt_id,
            worker_id: receipt.worker_id,
            fencing_token: receipt.fencing_token,
            outcome: receipt.outcome,
            receipt_hash: moment.sha256(receipt.receipt_json)
          }
        : null
    })
  )
}

interface Lease {
  readonly step_id: string
  readonly lease_owner: string
  readonly lease_expires_at: string
  readonly fencing_token: number
}

const heldBy = (
  lease: Lease,
  holder: { readonly worker_id: string; readonly fencing_token: number }
): Refusal | undefined => {
  const { step_id } = lease
  if (lease.lease_owner !== holder.worker_id) {
    return new WrongWorker({ step_id, worker_id: holder.worker_id, lease_owner: lease.lease_owner })
  }
  return lease.fencing_token === holder.fencing_token
    ? undefined
    : new StaleFencingToken({
        step_id,
        fencing_token: holder.fencing_token,
        current_token: lease.fencing_token
      })
}

/** Completes a step; checks step, run, status, worker, token and expiry in this order. */
export const decideCompletion = (
  command: PreparedCompletion,
  step: StepStanding | undefined,
  receipt: ReceiptRow | undefined,
  moment: Moment
): Decided<Completed> => {
  const lease = leasedStep(command, step, receipt, moment)
  if (Result.isFailure(lease)) return Result.fail(lease.failure)
  const { lease_expires_at, step_id } = lease.success
  const stranger = heldBy(lease.success, command)
  if (stranger !== undefined) return Result.fail(stranger)
  if (moment.recorded_at >= lease_expires_at) {
    return Result.fail(new LeaseExpired({ step_id, lease_expires_at, now: moment.recorded_at }))
  }
  return Result.succeed({
    event: {
      type: "StepCompleted",
      stream_id: runStream(command.run_id),
      data: objectText([
        ["fencing_token", jcsText(command.fencing_token)],
        ["outcome", jcsText(command.outcome)],
        ["receipt", command.receipt],
        ["step_id", jcsText(step_id)],
        ["worker_id", jcsText(command.worker_id)]
      ])
    },
    reply: { receipt_id: receiptIdOf(step_id) }
  })
}

const requeueCause = (
  command: PreparedRequeue,
  lease: Lease,
  moment: Moment
): Result.Result<RequeueCause, Refusal> => {
  if (command.force) return Result.succeed("forced")
  if (command.lease !== undefined) {
    const stranger = heldBy(lease, command.lease)
    return stranger === undefined ? Result.succeed("released") : Result.fail(stranger)
  }
  const { lease_expires_at, lease_owner, step_id } = lease
  return moment.recorded_at >= lease_expires_at
    ? Result.succeed("expired")
    : Result.fail(new LeaseNotExpired({ step_id, lease_owner, lease_expires_at, now: moment.recorded_at }))
}

/** Requeues a leased step: expired, given back by its owner, or forced. The token stays as it is. */
export const decideRequeue = (
  command: PreparedRequeue,
  step: StepStanding | undefined,
  receipt: ReceiptRow | undefined,
  moment: Moment
): Decided<Requeued> => {
  const lease = leasedStep(command, step, receipt, moment)
  if (Result.isFailure(lease)) return Result.fail(lease.failure)
  const cause = requeueCause(command, lease.success, moment)
  if (Result.isFailure(cause)) return Result.fail(cause.failure)
  const { fencing_token, lease_owner, step_id } = lease.success
  return Result.succeed({
    event: {
      type: "StepRequeued",
      stream_id: runStream(command.run_id),
      data: jcsText({
        cause: cause.success,
        fencing_token,
        reason: command.reason,
        requested_by: command.requested_by,
        step_id,
        worker_id: lease_owner
      })
    },
    reply: { step_id, status: "PENDING", fencing_token, cause: cause.success }
  })
}
