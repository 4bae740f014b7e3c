// What is decided of a step that is leased: completion, renewal, requeue. As in decide.ts: pure, synchronous, without a clock.
import * as Result from "effect/Result"
import { jcsText } from "../canonical/jcs.ts"
import type { Lease, PreparedCompletion, PreparedRenewal, PreparedRequeue } from "./commands.ts"
import { type Decided, leaseEnd, type Moment, objectText, type StepStanding } from "./decide.ts"
import {
  LeaseExpired,
  LeaseNotExpired,
  type LeaseRefusal,
  NotLeased,
  type RequeueRefusal,
  StaleFencingToken,
  StepNotFound,
  WrongRun,
  WrongWorker
} from "./errors.ts"
import { runStream } from "./event-envelope.ts"
import type { RequeueCause } from "./events.ts"
import { receiptIdOf } from "./ids.ts"
import type { ReceiptRow } from "./rows.ts"

/** The reply to a completion. */
export interface Completed {
  readonly receipt_id: string
}

/** The new lease; the one that was renewed is over. */
export interface Renewed {
  readonly step_id: string
  readonly fencing_token: number
  readonly lease_expires_at: string
  readonly lease: Lease
}

/** The reply to a requeue: the step waits again; its next claim has a token above `fencing_token`. */
export interface Requeued {
  readonly step_id: string
  readonly status: "PENDING"
  readonly fencing_token: number
  readonly cause: RequeueCause
}

const leasedStep = (
  command: { readonly run_id: string; readonly step_id: string },
  step: StepStanding | undefined,
  receipt: ReceiptRow | undefined,
  moment: Moment
): Result.Result<HeldLease, StepNotFound | WrongRun | NotLeased> => {
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

interface HeldLease {
  readonly step_id: string
  readonly lease_owner: string
  readonly lease_expires_at: string
  readonly fencing_token: number
}

const heldBy = (
  lease: HeldLease,
  holder: { readonly worker_id: string; readonly fencing_token: number }
): WrongWorker | StaleFencingToken | undefined => {
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

/** The lease that the command names, if it is the caller's and still runs. */
const leaseInHand = (
  command: Lease,
  step: StepStanding | undefined,
  receipt: ReceiptRow | undefined,
  moment: Moment
): Result.Result<HeldLease, LeaseRefusal> => {
  const lease = leasedStep(command, step, receipt, moment)
  if (Result.isFailure(lease)) return lease
  const stranger = heldBy(lease.success, command)
  if (stranger !== undefined) return Result.fail(stranger)
  const { lease_expires_at, step_id } = lease.success
  return moment.recorded_at < lease_expires_at
    ? lease
    : Result.fail(new LeaseExpired({ step_id, lease_expires_at, now: moment.recorded_at }))
}

/** Completes a step; checks step, run, status, worker, token and expiry in this order. */
export const decideCompletion = (
  command: PreparedCompletion,
  step: StepStanding | undefined,
  receipt: ReceiptRow | undefined,
  moment: Moment
): Decided<Completed, LeaseRefusal> => {
  const lease = leaseInHand(command, step, receipt, moment)
  if (Result.isFailure(lease)) return Result.fail(lease.failure)
  const { step_id } = lease.success
  return Result.succeed({
    events: [
      {
        type: "StepCompleted",
        stream_id: runStream(command.run_id),
        data: objectText([
          ["fencing_token", jcsText(command.fencing_token)],
          ["outcome", jcsText(command.outcome)],
          ["receipt", command.receipt],
          ["step_id", jcsText(step_id)],
          ["traceparent", command.traceparent && jcsText(command.traceparent)],
          ["worker_id", jcsText(command.worker_id)]
        ])
      }
    ],
    reply: { receipt_id: receiptIdOf(step_id) }
  })
}

/** Renews a lease: the checks of a completion, then the next token and a new end. The old token is worth nothing at once. */
export const decideRenewal = (
  command: PreparedRenewal,
  step: StepStanding | undefined,
  receipt: ReceiptRow | undefined,
  moment: Moment
): Decided<Renewed, LeaseRefusal> => {
  const held = leaseInHand(command, step, receipt, moment)
  if (Result.isFailure(held)) return Result.fail(held.failure)
  const end = leaseEnd(moment, command.ttl_seconds)
  if (Result.isFailure(end)) return Result.fail(end.failure)
  const { fencing_token: previous_token, run_id, step_id, worker_id } = command
  const fencing_token = previous_token + 1
  const lease_expires_at = end.success
  return Result.succeed({
    events: [
      {
        type: "LeaseRenewed",
        stream_id: runStream(run_id),
        data: jcsText({ fencing_token, lease_expires_at, previous_token, step_id, worker_id })
      }
    ],
    reply: {
      step_id,
      fencing_token,
      lease_expires_at,
      lease: { run_id, worker_id, step_id, fencing_token }
    }
  })
}

const requeueCause = (
  command: PreparedRequeue,
  lease: HeldLease,
  moment: Moment
): Result.Result<RequeueCause, RequeueRefusal> => {
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
): Decided<Requeued, RequeueRefusal> => {
  const lease = leasedStep(command, step, receipt, moment)
  if (Result.isFailure(lease)) return Result.fail(lease.failure)
  const cause = requeueCause(command, lease.success, moment)
  if (Result.isFailure(cause)) return Result.fail(cause.failure)
  const { fencing_token, lease_owner, step_id } = lease.success
  return Result.succeed({
    events: [
      {
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
      }
    ],
    reply: { step_id, status: "PENDING", fencing_token, cause: cause.success }
  })
}
