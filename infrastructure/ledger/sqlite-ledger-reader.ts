// The query port over SQL, on a read-only connection beside the writer's. Each query is one statement or one
// snapshot, so an answer never mixes two moments of a run, also while other processes commit.
import * as Effect from "effect/Effect"
import {
  type LedgerReader,
  type RunPlace,
  type RunSummary,
  type StepsOf,
  type StepState,
  type ThoughtsOf
} from "../../application/ledger/reading/ledger-reader.ts"
import { corrupt } from "../../application/ledger/commands/head-check.ts"
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import { StoreCorrupt } from "../../domain/ledger/errors.ts"
import type { Page } from "../../domain/foundation/page.ts"
import { runOfStream, runStream } from "../../domain/ledger/event-envelope.ts"
import { compareCodePoints } from "../../domain/canonical/py.ts"
import type { ClaimPlace } from "../../domain/ledger/commands.ts"
import type { LeaseCounts, LeasedStep, PreparedLeases, RowKind } from "../../domain/ledger/lists.ts"
import { ALL_TEXTS, oneText, textsWithPrefix } from "../../domain/ledger/run-range.ts"
import type { ThoughtRow } from "../../domain/ledger/rows.ts"
import type { SqlHost } from "../sqlite/connection/sql-host.ts"
import {
  selectThought,
  selectThoughts,
  selectThoughtsBackwards,
  selectThoughtsOfTask,
  selectThoughtsOfTaskBackwards
} from "./thoughts/compiled/thought-statements.ts"
import { cellFindings, pageLength, type StoredTable } from "../sqlite/checks/stored-cells.ts"
import { retryOnLedger } from "./ledger-failures.ts"
import type { LedgerDatabase } from "./opening/ledger-database.ts"
import {
  selectJob,
  selectJobIds,
  selectMessageIds,
  selectReceiptIds,
  selectStepIds,
  selectThoughtIds,
  selectOutcomes,
  selectStepCounts,
  selectStepStatesOfRun,
  selectFailures,
  selectLeaseCounts,
  selectLeases,
  selectMessage,
  selectMessagesOfRun,
  selectReceiptsBetween,
  selectReceiptsOfRun,
  selectRun,
  selectRuns,
  selectStepsBetween,
  selectStepsOfRun,
  selectWaiting
} from "./statements/compiled/ledger-queries.ts"
import {
  selectStreamBehind,
  selectStreamEnd,
  selectStreamLength
} from "./statements/compiled/ledger-statements.ts"
import { endOf, idsBelow, readHead } from "./statements/ledger-lookups.ts"
import { storedTable } from "./statements/ledger-tables.ts"
import { eventPage, eventPageBefore, eventPageMentioning } from "./statements/stored-events.ts"

/** A read that other writers can only delay; what SQLite refuses to read is a `ReadError`. */
export const readEffect = <A>(
  file: string,
  deadline: number,
  read: () => A
): Effect.Effect<A, StorageFailure | StoreCorrupt> =>
  retryOnLedger(file, deadline, read).pipe(
    Effect.mapError((error) =>
      error instanceof StoreCorrupt || error instanceof StorageFailure
        ? error
        : new StorageFailure({ file, code: error._tag, reason: error.message })
    )
  )

const parentId = (of: Exclude<StepsOf, { readonly run_id: string }>): string =>
  "message_id" in of ? of.message_id : of.job_id

/** Rows whose cells are what their columns promise; the first that is not is thrown as `StoreCorrupt` with its place. */
const honest = <T extends object>(
  host: SqlHost,
  stored: StoredTable,
  rows: ReadonlyArray<T>
): ReadonlyArray<T> => {
  for (const row of rows) {
    const [finding] = cellFindings(host, stored, Object.fromEntries(Object.entries(row)))
    if (finding !== undefined) throw corrupt(finding)
  }
  return rows
}

const MESSAGES = storedTable("cassette_messages")
const JOBS = storedTable("cassette_jobs")
const STEPS = storedTable("cassette_steps")
const RECEIPTS = storedTable("cassette_receipts")
const THOUGHTS = storedTable("thought_records")

/** Where the ids of each kind stand. */
const idLists = {
  message: { key: "message_id", select: selectMessageIds, stored: MESSAGES },
  job: { key: "job_id", select: selectJobIds, stored: JOBS },
  step: { key: "step_id", select: selectStepIds, stored: STEPS },
  receipt: { key: "receipt_id", select: selectReceiptIds, stored: RECEIPTS },
  thought: { key: "id", select: selectThoughtIds, stored: THOUGHTS }
} as const

const idsOf = (host: SqlHost, kind: RowKind, from: string, limit: number): ReadonlyArray<string> => {
  const { key, select, stored } = idLists[kind]
  const ids = select.all(host, { from, limit }).map(({ id }) => id)
  honest(
    host,
    { ...stored, columns: [key] },
    ids.map((id) => ({ [key]: id }))
  )
  return ids
}

/** The part of a step that is shown without its payload. */
const STEP_STATES: StoredTable = {
  ...STEPS,
  columns: STEPS.columns.filter((column) => !["payload_json", "run_id", "event_position"].includes(column))
}

/** The part of a receipt that stands beside its step, once there is one. */
const OUTCOMES: StoredTable = { ...RECEIPTS, columns: ["receipt_id", "outcome"] }

const honestStates = (host: SqlHost, states: ReadonlyArray<StepState>): ReadonlyArray<StepState> => {
  const receipts = states.filter(({ receipt_id }) => receipt_id !== null)
  honest(host, OUTCOMES, receipts)
  return honest(host, STEP_STATES, states)
}

const NO_STEPS = { pending: 0, leased: 0, committed: 0 }

const jobStatusOf = (host: SqlHost, job_id: string) => {
  const job = selectJob.first(host, { job_id })
  if (job === undefined) return undefined
  honest(host, JOBS, [job])
  const counts = selectStepCounts.first(host, idsBelow("step", job_id)) ?? NO_STEPS
  const outcomes: Record<string, number> = {}
  for (const { outcome } of selectOutcomes.all(host, idsBelow("rcpt", job_id))) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  return { job, ...counts, outcomes }
}

/** Behind the last position there can be. */
const PAST_THE_END = Number.MAX_SAFE_INTEGER

const thoughtsOf = (
  host: SqlHost,
  { after, descending = false, limit, task_id }: ThoughtsOf
): ReadonlyArray<ThoughtRow> => {
  const start = after ?? (descending ? PAST_THE_END : 0)
  const order = descending ? "event_position DESC" : "event_position"
  const from = `thought_records WHERE ${task_id === undefined ? "" : "task_id = ? AND "}event_position ${descending ? "<" : ">"} ? ORDER BY ${order} LIMIT ?`
  const parameters = task_id === undefined ? [start, limit] : [task_id, start, limit]
  const { length } = pageLength(host, ["content"], from, [order], parameters)
  const range = { after: start, limit: length }
  if (task_id === undefined) {
    return (descending ? selectThoughtsBackwards : selectThoughts).all(host, range)
  }
  const query = descending ? selectThoughtsOfTaskBackwards : selectThoughtsOfTask
  return query.all(host, { ...range, task_id })
}

const unreadableRun = (stream: string) =>
  ({
    code: "EVENT_INVALID",
    where: `stream ${stream}`,
    message: "the index of streams and the events disagree"
  }) as const

/** Skips from run to run in the index of streams. */
const runPlacesOf = (host: SqlHost, { after, limit }: Page): ReadonlyArray<RunPlace> => {
  const places: Array<RunPlace> = []
  const before = textsWithPrefix(runStream("")).before ?? ""
  let stream = runStream(after)
  while (places.length < limit) {
    const next = selectStreamBehind.first(host, { after: stream, before })
    if (next === undefined) break
    stream = next.stream_id
    const end = selectStreamEnd.first(host, { stream_id: stream })
    const run_id = runOfStream(stream)
    if (end === undefined || run_id === undefined) throw corrupt(unreadableRun(stream))
    places.push({ run_id, ...end })
  }
  return places
}

/** The counter of changes once it is another one. */
const changeAfter = Effect.fnUntraced(function* (
  changeCounter: ReturnType<typeof readEffect<number>>,
  wait: Changes["wait"],
  counter: number
) {
  while (true) {
    yield* wait
    const now = yield* changeCounter
    if (now !== counter) return now
  }
})

/** Receipts beside their run, whose cell was read with the step. */
const FAILURES: StoredTable = RECEIPTS

const LEASES: StoredTable = {
  ...STEPS,
  columns: ["run_id", "step_id", "job_id", "lease_owner", "fencing_token", "lease_expires_at"]
}

const leasesOf = (
  host: SqlHost,
  now: string,
  { after, expired, limit, runs }: PreparedLeases
): ReadonlyArray<LeasedStep> => {
  // A lease that ends at this moment has ended: it runs from the next text on.
  const behindNow = `${now}\u0000`
  const rows = selectLeases.all(host, {
    from: runs.from,
    before: endOf(runs),
    ends_before: expired === true ? behindNow : endOf(ALL_TEXTS),
    ...(expired === false && after.lease_expires_at < behindNow
      ? { after_end: behindNow, after_step: "" }
      : { after_end: after.lease_expires_at, after_step: after.step_id }),
    limit
  })
  return honest(host, LEASES, rows).map(
    ({ fencing_token, job_id, lease_expires_at, lease_owner, run_id, step_id }) => {
      // A guard lets no step be leased without them; a file that was damaged may say so.
      if (lease_owner === null || lease_expires_at === null) {
        const where = `cassette_steps ${step_id}`
        throw corrupt({
          code: "ROW_DIFFERS",
          where,
          message: "a leased step has no owner or no end of its lease"
        })
      }
      const expired = lease_expires_at <= now
      return { run_id, step_id, job_id, worker_id: lease_owner, fencing_token, lease_expires_at, expired }
    }
  )
}

const leaseCountsOf = (host: SqlHost, now: string, place: ClaimPlace): LeaseCounts => {
  const runs = "run_id" in place ? oneText(place.run_id) : textsWithPrefix(place.prefix)
  const steps = "run_id" in place && place.job_id !== undefined ? idsBelow("step", place.job_id) : ALL_TEXTS
  const counts = selectLeaseCounts.first(host, {
    now,
    from: runs.from,
    before: endOf(runs),
    from_step: steps.from,
    before_step: endOf(steps)
  })
  return counts ?? { leased: 0, expired: 0, earliest_expiry: null }
}

/** How a reader learns that others have committed. */
export interface Changes {
  /** A number that changes with every commit. */
  readonly counter: () => number
  /** Ends when it is worth another look; never where no other program can commit. */
  readonly wait: Effect.Effect<void>
}

/** The query port on an opened ledger, by a connection of its own where the host has several. */
export const makeSqliteLedgerReader = (
  { assertInPlace, busyDeadline, name }: LedgerDatabase,
  own: SqlHost,
  { counter, wait }: Changes
): LedgerReader["Service"] => {
  // A file that was replaced or removed answers as if nothing had happened, for as long as it is open.
  const read = <A>(query: () => A) =>
    readEffect(name, busyDeadline, () => {
      assertInPlace()
      return query()
    })
  const changeCounter = read(counter)
  return {
    head: read(() => readHead(own)),
    message: (message_id) => read(() => honest(own, MESSAGES, selectMessage.all(own, { message_id }))[0]),
    messages: (run_id, page) =>
      read(() => honest(own, MESSAGES, selectMessagesOfRun.all(own, { ...page, run_id }))),
    jobStatus: (jobId) => read(() => own.snapshot(() => jobStatusOf(own, jobId))),
    steps: (of, page) =>
      read(() =>
        honest(
          own,
          STEPS,
          "run_id" in of
            ? selectStepsOfRun.all(own, { ...page, run_id: of.run_id })
            : selectStepsBetween.all(own, { ...page, ...idsBelow("step", parentId(of)) })
        )
      ),
    receipts: (of, page) =>
      read(() =>
        honest(
          own,
          RECEIPTS,
          "run_id" in of
            ? selectReceiptsOfRun.all(own, { ...page, run_id: of.run_id })
            : selectReceiptsBetween.all(own, { ...page, ...idsBelow("rcpt", parentId(of)) })
        )
      ),
    stepStates: (run_id, page) =>
      read(() => honestStates(own, selectStepStatesOfRun.all(own, { ...page, run_id }))),
    runs: (now, page) => read((): ReadonlyArray<RunSummary> => selectRuns.all(own, { ...page, now })),
    run: (now, run_id) => read((): RunSummary | undefined => selectRun.first(own, { now, run_id })),
    thought: (id) => read(() => honest(own, THOUGHTS, selectThought.all(own, { id }))[0]),
    ids: (kind, from, limit) => read(() => idsOf(own, kind, from, limit)),
    thoughts: (of) => read(() => honest(own, THOUGHTS, thoughtsOf(own, of))),
    events: (after, limit, streams) =>
      read(() =>
        eventPage(
          own,
          typeof streams === "string" ? { after, limit, stream_id: streams } : { after, limit, streams }
        )
      ),
    eventsBefore: (before, limit, streamId) => read(() => eventPageBefore(own, before, limit, streamId)),
    eventsMentioning: (of) => read(() => eventPageMentioning(own, of)),
    runPlaces: (page) => read(() => own.snapshot(() => runPlacesOf(own, page))),
    streamLength: (stream_id) => read(() => selectStreamLength.first(own, { stream_id })?.length ?? 0),
    leases: (now, of) => read(() => leasesOf(own, now, of)),
    leaseCounts: (now, place) => read(() => leaseCountsOf(own, now, place)),
    failures: ({ before, limit, runs }) =>
      read(() =>
        honest(
          own,
          FAILURES,
          selectFailures.all(own, { from: runs.from, before: endOf(runs), before_position: before, limit })
        )
      ),
    waiting: ({ after, limit, runs }) =>
      read(() =>
        honest(
          own,
          STEPS,
          selectWaiting.all(own, {
            before: endOf(runs),
            // One lower bound, so that no page is looked for from the beginning.
            ...(compareCodePoints(after.run_id, runs.from) >= 0
              ? { after_run: after.run_id, after_step: after.step_id }
              : { after_run: runs.from, after_step: "" }),
            limit
          })
        )
      ),
    changeCounter,
    changeAfter: (counter) => changeAfter(changeCounter, wait, counter)
  }
}
