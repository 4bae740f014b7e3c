// Every way in which the ledger refuses or fails, as tagged data that carries what is needed to act. A name says
// the fact; the families at the end say at which door it can come. No error here is ever thrown across a public
// boundary, and none holds a stack or a payload.
import * as Schema from "effect/Schema"
import type { InvalidInput, InvariantViolation } from "../foundation/errors.ts"
import type {
  StoreBusy,
  StoreNewerThanProgram,
  NetworkFileSystem,
  UnsafePlace,
  NotALedger,
  FileMissing,
  ReadOnlyStore,
  StorageFull,
  StorageFailure,
  UnsupportedNode
} from "../foundation/storage-errors.ts"
import type { DuplicateId, ThoughtNotFound } from "./thoughts/errors.ts"

/** The ledger is damaged: nothing is appended to it as it stands. */
export class StoreCorrupt extends Schema.TaggedError<StoreCorrupt>()("StoreCorrupt", {
  code: Schema.String,
  where: Schema.String,
  finding: Schema.String
}) {
  override get message() {
    return `The ledger is damaged (${this.code} at ${this.where}: ${this.finding}); nothing is written to it: cortex cassette verify lists every fault; cortex cassette restore puts a backup in its place`
  }
}

/** The job, the run, or no run whose id begins with `prefix`, has a step that waits. */
export class NoPendingStep extends Schema.TaggedError<NoPendingStep>()("NoPendingStep", {
  /** null for a claim in any run. */
  run_id: Schema.NullOr(Schema.String),
  job_id: Schema.NullOr(Schema.String),
  /** The beginning of the run ids that a claim in any run was narrowed to. */
  prefix: Schema.NullOr(Schema.String),
  /** How many steps there are leased, where that was looked up. */
  leased: Schema.optional(Schema.Int),
  /** How many of these leases have ended: their steps wait again once they are requeued. */
  expired: Schema.optional(Schema.Int),
  /** When the first of these leases ends, or has ended. */
  earliest_expiry: Schema.optional(Schema.NullOr(Schema.String))
}) {
  override get message() {
    const { expired = 0, job_id, leased = 0, prefix, run_id } = this
    const place =
      job_id !== null
        ? `job ${job_id}`
        : run_id !== null
          ? `run ${run_id}`
          : `any run${prefix ? ` ${prefix}…` : ""}`
    const held = leased - expired
    const running = held === 0 ? "" : `; ${held} lease(s) are running there`
    const ended =
      expired === 0
        ? ""
        : `; ${expired} lease(s) have ended there: requeue their steps (cortex cassette leases --expired lists them)`
    return `No pending steps in ${place}${running}${ended}`
  }
}

/** The ledger, or the run when one was named, has no such job. */
export class JobNotFound extends Schema.TaggedError<JobNotFound>()("JobNotFound", {
  run_id: Schema.NullOr(Schema.String),
  job_id: Schema.String
}) {
  override get message() {
    const place = this.run_id === null ? "There is" : `Run ${this.run_id} has`
    return `${place} no job ${this.job_id}: use a job_id that \`post\` returned`
  }
}

/** The ledger has no such run: nothing was ever posted to it. */
export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", {
  run_id: Schema.String
}) {
  override get message() {
    return `There is no run ${this.run_id} in this ledger: \`cortex cassette status\` lists the runs`
  }
}

/** No step has this id. */
export class StepNotFound extends Schema.TaggedError<StepNotFound>()("StepNotFound", {
  step_id: Schema.String
}) {
  override get message() {
    return `Step not found: ${this.step_id}; commands take the whole id, which \`cortex show\` prints`
  }
}

/** The step belongs to another run. */
export class WrongRun extends Schema.TaggedError<WrongRun>()("WrongRun", {
  step_id: Schema.String,
  run_id: Schema.String,
  actual_run_id: Schema.String
}) {
  override get message() {
    return `Step ${this.step_id} belongs to run ${this.actual_run_id}, not to ${this.run_id}`
  }
}

/** The step is not leased; when it is COMMITTED the receipt tells whose work stands. */
export class NotLeased extends Schema.TaggedError<NotLeased>()("NotLeased", {
  step_id: Schema.String,
  status: Schema.String,
  receipt: Schema.NullOr(
    Schema.Struct({
      receipt_id: Schema.String,
      worker_id: Schema.String,
      fencing_token: Schema.Int,
      outcome: Schema.String,
      /** SHA-256 of the receipt's canonical text (`jcs/1`). */
      receipt_hash: Schema.String
    })
  )
}) {
  override get message() {
    return `Step ${this.step_id} is not leased: it is ${this.status}`
  }
}

/** Another worker holds the lease. */
export class WrongWorker extends Schema.TaggedError<WrongWorker>()("WrongWorker", {
  step_id: Schema.String,
  worker_id: Schema.String,
  lease_owner: Schema.String
}) {
  override get message() {
    return `Step ${this.step_id} is leased by ${this.lease_owner}, not by ${this.worker_id}`
  }
}

/** The token is not the newest of the step: it was claimed or renewed since. */
export class StaleFencingToken extends Schema.TaggedError<StaleFencingToken>()("StaleFencingToken", {
  step_id: Schema.String,
  fencing_token: Schema.Number,
  current_token: Schema.Int
}) {
  override get message() {
    return `Fencing token mismatch on step ${this.step_id}: given ${this.fencing_token}, current ${this.current_token}`
  }
}

/** The lease has ended: claim again. */
export class LeaseExpired extends Schema.TaggedError<LeaseExpired>()("LeaseExpired", {
  step_id: Schema.String,
  lease_expires_at: Schema.String,
  now: Schema.String
}) {
  override get message() {
    return `lease expired on step ${this.step_id}: it ended ${this.lease_expires_at}, now is ${this.now}; requeue the step and claim it again`
  }
}

/** A requeue without the lease's worker and token, before the lease has ended. */
export class LeaseNotExpired extends Schema.TaggedError<LeaseNotExpired>()("LeaseNotExpired", {
  step_id: Schema.String,
  lease_owner: Schema.String,
  lease_expires_at: Schema.String,
  now: Schema.String
}) {
  override get message() {
    return `Step ${this.step_id} is leased by ${this.lease_owner} until ${this.lease_expires_at}: wait, give it back with the owner's worker and token, or use force`
  }
}

/** The key was used before for something else; nothing was written. */
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()("IdempotencyConflict", {
  run_id: Schema.String,
  idempotency_key: Schema.String,
  message_id: Schema.String,
  differs: Schema.Array(Schema.Literals(["source", "payload", "jobs"])),
  stored_source: Schema.String,
  given_source: Schema.String,
  /** SHA-256 of the canonical payload (`jcs/1`) of the stored and of the given message. */
  stored_payload_hash: Schema.String,
  given_payload_hash: Schema.String
}) {
  override get message() {
    return `Key ${JSON.stringify(this.idempotency_key)} of run ${this.run_id} already names ${this.message_id} with another ${this.differs.join(" and ")} (payload ${this.stored_payload_hash}, given ${this.given_payload_hash})`
  }
}

/** The newest event is dated absurdly far ahead of this machine's clock. */
export class ClockFarBehindHead extends Schema.TaggedError<ClockFarBehindHead>()("ClockFarBehindHead", {
  now: Schema.String,
  head_recorded_at: Schema.String
}) {
  override get message() {
    return `The newest event is dated ${this.head_recorded_at}, the clock says ${this.now}: set the clock, or examine that event`
  }
}

/** The file is a ledger, but not the one that was asked for. */
export class WrongLedger extends Schema.TaggedError<WrongLedger>()("WrongLedger", {
  file: Schema.String,
  expected: Schema.String,
  actual: Schema.String
}) {
  override get message() {
    return `${this.file} is ledger ${this.actual}, not ${this.expected}`
  }
}

/**
 * A backup is not put in a ledger's place: it does not verify (`BACKUP_DAMAGED`), events of the ledger would go
 * (`NEWER_EVENTS`), or the two histories differ (`HISTORIES_DIFFER`). Nothing was changed.
 */
export class RestoreRefused extends Schema.TaggedError<RestoreRefused>()("RestoreRefused", {
  file: Schema.String,
  code: Schema.Literals(["BACKUP_DAMAGED", "NEWER_EVENTS", "HISTORIES_DIFFER"]),
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} was not restored: ${this.reason} (${this.code})`
  }
}

/** The ledger's scope has been closed; nothing was written. */
export class LedgerClosed extends Schema.TaggedError<LedgerClosed>()("LedgerClosed", {}) {
  override get message() {
    return "The ledger is closed"
  }
}

/** Why a lease cannot be renewed, and a step cannot be completed. */
export type LeaseRefusal =
  | StepNotFound
  | WrongRun
  | NotLeased
  | WrongWorker
  | StaleFencingToken
  | LeaseExpired

/** Why a step does not wait again. */
export type RequeueRefusal = Exclude<LeaseRefusal, LeaseExpired> | LeaseNotExpired

/** The ledger said no, and will say it again until the state changes. */
export type Refusal =
  | NoPendingStep
  | LeaseRefusal
  | RequeueRefusal
  | IdempotencyConflict
  | DuplicateId
  | ThoughtNotFound

/** The file cannot be opened as the ledger that was asked for. */
export type OpenError =
  | InvalidInput
  | UnsupportedNode
  | StoreNewerThanProgram
  | WrongLedger
  | NetworkFileSystem
  | UnsafePlace
  | NotALedger
  | FileMissing
  | ReadOnlyStore
  | StoreBusy
  | StoreCorrupt
  | StorageFull
  | StorageFailure

/** The store could not carry out a write; nothing was written. */
export type StoreWriteError =
  | StoreBusy
  | StoreNewerThanProgram
  | StoreCorrupt
  | ClockFarBehindHead
  | ReadOnlyStore
  | StorageFull
  | StorageFailure
  | LedgerClosed

/** Everything that a ledger can answer instead of a result. */
export type MessageCassetteError = Refusal | InvariantViolation | StoreWriteError | OpenError | RestoreRefused
