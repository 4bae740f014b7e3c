// The ledger as its users see it: four commands, the queries, the event stream, verification. It decodes strictly,
// opens one span per public call and hands commands to the one writer. It knows ports, never SQLite, and never
// executes, schedules or retries the work that it records.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Identifier } from "../../domain/canonical/text.ts"
import { nearestTimestamp } from "../../domain/canonical/timestamp.ts"
import {
  ClaimStep,
  CompleteStep,
  PostMessage,
  prepareClaim,
  prepareCompletion,
  preparePost,
  prepareRequeue,
  RequeueStep,
  weightOfPost
} from "../../domain/ledger/commands.ts"
import {
  type Claimed,
  type Completed,
  decideClaim,
  decideCompletion,
  decidePost,
  decideRequeue,
  type Posted,
  type Requeued,
  type StepStanding
} from "../../domain/ledger/decide.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { NoPendingStep } from "../../domain/ledger/errors.ts"
import type { EventEnvelope, Head } from "../../domain/ledger/event-envelope.ts"
import { DEFAULT_PAGE_ROWS, type Page, PageOptions, preparePage } from "../../domain/foundation/page.ts"
import type { MessageRow, ReceiptRow, StepRow } from "../../domain/ledger/rows.ts"
import type { Finding, VerificationReport } from "../../domain/ledger/verification.ts"
import type { CommandError, UnitOfWork } from "./commands/command-group.ts"
import { type CommandWriter, LedgerWriter } from "./commands/command-writer.ts"
import { eventStream, type EventStreamOptions } from "./reading/event-stream.ts"
import { clockWarning } from "./commands/head-check.ts"
import { Hashing } from "../foundation/hashing.ts"
import { decodeInput } from "../foundation/input.ts"
import { type BackupError, LedgerEvidence } from "./verification/ledger-evidence.ts"
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

export interface LedgerShape {
  /** The id of this ledger, undefined when the file is too damaged to tell. */
  readonly ledgerId: string | undefined
  /** Posts a message with its jobs and steps. */
  readonly postMessage: (command: PostMessage) => Effect.Effect<Posted, InvalidInput | CommandError>
  /** Claims the oldest waiting step of a run (or of one job) under a lease with a fencing token. */
  readonly claimStep: (command: ClaimStep) => Effect.Effect<Claimed, InvalidInput | CommandError>
  /** Finishes a leased step with its receipt. */
  readonly completeStep: (command: CompleteStep) => Effect.Effect<Completed, InvalidInput | CommandError>
  /** Lets a leased step wait again. */
  readonly requeueStep: (command: RequeueStep) => Effect.Effect<Requeued, InvalidInput | CommandError>

  /** What forbids to write, found at opening; queries and verification work all the same. */
  readonly fault: Finding | undefined
  /** Sentences for people: a copy is being read, the clock is behind the newest event. */
  readonly warnings: Effect.Effect<ReadonlyArray<string>, ReadError>
  readonly head: Effect.Effect<Head, ReadError>
  readonly message: (messageId: string) => Effect.Effect<MessageRow | undefined, InvalidInput | ReadError>
  /** A run's messages in the order of their ids: at most `limit` (default 1,000), behind the id `after`. */
  readonly messages: (
    runId: string,
    page?: PageOptions
  ) => Effect.Effect<ReadonlyArray<MessageRow>, InvalidInput | ReadError>
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

/** Counts one command by its outcome: `done`, or the tag of the error. */
export const commandCounter = (command: string, outcome: string): Metric.Counter<number> =>
  Metric.counter("cassette_ledger_commands", {
    description: "Commands by name and outcome: done, or the tag of the error",
    incremental: true,
    attributes: { command, outcome }
  })

/**
 * One public command: strict decoding and preparation outside the lock, then the writer. Nothing below it opens a
 * span, so its own is taken in the way that captures no stack: that would cost more than the decision does.
 */
const command = <Command, Prepared, Reply>(
  writer: CommandWriter,
  name: string,
  decode: (input: Command) => Result.Result<Prepared, InvalidInput>,
  work: (prepared: Prepared) => UnitOfWork<Reply>,
  weigh?: (prepared: Prepared) => number
) => {
  const done = commandCounter(name, "done")
  const answer = (input: Command): Effect.Effect<Reply, InvalidInput | CommandError> => {
    const prepared = decode(input)
    return Result.isFailure(prepared)
      ? Effect.fail(prepared.failure)
      : writer.submit(work(prepared.success), weigh?.(prepared.success))
  }
  return (input: Command): Effect.Effect<Reply, InvalidInput | CommandError> =>
    Effect.useSpan(`Ledger.${name}`, () =>
      Effect.withFiber(({ context }) =>
        Effect.mapBoth(answer(input), {
          onSuccess: (reply) => {
            done.updateUnsafe(1, context)
            return reply
          },
          onFailure: (error) => {
            commandCounter(name, error._tag).updateUnsafe(1, context)
            return error
          }
        })
      )
    )
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

/** A query by one id. */
const byId = <A, E>(name: string, query: (id: string) => Effect.Effect<A, E>) =>
  Effect.fn(`Ledger.${name}`)(function* (id: string) {
    return yield* query(yield* Effect.fromResult(decodeId(id)))
  })

/** A query of a list, page by page. */
const paged = <Of, Row>(
  name: string,
  decode: (of: Of) => Result.Result<Of, InvalidInput>,
  query: (of: Of, page: Page) => Effect.Effect<ReadonlyArray<Row>, ReadError>
) =>
  Effect.fn(`Ledger.${name}`)(function* (of: Of, options: PageOptions = {}) {
    return yield* query(yield* Effect.fromResult(decode(of)), yield* Effect.fromResult(decodePage(options)))
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

  const claimStep = command(
    writer,
    "claimStep",
    decodeInput(ClaimStep, prepareClaim),
    (prepared) => (transaction, moment) =>
      decideClaim(prepared, transaction.nextPendingStep(prepared.run_id, prepared.job_id), moment)
  )

  /** Says how the run's leases stand beside a claim that found nothing; looked up outside the lock. */
  const withLeases = Effect.fnUntraced(function* ({ job_id, run_id }: NoPendingStep) {
    const { expired_leases: ended = 0, leased = 0 } = (yield* run(run_id)) ?? {}
    return yield* new NoPendingStep({ run_id, job_id, leases: { running: leased - ended, ended } })
  })

  return {
    ledgerId: store.ledgerId,
    postMessage: command(
      writer,
      "postMessage",
      decodeInput(PostMessage, preparePost),
      (prepared) => (transaction, moment) =>
        decidePost(
          prepared,
          prepared.idempotency_key === null
            ? undefined
            : transaction.messageByKey(prepared.run_id, prepared.idempotency_key),
          moment
        ),
      weightOfPost
    ),
    claimStep: (input) => Effect.catchTag(claimStep(input), "NoPendingStep", withLeases),
    completeStep: command(
      writer,
      "completeStep",
      decodeInput(CompleteStep, prepareCompletion),
      (prepared) => (transaction, moment) =>
        decideCompletion(prepared, ...stepWithReceipt(transaction, prepared.step_id), moment)
    ),
    requeueStep: command(
      writer,
      "requeueStep",
      decodeInput(RequeueStep, prepareRequeue),
      (prepared) => (transaction, moment) =>
        decideRequeue(prepared, ...stepWithReceipt(transaction, prepared.step_id), moment)
    ),
    fault: store.fault,
    warnings: Effect.gen(function* () {
      const warning = clockWarning(yield* reader.head, yield* Clock.currentTimeMillis)
      return warning === undefined ? evidence.warnings : [...evidence.warnings, warning]
    }).pipe(Effect.withSpan("Ledger.warnings")),
    head: reader.head.pipe(Effect.withSpan("Ledger.head")),
    message: byId("message", reader.message),
    messages: paged("messages", decodeId, reader.messages),
    jobStatus: byId("jobStatus", reader.jobStatus),
    steps: paged("steps", decodeStepsOf, reader.steps),
    receipts: paged("receipts", decodeStepsOf, reader.receipts),
    stepStates: paged("stepStates", decodeId, reader.stepStates),
    runSummary: byId("runSummary", run),
    runs: Stream.runCollect(runStream).pipe(Effect.withSpan("Ledger.runs")),
    runStream: runStream.pipe(Stream.withSpan("Ledger.runStream")),
    events: (options) =>
      eventStream(reader, writer.committed, options).pipe(Stream.withSpan("Ledger.events")),
    stateAt: (options) =>
      stateAt(options).pipe(Effect.provideContext(ports), Effect.withSpan("Ledger.stateAt")),
    stateRowsAt: (options) =>
      stateRowsAt(options).pipe(
        Effect.provideService(LedgerEvidence, evidence),
        Effect.withSpan("Ledger.stateRowsAt")
      ),
    verifyCassette: (options) =>
      verify(options).pipe(Effect.provideContext(ports), Effect.withSpan("Ledger.verifyCassette")),
    backup: Effect.fn("Ledger.backup")(evidence.backup),
    rebuild: Effect.fn("Ledger.rebuild")(evidence.rebuild)
  }
})

/** A step with the receipt that it has once it is committed; without one the look-up is saved. */
const stepWithReceipt = (
  transaction: Parameters<UnitOfWork<unknown>>[0],
  stepId: string
): [StepStanding | undefined, ReceiptRow | undefined] => {
  const step = transaction.step(stepId)
  return [step, step?.status === "COMMITTED" ? transaction.receiptOfStep(stepId) : undefined]
}

export class Ledger extends Context.Service<Ledger, LedgerShape>()("cortex-cassette/Ledger") {
  /**
   * The ledger over ports that the host brings, with the writer that other services of the same log are built over;
   * `queueCapacity` commands may wait before callers must.
   */
  static readonly layerWith = (options: { readonly queueCapacity?: number | undefined } = {}) =>
    Layer.effect(this, makeLedger).pipe(Layer.provideMerge(LedgerWriter.layerWith(options)))

  /** The ledger over ports that the host brings, with the default queue. */
  static readonly layerNoDeps = Layer.orDie(this.layerWith())
}
