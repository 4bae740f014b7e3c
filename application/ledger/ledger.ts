// The ledger as its users see it: the commands, the queries, the event stream, verification. It decodes strictly,
// opens one span per public call and hands commands to the one writer. It knows ports, never SQLite, and never
// executes, schedules or retries the work that it records.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Identifier } from "../../domain/canonical/text.ts"
import { nearestTimestamp } from "../../domain/canonical/timestamp.ts"
import type { ClaimAny, ClaimStep, PostMessage } from "../../domain/ledger/commands.ts"
import type { Claimed } from "../../domain/ledger/decide.ts"
import type { InvalidInput, InvariantViolation } from "../../domain/foundation/errors.ts"
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import {
  type IdempotencyConflict,
  LedgerClosed,
  type NoPendingStep,
  type StoreWriteError
} from "../../domain/ledger/errors.ts"
import {
  type FailedReceipt,
  type LeasedStep,
  ListEvents,
  ListEventsBefore,
  ListFailures,
  ListIds,
  ListLeases,
  ListWaiting,
  type PendingStep,
  pendingSteps,
  Position,
  prepareEvents,
  prepareEventsBefore,
  prepareFailures,
  prepareLeases,
  prepareWaiting
} from "../../domain/ledger/lists.ts"
import { type EventEnvelope, type Head, runStream } from "../../domain/ledger/event-envelope.ts"
import { jobIdOfStep, messageIdOfJob, positionOfMessageId } from "../../domain/ledger/ids.ts"
import { DEFAULT_PAGE_ROWS, type Page, PageOptions, preparePage } from "../../domain/foundation/page.ts"
import type { MessageRow, ReceiptRow, StepRow } from "../../domain/ledger/rows.ts"
import type { Finding, VerificationReport } from "../../domain/ledger/verification.ts"
import { type ClaimWait, makeClaiming } from "./commands/claiming.ts"
import {
  type BatchResults,
  type CommandFailure,
  commandKinds,
  type CommandName,
  type Commands,
  type LedgerCommand,
  observed,
  type ReplyOf,
  submitBatch,
  submitCommand
} from "./commands/commands.ts"
import { LedgerWriter } from "./commands/command-writer.ts"
import { type CommitWatch, makeCommitWatch } from "./reading/commit-watch.ts"
import { eventStream, type EventStreamOptions } from "./reading/event-stream.ts"
import { clockWarning } from "./commands/head-check.ts"
import { Hashing } from "../foundation/hashing.ts"
import { decodeInput, onArguments } from "../foundation/input.ts"
import { whileOpen } from "../foundation/while-open.ts"
import type { RandomIds } from "./thoughts/random-ids.ts"
import { Thoughts } from "./thoughts/thoughts.ts"
import { Checkpoints } from "./proofs/checkpoints.ts"
import type { MerkleLog } from "./proofs/merkle-log.ts"
import { type BackupError, LedgerCopies } from "./verification/ledger-copies.ts"
import { LedgerEvidence } from "./verification/ledger-evidence.ts"
import {
  type JobStatus,
  LedgerReader,
  type ReadError,
  type RunSummary,
  type StepsOf,
  type StepState
} from "./reading/ledger-reader.ts"
import { LedgerStore } from "./commands/ledger-store.ts"
import { rowPages } from "./reading/row-pages.ts"
import { Signing } from "../foundation/signing.ts"
import {
  type LedgerState,
  stateAt,
  type StateAtOptions,
  type StateRows,
  stateRowsAt
} from "./reading/state-at.ts"
import { type VerificationError, type VerificationOptions, verify } from "./verification/verification.ts"
import { told, traced } from "../foundation/telemetry.ts"

/** A command as a method. */
type Method<Name extends CommandName> = (
  command: Commands[Name]["input"]
) => Effect.Effect<Commands[Name]["reply"], CommandFailure<Commands[Name]["refusal"]>>

/**
 * The operations of a ledger. Times are ISO 8601 in UTC with milliseconds, positions count events from 1, and
 * leases are in seconds.
 */
export interface LedgerShape {
  /** The id of this ledger, undefined when the file is too damaged to tell. */
  readonly ledgerId: string | undefined
  /**
   * Posts a message with its jobs and steps. With `claim` the first step is leased in the same transaction: `lease` is null only
   * where the same message was posted before and its first step was taken.
   */
  readonly postMessage: <C extends PostMessage>(
    command: C
  ) => Effect.Effect<ReplyOf<C & { readonly _tag: "PostMessage" }>, CommandFailure<IdempotencyConflict>>
  /**
   * Claims the oldest waiting step of a run (or of one job) under a lease with a fencing token. With `wait`, a duration, it
   * answers as soon as there is one: after that `NoPendingStep` says how the leases stand.
   */
  readonly claimStep: (
    command: ClaimStep & ClaimWait
  ) => Effect.Effect<Claimed, CommandFailure<NoPendingStep> | ReadError>
  /**
   * Claims the oldest waiting step of the next run that has one: behind `after_run` in the order of run ids, round and round.
   * `prefix` narrows to runs whose id begins with it; `wait` as for `claimStep`.
   */
  readonly claimAny: (
    command: ClaimAny & ClaimWait
  ) => Effect.Effect<Claimed, CommandFailure<NoPendingStep> | ReadError>
  /** Finishes a leased step with its receipt: `{ ...step.lease, receipt_payload, outcome }`. */
  readonly completeStep: Method<"CompleteStep">
  /** A new lease of the same step for its owner, with the next token; the old token is worth nothing at once. */
  readonly renewLease: Method<"RenewLease">
  /** Lets a leased step wait again. */
  readonly requeueStep: Method<"RequeueStep">
  /**
   * Up to 256 commands, decided in order in one transaction; one `Result` each, and all on disk when it answers. A refused
   * command leaves nothing, and the others stand.
   */
  readonly commands: <const Batch extends ReadonlyArray<LedgerCommand>>(
    commands: Batch
  ) => Effect.Effect<BatchResults<Batch>, InvalidInput | InvariantViolation | StoreWriteError>
  /** Leased steps, the lease that ends first in front, as of now. */
  readonly leases: (
    options?: ListLeases
  ) => Effect.Effect<ReadonlyArray<LeasedStep>, InvalidInput | ReadError>
  /** Waiting steps with their payloads, in the order of their runs and of claims, without claiming any. */
  readonly waiting: (
    options?: ListWaiting
  ) => Effect.Effect<ReadonlyArray<PendingStep>, InvalidInput | ReadError>
  /** Receipts of FAILURE and ABORTED with their run, the newest in front; `before` the position of the last one that was seen. */
  readonly failures: (
    options?: ListFailures
  ) => Effect.Effect<ReadonlyArray<FailedReceipt>, InvalidInput | ReadError>
  /** The head as soon as it is behind this position: at once for commits of this process, within 50 ms for others'. */
  readonly changed: (after: number) => Effect.Effect<Head, InvalidInput | ReadError>
  /** One page of the log behind a position: of one run, of the runs that begin with a prefix, of a task's thoughts, or of all. */
  readonly eventsAfter: (
    options?: ListEvents
  ) => Effect.Effect<ReadonlyArray<EventEnvelope>, InvalidInput | ReadError>
  /** One page of the log before a position, the newest in front: of one run, of one of its steps, of a task, or of all. */
  readonly eventsBefore: (
    options?: ListEventsBefore
  ) => Effect.Effect<ReadonlyArray<EventEnvelope>, InvalidInput | ReadError>
  /** The first ids of a kind that begin with a text, in their order, behind the id `after`. */
  readonly ids: (options: ListIds) => Effect.Effect<ReadonlyArray<string>, InvalidInput | ReadError>

  /** What forbids to write, found at opening; queries and verification work all the same. */
  readonly fault: Finding | undefined
  /** Sentences for people: a copy is being read, the clock is behind the newest event. */
  readonly warnings: Effect.Effect<ReadonlyArray<string>, ReadError>
  /** The newest event's position and hash: position 0 and 64 zeros where there is none. */
  readonly head: Effect.Effect<Head, ReadError>
  /** The message with this id, undefined where there is none. */
  readonly message: (messageId: string) => Effect.Effect<MessageRow | undefined, InvalidInput | ReadError>
  /** A run's messages in the order of their ids: at most `limit` (default 1,000), behind the id `after`. */
  readonly messages: (
    runId: string,
    page?: PageOptions
  ) => Effect.Effect<ReadonlyArray<MessageRow>, InvalidInput | ReadError>
  /** A job with the counts of its steps, undefined where there is none. */
  readonly jobStatus: (jobId: string) => Effect.Effect<JobStatus | undefined, InvalidInput | ReadError>
  /** Steps with their payloads, in the order of their ids; paged as `messages`. */
  readonly steps: (
    of: StepsOf,
    page?: PageOptions
  ) => Effect.Effect<ReadonlyArray<StepRow>, InvalidInput | ReadError>
  /** Receipts in the order of their ids; paged as `messages`. */
  readonly receipts: (
    of: StepsOf,
    page?: PageOptions
  ) => Effect.Effect<ReadonlyArray<ReceiptRow>, InvalidInput | ReadError>
  /** Where a run's steps stand, without any payload; paged as `messages`. */
  readonly stepStates: (
    runId: string,
    page?: PageOptions
  ) => Effect.Effect<ReadonlyArray<StepState>, InvalidInput | ReadError>
  /** How many events a run has: 0 for one that is not there. Counted in an index, without reading any event. */
  readonly runLength: (runId: string) => Effect.Effect<number, InvalidInput | ReadError>
  /** One run at a glance as of now; undefined when the run has no message. */
  readonly runSummary: (runId: string) => Effect.Effect<RunSummary | undefined, InvalidInput | ReadError>
  /** All runs at a glance as of now, in the order of their ids. */
  readonly runs: Effect.Effect<ReadonlyArray<RunSummary>, ReadError>
  /** As `runs`, read page by page, so that no number of runs is too large. */
  readonly runStream: Stream.Stream<RunSummary, ReadError>
  /** The event log: catch-up, then live, also across processes. */
  readonly events: (options?: EventStreamOptions) => Stream.Stream<EventEnvelope, ReadError | InvalidInput>
  /** The tables' rows as they were after the event at a position, or at a time, folded from the log. */
  readonly stateAt: (options: StateAtOptions) => Effect.Effect<LedgerState, ReadError | InvalidInput>
  /** As `stateAt`, with the rows as streams, so that no state is too large; they end with the scope. */
  readonly stateRowsAt: (
    options: StateAtOptions
  ) => Effect.Effect<StateRows, ReadError | InvalidInput, Scope.Scope>

  /** Checks structure, chain, projections, receipts and leases; a negative verdict is a report, not an error. */
  readonly verifyCassette: (
    options?: VerificationOptions
  ) => Effect.Effect<VerificationReport, VerificationError>
  /** Writes a consistent copy to a file that does not exist yet. */
  readonly backup: (file: string) => Effect.Effect<void, BackupError>
  /**
   * Writes a database that is rebuilt from the log alone to a file that does not exist yet; what does not verify is
   * `StoreCorrupt` with its first finding, and no file is left.
   */
  readonly rebuild: (file: string) => Effect.Effect<VerificationReport, BackupError>
}

const decodePage = decodeInput(PageOptions, preparePage)

const decodeId = decodeInput(Identifier, Result.succeed)
const decodeStepsOf = decodeInput(
  Schema.Union([
    Schema.Struct({ run_id: Identifier }),
    Schema.Struct({ message_id: Identifier }),
    Schema.Struct({ job_id: Identifier })
  ]),
  Result.succeed
)

/** A query by one id, which stands in this field elsewhere. */
const byId = <A, E>(name: string, field: string, query: (id: string) => Effect.Effect<A, E>) =>
  traced(`cassette.ledger.${name}`)(
    function* (id: string) {
      return yield* query(yield* Effect.fromResult(decodeId(id)))
    },
    (effect, id) => told(effect, { [field]: id })
  )

/** A query of a list, page by page. */
const paged = <Of, Row>(
  name: string,
  decode: (of: Of) => Result.Result<Of, InvalidInput>,
  query: (of: Of, page: Page) => Effect.Effect<ReadonlyArray<Row>, ReadError>
) =>
  traced(`cassette.ledger.${name}`)(
    function* (of: Of, options: PageOptions = {}) {
      return yield* query(yield* Effect.fromResult(decode(of)), yield* Effect.fromResult(decodePage(options)))
    },
    (effect, of) => told(effect, typeof of === "string" ? { run_id: of } : of)
  )

const decodeLeases = decodeInput(ListLeases, prepareLeases)
const decodeWaiting = decodeInput(ListWaiting, prepareWaiting)
const decodeFailures = decodeInput(ListFailures, prepareFailures)
const decodeEvents = decodeInput(ListEvents, prepareEvents)
const decodeEventsBefore = decodeInput(ListEventsBefore, prepareEventsBefore)
const decodeIds = decodeInput(ListIds, Result.succeed)
const decodePosition = decodeInput(Position, Result.succeed)

/** The head once it is behind a position. */
const headBehind = (reader: LedgerReader["Service"], { feed, listening }: CommitWatch, position: number) =>
  Effect.gen(function* () {
    const head = yield* reader.head
    if (head.position > position) return head
    return yield* listening(
      Effect.gen(function* () {
        while (true) {
          const nextCommit = feed.wait()
          const newest = yield* reader.head
          if (newest.position > position) return newest
          yield* nextCommit
        }
      })
    )
  })

const runLengthOf = (reader: LedgerReader["Service"]) => (runId: string) =>
  reader.streamLength(runStream(runId))

/** Ids of runs in order, from one on, which need not be there. */
const runIdsFrom = Effect.fnUntraced(function* (
  reader: LedgerReader["Service"],
  from: string,
  limit: number
) {
  const first = yield* reader.eventsBefore(Number.MAX_SAFE_INTEGER, 1, runStream(from))
  const behind = yield* reader.runPlaces({ after: from, limit })
  return [...(first.length === 0 ? [] : [from]), ...behind.map(({ run_id }) => run_id)].slice(0, limit)
})

/** Everything that a ledger, its thoughts and its checkpoints need of a store and of the host. */
export type LedgerPorts =
  | LedgerStore
  | LedgerReader
  | LedgerEvidence
  | MerkleLog
  | Hashing
  | Signing
  | RandomIds

/** What a ledger answers that is asked for a copy and has no port for them. */
const noFile = () =>
  new StorageFailure({
    file: "the ledger",
    code: "NO_FILE",
    reason: "it lies in no file that could be copied: write its events down instead"
  })

const makeLedger: Effect.Effect<
  LedgerShape,
  never,
  LedgerStore | LedgerReader | LedgerEvidence | Hashing | Signing | LedgerWriter
> = Effect.gen(function* () {
  const store = yield* LedgerStore
  const reader = yield* LedgerReader
  const evidence = yield* LedgerEvidence
  const hashing = yield* Hashing
  const writer = yield* LedgerWriter
  const found = yield* Effect.serviceOption(LedgerCopies)
  const copies = Effect.suspend(() =>
    Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(noFile())
  )
  const ports = Context.make(LedgerEvidence, evidence).pipe(
    Context.add(Hashing, hashing),
    Context.add(Signing, yield* Signing)
  )

  const nowText = Effect.map(Clock.currentTimeMillis, nearestTimestamp)
  const run = (runId: string) => Effect.flatMap(nowText, (now) => reader.run(now, runId))
  const runStream = Stream.unwrap(
    Effect.map(nowText, (now) =>
      rowPages({
        page: (last: RunSummary | undefined) =>
          reader.runs(now, { after: last?.run_id ?? "", limit: DEFAULT_PAGE_ROWS }),
        placeOf: ({ run_id }) => [run_id],
        nameOf: ({ run_id }) => `run ${run_id}`
      })
    )
  )

  const watch = makeCommitWatch(writer.committed, reader, yield* Effect.context<never>())
  const { claimAny, claimStep } = makeClaiming(writer, reader, watch)
  /** A command by its method's name. */
  const command = <Name extends CommandName>(name: Name) => {
    const kind = commandKinds[name]
    const observe = observed(kind.method)
    return (input: Commands[Name]["input"]) =>
      observe(input, (trace) => submitCommand(writer, kind, input, trace))
  }
  const observeClaim = observed("claimStep")
  const observeClaimAny = observed("claimAny")
  return {
    ledgerId: store.ledgerId,
    postMessage: command("PostMessage") as LedgerShape["postMessage"],
    claimStep: (input) => observeClaim(input, (trace) => claimStep(input, trace)),
    claimAny: (input) => observeClaimAny(input, (trace) => claimAny(input, trace)),
    completeStep: command("CompleteStep"),
    renewLease: command("RenewLease"),
    requeueStep: command("RequeueStep"),
    commands: (commands) => submitBatch(writer, commands),
    fault: store.fault,
    warnings: Effect.gen(function* () {
      const warning = clockWarning(yield* reader.head, yield* Clock.currentTimeMillis)
      return warning === undefined ? evidence.warnings : [...evidence.warnings, warning]
    }).pipe(Effect.withSpan("cassette.ledger.warnings")),
    head: reader.head.pipe(told, Effect.withSpan("cassette.ledger.head")),
    message: byId("message", "message_id", reader.message),
    messages: paged("messages", decodeId, reader.messages),
    jobStatus: byId("jobStatus", "job_id", reader.jobStatus),
    steps: paged("steps", decodeStepsOf, reader.steps),
    receipts: paged("receipts", decodeStepsOf, reader.receipts),
    stepStates: paged("stepStates", decodeId, reader.stepStates),
    runLength: byId("runLength", "run_id", runLengthOf(reader)),
    runSummary: byId("runSummary", "run_id", run),
    runs: Stream.runCollect(runStream).pipe(Effect.withSpan("cassette.ledger.runs")),
    runStream: runStream.pipe(Stream.withSpan("cassette.ledger.runStream")),
    leases: traced("cassette.ledger.leases")(function* (options = {}) {
      const of = yield* Effect.fromResult(decodeLeases(options))
      return yield* reader.leases(yield* nowText, of)
    }),
    waiting: traced("cassette.ledger.waiting")(function* (options = {}) {
      const rows = yield* reader.waiting(yield* Effect.fromResult(decodeWaiting(options)))
      return yield* Effect.fromResult(pendingSteps(rows))
    }),
    failures: traced("cassette.ledger.failures")(function* (options = {}) {
      return yield* reader.failures(yield* Effect.fromResult(decodeFailures(options)))
    }),
    changed: traced("cassette.ledger.changed")(function* (after) {
      const position = yield* Effect.fromResult(decodePosition(after))
      return yield* headBehind(reader, watch, position)
    }),
    eventsAfter: traced("cassette.ledger.eventsAfter")(function* (options = {}) {
      const { after, limit, streams } = yield* Effect.fromResult(decodeEvents(options))
      return yield* reader.events(after, limit, streams)
    }),
    eventsBefore: traced("cassette.ledger.eventsBefore")(function* (options = {}) {
      const { before, limit, step_id, stream_id } = yield* Effect.fromResult(decodeEventsBefore(options))
      if (step_id === undefined || stream_id === undefined) {
        return yield* reader.eventsBefore(before, limit, stream_id)
      }
      // An id that is no step's is mentioned nowhere.
      const after = positionOfMessageId(messageIdOfJob(jobIdOfStep(step_id))) ?? before
      return yield* reader.eventsMentioning({ stream_id, text: step_id, after, before, limit })
    }),
    ids: traced("cassette.ledger.ids")(function* (options) {
      const { after, kind, limit = DEFAULT_PAGE_ROWS, prefix } = yield* Effect.fromResult(decodeIds(options))
      // No id holds U+0000, so nothing stands between an id and that with it.
      const from = after === undefined ? prefix : `${after}\u0000`
      const ids = yield* kind === "run" ? runIdsFrom(reader, from, limit) : reader.ids(kind, from, limit)
      return ids.filter((id) => id.startsWith(prefix))
    }),
    events: (options) => eventStream(reader, watch, options).pipe(Stream.withSpan("cassette.ledger.events")),
    stateAt: (options) =>
      stateAt(options).pipe(Effect.provideContext(ports), Effect.withSpan("cassette.ledger.stateAt")),
    stateRowsAt: (options) =>
      stateRowsAt(options).pipe(
        Effect.provideService(LedgerEvidence, evidence),
        Effect.withSpan("cassette.ledger.stateRowsAt")
      ),
    verifyCassette: (options) =>
      verify(options).pipe(Effect.provideContext(ports), Effect.withSpan("cassette.ledger.verifyCassette")),
    backup: traced("cassette.ledger.backup")((file: string) =>
      onArguments({ texts: { file } }, () => Effect.flatMap(copies, ({ backup }) => backup(file)))
    ),
    rebuild: traced("cassette.ledger.rebuild")((file: string) =>
      onArguments({ texts: { file } }, () => Effect.flatMap(copies, ({ rebuild }) => rebuild(file)))
    )
  }
})

/** The work ledger: messages become jobs and steps, which workers claim under leases and finish with receipts. */
export class Ledger extends Context.Service<Ledger, LedgerShape>()("cortex-cassette/Ledger") {
  /**
   * The ledger over ports that the host brings, with the writer that other services of the same log are built over;
   * `queueCapacity` commands may wait before callers must.
   */
  static readonly layerWith = (options: { readonly queueCapacity?: number | undefined } = {}) =>
    Layer.effect(this, makeLedger).pipe(Layer.provideMerge(LedgerWriter.layerWith(options)))

  /** The ledger over ports that the host brings, with the default queue. */
  static readonly layerNoDeps = Layer.orDie(this.layerWith())

  /**
   * The ledger, its thoughts and its checkpoints over a layer of ports, any of which may be the host's own. The scope's end
   * finishes what waits and what runs, then closes the ports; what is asked of the services later is `LedgerClosed`.
   */
  static readonly layerFrom = <E, R>(
    ports: Layer.Layer<LedgerPorts, E, R>,
    options: { readonly queueCapacity?: number | undefined } = {}
  ): Layer.Layer<Ledger | Thoughts | Checkpoints, E | InvalidInput, R> =>
    whileOpen(
      Layer.merge(Checkpoints.layerNoDeps, Thoughts.layerNoDeps).pipe(
        Layer.provideMerge(Ledger.layerWith(options)),
        Layer.provide(ports)
      ),
      [Ledger, Thoughts, Checkpoints],
      () => new LedgerClosed(),
      (context) => Context.get(context, LedgerWriter).committed.close()
    )
}
