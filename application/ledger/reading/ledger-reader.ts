// The port through which the ledger is queried. It reads committed state only, beside the writer and never
// through it; every answer is one consistent moment. It must never change anything, not even a journal mode.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LedgerClosed, StoreCorrupt } from "../../../domain/ledger/errors.ts"
import type { StorageFailure } from "../../../domain/foundation/storage-errors.ts"
import type { ClaimPlace } from "../../../domain/ledger/commands.ts"
import type {
  FailedReceipt,
  LeaseCounts,
  RowKind,
  LeasedStep,
  PreparedFailures,
  PreparedLeases,
  PreparedWaiting
} from "../../../domain/ledger/lists.ts"
import type { TextRange } from "../../../domain/ledger/run-range.ts"
import type { EventEnvelope, Head } from "../../../domain/ledger/event-envelope.ts"
import type { Page } from "../../../domain/foundation/page.ts"
import type {
  JobRow,
  MessageRow,
  Outcome,
  ReceiptRow,
  StepRow,
  ThoughtRow
} from "../../../domain/ledger/rows.ts"

/** The ledger cannot be read: closed, damaged, or the storage failed. */
export type ReadError = LedgerClosed | StorageFailure | StoreCorrupt

/** How many steps of a job or run stand where. */
export interface StepCounts {
  readonly pending: number
  readonly leased: number
  readonly committed: number
}

/** A job, how its steps stand, and how many ended with which outcome. */
export interface JobStatus extends StepCounts {
  readonly job: JobRow
  /** Receipts by outcome. */
  readonly outcomes: { readonly [outcome: string]: number }
}

/** One run at a glance; times are null when there is no such step. */
export interface RunSummary extends StepCounts {
  readonly run_id: string
  readonly messages: number
  readonly jobs: number
  /** The oldest step that waits, and the time of its message. */
  readonly oldest_pending_step: string | null
  readonly oldest_pending_at: string | null
  /** Leases that have ended as of the time that was asked for. */
  readonly expired_leases: number
}

/** Whose steps: those of a run, a message or a job. */
export type StepsOf =
  | { readonly run_id: string }
  | { readonly message_id: string }
  | { readonly job_id: string }

/** Where a step stands, without its payload; the last two are null until it is committed. */
export interface StepState extends Omit<StepRow, "payload_json" | "run_id" | "event_position"> {
  readonly receipt_id: string | null
  readonly outcome: Outcome | null
}

/** A run that has events, with the newest of them. */
export interface RunPlace {
  readonly run_id: string
  readonly position: number
  readonly recorded_at: string
}

/** Events of one stream between two positions whose data holds a text. */
export interface EventsMentioning {
  readonly stream_id: string
  readonly text: string
  readonly after: number
  readonly before: number
  readonly limit: number
}

/** Which thoughts, in the order of the log or against it. */
export interface ThoughtsOf {
  readonly task_id?: string | undefined
  /** Only those behind this event position in the direction of the list. */
  readonly after?: number | undefined
  readonly limit: number
  readonly descending?: boolean | undefined
}

/** Port: rows and events of the ledger as committed. Lists come in pages. */
export class LedgerReader extends Context.Service<
  LedgerReader,
  {
    /** The newest event's position and hash. */
    readonly head: Effect.Effect<Head, ReadError>
    /** The message with this id, undefined where there is none. */
    readonly message: (messageId: string) => Effect.Effect<MessageRow | undefined, ReadError>
    /** A page of a run's messages in the order of their ids. */
    readonly messages: (runId: string, page: Page) => Effect.Effect<ReadonlyArray<MessageRow>, ReadError>
    /** A job with the counts of its steps, undefined where there is none. */
    readonly jobStatus: (jobId: string) => Effect.Effect<JobStatus | undefined, ReadError>
    /** A page of steps with their payloads, in the order of their ids. */
    readonly steps: (of: StepsOf, page: Page) => Effect.Effect<ReadonlyArray<StepRow>, ReadError>
    /** A page of receipts, in the order of their ids. */
    readonly receipts: (of: StepsOf, page: Page) => Effect.Effect<ReadonlyArray<ReceiptRow>, ReadError>
    /** A page of a run's steps without payloads, in the order of their ids. */
    readonly stepStates: (runId: string, page: Page) => Effect.Effect<ReadonlyArray<StepState>, ReadError>
    /** Runs in the order of their ids, as of `now` (a timestamp). */
    readonly runs: (now: string, page: Page) => Effect.Effect<ReadonlyArray<RunSummary>, ReadError>
    /** One run as of `now` (a timestamp); undefined when it has no message. */
    readonly run: (now: string, runId: string) => Effect.Effect<RunSummary | undefined, ReadError>
    /** The thought with this id, undefined where there is none. */
    readonly thought: (id: string) => Effect.Effect<ThoughtRow | undefined, ReadError>
    /** Ids of a kind in order, at most `limit`, from one on, which need not be there. */
    readonly ids: (
      kind: RowKind,
      from: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, ReadError>
    /** At most `limit` thoughts, fewer when they hold much text, none only at the end. */
    readonly thoughts: (of: ThoughtsOf) => Effect.Effect<ReadonlyArray<ThoughtRow>, ReadError>
    /** Events after a position in order, at most `limit`, of one stream, of a range of streams or of all. */
    readonly events: (
      after: number,
      limit: number,
      streams?: string | TextRange
    ) => Effect.Effect<ReadonlyArray<EventEnvelope>, ReadError>
    /** Events before a position, the newest in front, at most `limit`, of one stream or of all. */
    readonly eventsBefore: (
      before: number,
      limit: number,
      streamId?: string
    ) => Effect.Effect<ReadonlyArray<EventEnvelope>, ReadError>
    /** Events of a stream whose data holds a text, the newest in front. */
    readonly eventsMentioning: (
      of: EventsMentioning
    ) => Effect.Effect<ReadonlyArray<EventEnvelope>, ReadError>
    /** Runs behind one in the order of their ids, found without reading the events between. */
    readonly runPlaces: (page: Page) => Effect.Effect<ReadonlyArray<RunPlace>, ReadError>
    /** How many events a stream has. */
    readonly streamLength: (streamId: string) => Effect.Effect<number, ReadError>
    /** Leased steps as of `now` (a timestamp), the lease that ends first in front. */
    readonly leases: (now: string, of: PreparedLeases) => Effect.Effect<ReadonlyArray<LeasedStep>, ReadError>
    /** How the leases stand as of `now` (a timestamp) where a claim looks for a step. */
    readonly leaseCounts: (now: string, place: ClaimPlace) => Effect.Effect<LeaseCounts, ReadError>
    /** Receipts that are no SUCCESS, the newest in front. */
    readonly failures: (of: PreparedFailures) => Effect.Effect<ReadonlyArray<FailedReceipt>, ReadError>
    /** A page of the steps that wait, in the order in which claims take them. */
    readonly waiting: (of: PreparedWaiting) => Effect.Effect<ReadonlyArray<StepRow>, ReadError>
    /** A number that changes whenever anybody, in any process, has committed. */
    readonly changeCounter: Effect.Effect<number, ReadError>
    /** The counter once it is another one; looks every 50 milliseconds, in real time, and first after that. */
    readonly changeAfter: (counter: number) => Effect.Effect<number, ReadError>
  }
>()("cortex-cassette/application/LedgerReader") {}
