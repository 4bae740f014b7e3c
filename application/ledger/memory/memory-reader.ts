// The query port over a ledger in memory: every answer is worked out from the rows when it is asked for.
import * as Effect from "effect/Effect"
import { compareCodePoints } from "../../../domain/canonical/py.ts"
import type { Page } from "../../../domain/foundation/page.ts"
import type { ClaimPlace } from "../../../domain/ledger/commands.ts"
import { messageIdOfJob, receiptIdOf } from "../../../domain/ledger/ids.ts"
import type {
  FailedReceipt,
  RowKind,
  LeaseCounts,
  LeasedStep,
  PreparedFailures,
  PreparedLeases,
  PreparedWaiting
} from "../../../domain/ledger/lists.ts"
import { oneText, type TextRange, textsWithPrefix } from "../../../domain/ledger/run-range.ts"
import type { LedgerTable, ReceiptRow, StepRow, ThoughtRow } from "../../../domain/ledger/rows.ts"
import { runOfStream } from "../../../domain/ledger/event-envelope.ts"
import type {
  JobStatus,
  LedgerReader,
  RunPlace,
  StepsOf,
  StepState,
  ThoughtsOf
} from "../reading/ledger-reader.ts"
import type { MemoryLedger } from "./memory-ledger.ts"
import type { MemoryTables } from "./memory-tables.ts"

const isWithin = (text: string, { before, from }: TextRange): boolean =>
  compareCodePoints(text, from) >= 0 && (before === undefined || compareCodePoints(text, before) < 0)

/** Negative where the first row stands before the other, by their texts one after the other. */
const compareTexts = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): number => {
  for (const [index, text] of left.entries()) {
    const order = compareCodePoints(text, right[index] ?? "")
    if (order !== 0) return order
  }
  return 0
}

const pageOf = <Row>(
  rows: ReadonlyArray<Row>,
  idOf: (row: Row) => string,
  { after, limit }: Page
): ReadonlyArray<Row> => rows.filter((row) => compareCodePoints(idOf(row), after) > 0).slice(0, limit)

const stepsOf = (tables: MemoryTables, of: StepsOf): ReadonlyArray<StepRow> =>
  tables
    .sorted("cassette_steps")
    .filter((step) =>
      "run_id" in of
        ? step.run_id === of.run_id
        : "job_id" in of
          ? step.job_id === of.job_id
          : messageIdOfJob(step.job_id) === of.message_id
    )

const receiptsOf = (tables: MemoryTables, of: StepsOf): ReadonlyArray<ReceiptRow> =>
  stepsOf(tables, of).flatMap(({ step_id }) => tables.receipt(receiptIdOf(step_id)) ?? [])

const stateOf = (tables: MemoryTables, step: StepRow): StepState => {
  const { payload_json: _payload, run_id: _run, event_position: _position, ...state } = step
  const receipt = tables.receipt(receiptIdOf(step.step_id))
  return { ...state, receipt_id: receipt?.receipt_id ?? null, outcome: receipt?.outcome ?? null }
}

const jobStatusOf = (tables: MemoryTables, job_id: string): JobStatus | undefined => {
  const job = tables.job(job_id)
  if (job === undefined) return undefined
  const steps = stepsOf(tables, { job_id })
  const count = (status: StepRow["status"]) => steps.filter((step) => step.status === status).length
  const outcomes: Record<string, number> = {}
  for (const { outcome } of receiptsOf(tables, { job_id })) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  return { job, pending: count("PENDING"), leased: count("LEASED"), committed: count("COMMITTED"), outcomes }
}

const thoughtsOf = (
  tables: MemoryTables,
  { after, descending = false, limit, task_id }: ThoughtsOf
): ReadonlyArray<ThoughtRow> => {
  const all = tables.allThoughts().filter((row) => task_id === undefined || row.task_id === task_id)
  const ordered = descending ? all.toReversed() : all
  const isBehind = ({ event_position }: ThoughtRow) =>
    after === undefined || (descending ? event_position < after : event_position > after)
  return ordered.filter(isBehind).slice(0, limit)
}

/** The leased steps, the lease that ends first in front. */
const leasedSteps = (tables: MemoryTables, now: string): ReadonlyArray<LeasedStep> =>
  tables
    .sorted("cassette_steps")
    .flatMap(({ fencing_token, job_id, lease_expires_at, lease_owner, run_id, status, step_id }) =>
      status !== "LEASED" || lease_owner === null || lease_expires_at === null
        ? []
        : {
            run_id,
            step_id,
            job_id,
            worker_id: lease_owner,
            fencing_token,
            lease_expires_at,
            expired: lease_expires_at <= now
          }
    )
    .sort((left, right) =>
      compareTexts([left.lease_expires_at, left.step_id], [right.lease_expires_at, right.step_id])
    )

const leasesOf = (
  tables: MemoryTables,
  now: string,
  { after, expired, limit, runs }: PreparedLeases
): ReadonlyArray<LeasedStep> =>
  leasedSteps(tables, now)
    .filter(
      (lease) =>
        isWithin(lease.run_id, runs) &&
        (expired === undefined || lease.expired === expired) &&
        compareTexts([lease.lease_expires_at, lease.step_id], [after.lease_expires_at, after.step_id]) > 0
    )
    .slice(0, limit)

const leaseCountsOf = (tables: MemoryTables, now: string, place: ClaimPlace): LeaseCounts => {
  const runs = "run_id" in place ? oneText(place.run_id) : textsWithPrefix(place.prefix)
  const job = "run_id" in place ? place.job_id : undefined
  const leases = leasedSteps(tables, now).filter(
    ({ job_id, run_id }) => isWithin(run_id, runs) && (job === undefined || job_id === job)
  )
  return {
    leased: leases.length,
    expired: leases.filter(({ expired }) => expired).length,
    earliest_expiry: leases[0]?.lease_expires_at ?? null
  }
}

const waitingOf = (tables: MemoryTables, { after, limit, runs }: PreparedWaiting): ReadonlyArray<StepRow> =>
  tables
    .sorted("cassette_steps")
    .filter(
      ({ run_id, status, step_id }) =>
        status === "PENDING" &&
        isWithin(run_id, runs) &&
        compareTexts([run_id, step_id], [after.run_id, after.step_id]) > 0
    )
    .sort((left, right) => compareTexts([left.run_id, left.step_id], [right.run_id, right.step_id]))
    .slice(0, limit)

const failuresOf = (
  tables: MemoryTables,
  { before, limit, runs }: PreparedFailures
): ReadonlyArray<FailedReceipt> =>
  tables
    .sorted("cassette_receipts")
    .filter(({ event_position, outcome }) => outcome !== "SUCCESS" && event_position < before)
    .map((receipt) => Object.assign({ run_id: tables.step(receipt.step_id)?.run_id ?? "" }, receipt))
    .filter(({ run_id }) => isWithin(run_id, runs))
    .sort((left, right) => right.event_position - left.event_position)
    .slice(0, limit)

/** The runs in the order of their ids. */
const runPlacesOf = ({ events }: MemoryLedger): ReadonlyArray<RunPlace> => {
  const places = new Map<string, RunPlace>()
  for (const { position, recorded_at, stream_id } of events) {
    const run_id = runOfStream(stream_id)
    if (run_id !== undefined) places.set(run_id, { run_id, position, recorded_at })
  }
  return [...places.values()].sort((left, right) => compareCodePoints(left.run_id, right.run_id))
}

/** The table whose keys are the ids of a kind. */
const idTables: { readonly [Kind in RowKind]: LedgerTable } = {
  message: "cassette_messages",
  job: "cassette_jobs",
  step: "cassette_steps",
  receipt: "cassette_receipts",
  thought: "thought_records"
}

/** The query port on a ledger in memory. */
export const memoryReader = (ledger: MemoryLedger): LedgerReader["Service"] => {
  const { tables } = ledger
  const now = <A>(answer: () => A): Effect.Effect<A> => Effect.sync(answer)
  return {
    head: now(() => ledger.head),
    message: (messageId) => now(() => tables.message(messageId)),
    messages: (runId, page) =>
      now(() =>
        pageOf(
          tables.sorted("cassette_messages").filter(({ run_id }) => run_id === runId),
          ({ message_id }) => message_id,
          page
        )
      ),
    jobStatus: (jobId) => now(() => jobStatusOf(tables, jobId)),
    steps: (of, page) => now(() => pageOf(stepsOf(tables, of), ({ step_id }) => step_id, page)),
    receipts: (of, page) => now(() => pageOf(receiptsOf(tables, of), ({ receipt_id }) => receipt_id, page)),
    stepStates: (run_id, page) =>
      now(() =>
        pageOf(stepsOf(tables, { run_id }), ({ step_id }) => step_id, page).map((step) =>
          stateOf(tables, step)
        )
      ),
    runs: (at, page) => now(() => tables.runs(at, page)),
    run: (at, runId) => now(() => tables.run(at, runId)),
    thought: (id) => now(() => tables.thought(id)),
    ids: (kind, from, limit) => now(() => tables.keysFrom(idTables[kind], from).slice(0, limit)),
    thoughts: (of) => now(() => thoughtsOf(tables, of)),
    events: (after, limit, streams) =>
      now(() =>
        ledger.eventsAfter(after, limit, ({ stream_id }) =>
          typeof streams === "string"
            ? stream_id === streams
            : streams === undefined || isWithin(stream_id, streams)
        )
      ),
    eventsBefore: (before, limit, streamId) =>
      now(() =>
        ledger.events
          .filter(
            ({ position, stream_id }) =>
              position < before && (streamId === undefined || stream_id === streamId)
          )
          .toReversed()
          .slice(0, limit)
      ),
    eventsMentioning: ({ after, before, limit, stream_id, text }) =>
      now(() =>
        ledger.events
          .filter(
            (event) =>
              event.position > after &&
              event.position < before &&
              event.stream_id === stream_id &&
              event.data.includes(text)
          )
          .toReversed()
          .slice(0, limit)
      ),
    runPlaces: ({ after, limit }) =>
      now(() =>
        runPlacesOf(ledger)
          .filter(({ run_id }) => compareCodePoints(run_id, after) > 0)
          .slice(0, limit)
      ),
    streamLength: (streamId) =>
      now(() => ledger.events.filter(({ stream_id }) => stream_id === streamId).length),
    leases: (at, of) => now(() => leasesOf(tables, at, of)),
    leaseCounts: (at, place) => now(() => leaseCountsOf(tables, at, place)),
    failures: (of) => now(() => failuresOf(tables, of)),
    waiting: (of) => now(() => waitingOf(tables, of)),
    changeCounter: now(() => ledger.events.length),
    // Only this process can commit: there is nothing to look for, and a commit tells of itself.
    changeAfter: (counter) =>
      Effect.callback((resume) => {
        const stop = ledger.onCommit(() => {
          if (ledger.events.length === counter) return
          stop()
          resume(Effect.succeed(ledger.events.length))
        })
        return Effect.sync(stop)
      })
  }
}
