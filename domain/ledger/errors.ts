// Every way in which the ledger refuses or fails, as tagged data that carries what is needed to act. A name says
// the fact; the families at the end say at which door it can come. No error here is ever thrown across a public
// boundary, and none holds a stack or a payload.
import * as Schema from "effect/Schema"

/** Input that does not fit its Schema or a limit; nothing was written. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  message: Schema.String,
  issues: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

/** The run, or the job, has no step that waits. */
export class NoPendingStep extends Schema.TaggedError<NoPendingStep>()("NoPendingStep", {
  run_id: Schema.String,
  job_id: Schema.NullOr(Schema.String),
  /** How the run's leases stand, where that was looked up: those that have ended wait for somebody to requeue their steps. */
  leases: Schema.optional(Schema.Struct({ running: Schema.Int, ended: Schema.Int }))
}) {
  override get message() {
    const nothing = `No pending steps in ${this.job_id === null ? `run ${this.run_id}` : `job ${this.job_id}`}`
    const { ended = 0, running = 0 } = this.leases ?? {}
    const runs = running === 0 ? "" : `; ${running} lease(s) of the run are running`
    return ended === 0
      ? `${nothing}${runs}`
      : `${nothing}${runs}; ${ended} lease(s) of the run have ended: requeue their steps (cortex cassette requeue)`
  }
}

/** The ledger, or the run when one was named, has no such job. */
export class JobNotFound extends Schema.TaggedError<JobNotFound>()("JobNotFound", {
  run_id: Schema.NullOr(Schema.String),
  job_id: Schema.String
}) {
  override get message() {
    const place = this.run_id === null ? "There is" : `Run ${this.run_id} has`
    return `${place} no job ${this.job_id}: what was posted answered the ids of its jobs`
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

/** The ledger has no such task: no thought was ever recorded for it. */
export class TaskNotFound extends Schema.TaggedError<TaskNotFound>()("TaskNotFound", {
  task_id: Schema.String
}) {
  override get message() {
    return `There is no task ${this.task_id} in this ledger: \`cortex thought list\` shows thoughts with their tasks`
  }
}

export class StepNotFound extends Schema.TaggedError<StepNotFound>()("StepNotFound", {
  step_id: Schema.String
}) {
  override get message() {
    return `Step not found: ${this.step_id}`
  }
}

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

export class WrongWorker extends Schema.TaggedError<WrongWorker>()("WrongWorker", {
  step_id: Schema.String,
  worker_id: Schema.String,
  lease_owner: Schema.String
}) {
  override get message() {
    return `Step ${this.step_id} is leased by ${this.lease_owner}, not by ${this.worker_id}`
  }
}

export class StaleFencingToken extends Schema.TaggedError<StaleFencingToken>()("StaleFencingToken", {
  step_id: Schema.String,
  fencing_token: Schema.Number,
  current_token: Schema.Int
}) {
  override get message() {
    return `Fencing token mismatch on step ${this.step_id}: given ${this.fencing_token}, current ${this.current_token}`
  }
}

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

/** The id that the caller chose belongs to another record; nothing was written. */
export class DuplicateId extends Schema.TaggedError<DuplicateId>()("DuplicateId", {
  id: Schema.String,
  /** The task of the record that has it. */
  task_id: Schema.String
}) {
  override get message() {
    return `There is a thought with the id ${this.id} already, in task ${this.task_id}: choose another id, or none`
  }
}

export class ThoughtNotFound extends Schema.TaggedError<ThoughtNotFound>()("ThoughtNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `Thought not found: ${this.id}`
  }
}

/** Several ids begin with what was given instead of a whole id. */
export class AmbiguousPrefix extends Schema.TaggedError<AmbiguousPrefix>()("AmbiguousPrefix", {
  prefix: Schema.String,
  /** At most 5 of them. */
  candidates: Schema.Array(Schema.String),
  has_more: Schema.Boolean
}) {
  override get message() {
    const more = this.has_more ? " and more" : ""
    return `${this.prefix} is the beginning of several ids: ${this.candidates.join(", ")}${more}; give more of the id`
  }
}

/** The database itself refused a write that the program thought legal. */
export class InvariantViolation extends Schema.TaggedError<InvariantViolation>()("InvariantViolation", {
  message: Schema.String
}) {}

/** Other writers held the file until the deadline; nothing was written. */
export class StoreBusy extends Schema.TaggedError<StoreBusy>()("StoreBusy", { waited_ms: Schema.Number }) {
  override get message() {
    return `The database was locked by other writers for ${this.waited_ms} ms; nothing was written, try again`
  }
}

/** The ledger is damaged: nothing is appended to it as it stands. */
export class StoreCorrupt extends Schema.TaggedError<StoreCorrupt>()("StoreCorrupt", {
  code: Schema.String,
  where: Schema.String,
  finding: Schema.String
}) {
  override get message() {
    return `The ledger is damaged (${this.code} at ${this.where}: ${this.finding}); nothing is written to it: cortex cassette verify lists every fault`
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

export class StoreNewerThanProgram extends Schema.TaggedError<StoreNewerThanProgram>()(
  "StoreNewerThanProgram",
  {
    file: Schema.String,
    version: Schema.Number,
    supported: Schema.Number
  }
) {
  override get message() {
    return `${this.file} has version ${this.version}, this program knows ${this.supported}: use a newer program`
  }
}

export class WrongLedger extends Schema.TaggedError<WrongLedger>()("WrongLedger", {
  file: Schema.String,
  expected: Schema.String,
  actual: Schema.String
}) {
  override get message() {
    return `${this.file} is ledger ${this.actual}, not ${this.expected}`
  }
}

export class NetworkFileSystem extends Schema.TaggedError<NetworkFileSystem>()("NetworkFileSystem", {
  file: Schema.String,
  kind: Schema.String
}) {
  override get message() {
    return `${this.file} is on a network file system (${this.kind}), where file locks cannot be trusted: use a local disk, or allow it knowingly`
  }
}

/**
 * The file may be read but not written where it is: it has several names (`SEVERAL_NAMES`), or is mounted without its folder
 * (`MOUNTED_ALONE`), so that its log is not where others look for it.
 */
export class UnsafePlace extends Schema.TaggedError<UnsafePlace>()("UnsafePlace", {
  file: Schema.String,
  code: Schema.Literals(["SEVERAL_NAMES", "MOUNTED_ALONE"]),
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not opened for writing: ${this.reason} (${this.code})`
  }
}

export class NotALedger extends Schema.TaggedError<NotALedger>()("NotALedger", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not a ledger: ${this.reason}`
  }
}

export class FileMissing extends Schema.TaggedError<FileMissing>()("FileMissing", { file: Schema.String }) {
  override get message() {
    return `There is no ${this.file}: check the path`
  }
}

export class ReadOnlyStore extends Schema.TaggedError<ReadOnlyStore>()("ReadOnlyStore", {
  file: Schema.String
}) {
  override get message() {
    return `${this.file} cannot be written: check the permissions of the file and of its folder`
  }
}

export class StorageFull extends Schema.TaggedError<StorageFull>()("StorageFull", { file: Schema.String }) {
  override get message() {
    return `No space is left for ${this.file}; nothing was written, make room and try again`
  }
}

/**
 * The operating system or SQLite failed in a way that has no better name. When it came while a commit was being
 * made durable the outcome is unknown: ask again with the idempotency key, or look at `NotLeased.receipt`.
 */
export class StorageFailure extends Schema.TaggedError<StorageFailure>()("StorageFailure", {
  file: Schema.String,
  code: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file}: ${this.reason} (${this.code})`
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

/** The Node that runs this program cannot run SQLite's driver; nothing was opened. */
export class UnsupportedNode extends Schema.TaggedError<UnsupportedNode>()("UnsupportedNode", {
  version: Schema.String,
  oldest: Schema.String
}) {
  override get message() {
    return `This is Node ${this.version}, and Node ${this.oldest} or newer is needed: start the program with a newer Node`
  }
}

/** The ledger's scope has been closed; nothing was written. */
export class LedgerClosed extends Schema.TaggedError<LedgerClosed>()("LedgerClosed", {}) {
  override get message() {
    return "The ledger is closed"
  }
}

/** The ledger said no, and will say it again until the state changes. */
export type Refusal =
  | NoPendingStep
  | StepNotFound
  | WrongRun
  | NotLeased
  | WrongWorker
  | StaleFencingToken
  | LeaseExpired
  | LeaseNotExpired
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
  | StoreCorrupt
  | ClockFarBehindHead
  | ReadOnlyStore
  | StorageFull
  | StorageFailure
  | LedgerClosed

/** Everything that a ledger can answer instead of a result. */
export type MessageCassetteError = Refusal | InvariantViolation | StoreWriteError | OpenError | RestoreRefused

/** An error after which the very same call may succeed, with nothing done about it: nothing was written. */
export type Retryable = StoreBusy

/** True for a `Retryable` error; every other is final until somebody changes the state, the input or the machine. */
export const isRetryable = (error: { readonly _tag: string }): error is Retryable =>
  error._tag === "StoreBusy"

/** The stable code of an error: what `--format json` shows. */
export const errorCode = (error: { readonly _tag: string }): string =>
  error._tag === "InvalidInput"
    ? "INVALID_PARAMS"
    : error._tag.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_").toUpperCase()
