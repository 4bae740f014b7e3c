// Thought chains against the log: the stored records and the events of tasks are walked side by side in the order of
// task and position, so that what was changed, taken out, added or moved is seen, in memory that does not grow with
// the chains. It reads and reports; it never repairs.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isJsonObject } from "../../../domain/canonical/json.ts"
import { parseStoredJson } from "../../../domain/canonical/stored-json.ts"
import { type EventEnvelope, taskOfStream } from "../../../domain/ledger/event-envelope.ts"
import type { ThoughtRow } from "../../../domain/ledger/rows.ts"
import type { FindingCode } from "../../../domain/ledger/verification.ts"
import {
  eventFault,
  recordFaults,
  type ThoughtFault,
  type ThoughtFaultKind
} from "../../../domain/ledger/thoughts/chain-check.ts"
import type { TaskChainReport, ThoughtChainReport } from "../../../domain/ledger/thoughts/chain-report.ts"
import { Hashing } from "../../foundation/hashing.ts"
import type { LedgerSnapshot } from "../verification/ledger-evidence.ts"
import type { ReadError } from "../reading/ledger-reader.ts"
import { Progress } from "../../foundation/progress.ts"
import { keyOrder } from "../verification/projection-verification.ts"
import { reading, type Rungs } from "../verification/rungs.ts"

/** How many records are checked before the runtime gets its turn. */
const PAGE = 1_000

/** One place of a task's chain: a record, its event, or both. */
interface ThoughtPlace {
  readonly task_id: string
  readonly position: number
  readonly row: ThoughtRow | undefined
  readonly event: EventEnvelope | undefined
}

/** A place that has been checked. */
interface Checked extends ThoughtPlace {
  readonly id: string
  readonly faults: ReadonlyArray<ThoughtFault>
}

const taskOf = (event: EventEnvelope): string => taskOfStream(event.stream_id) ?? ""

const placeOrder = (row: ThoughtRow, event: EventEnvelope): number =>
  keyOrder(row.task_id, taskOf(event)) || row.event_position - event.position

/** Both lists as one, in order. */
function* placesOf(rows: Iterable<ThoughtRow>, events: Iterable<EventEnvelope>): Generator<ThoughtPlace> {
  const left = rows[Symbol.iterator]()
  const right = events[Symbol.iterator]()
  let a = left.next()
  let b = right.next()
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : placeOrder(a.value, b.value)
    const row = order <= 0 && !a.done ? a.value : undefined
    const event = order >= 0 && !b.done ? b.value : undefined
    if (row !== undefined) {
      yield { task_id: row.task_id, position: row.event_position, row, event }
      a = left.next()
    } else if (event !== undefined) {
      yield { task_id: taskOf(event), position: event.position, row, event }
    }
    if (event !== undefined) b = right.next()
  }
}

/** The id of the record that an event demands. */
const idOf = (event: EventEnvelope | undefined): string => {
  const data = event && parseStoredJson(event.data)
  const id = data && Result.isSuccess(data) && isJsonObject(data.success) ? data.success["id"] : undefined
  return typeof id === "string" ? id : `event ${event?.position}`
}

/** Checks every place of one task's chain or of all, and hands each over. */
const walk = Effect.fnUntraced(function* (
  snapshot: LedgerSnapshot,
  taskId: string | undefined,
  onPlace: (place: Checked) => void
): Effect.fn.Return<void, ReadError, Hashing> {
  const { sha256 } = yield* Hashing
  const report = yield* Progress
  let checked = 0
  const places = placesOf(snapshot.thoughts(taskId), snapshot.taskEvents(taskId))
  let task: string | undefined
  let before: string | undefined
  const check = (place: ThoughtPlace) => {
    const { event, row, task_id } = place
    if (task_id !== task) {
      task = task_id
      before = undefined
    }
    const faults = row === undefined ? [] : [...recordFaults(sha256, before, row)]
    const fault = eventFault(sha256, row, event)
    if (fault !== undefined) faults.push(fault)
    if (row !== undefined) before = row.hash
    onPlace({ ...place, id: row?.id ?? idOf(event), faults })
  }
  const checkPage = (): boolean => {
    for (let index = 0; index < PAGE; index++) {
      const next = places.next()
      if (next.done === true) return false
      check(next.value)
      checked += 1
    }
    return true
  }
  do {
    report(`thoughts, ${checked} checked`)
    yield* Effect.yieldNow
  } while (yield* reading(checkPage))
})

const codes: { readonly [Kind in ThoughtFaultKind]: FindingCode } = {
  link: "THOUGHT_CHAIN_BROKEN",
  hash: "THOUGHT_HASH_MISMATCH",
  differs: "ROW_DIFFERS",
  missing: "ROW_MISSING",
  extra: "ROW_EXTRA"
}

/**
 * The thoughts rung: every task, or those with an event after a trusted position, each from its beginning. Where the
 * projections are `compared` too, they say what differs from the log.
 */
export const verifyThoughts = Effect.fnUntraced(function* (
  rungs: Rungs,
  compared: boolean,
  since?: number
): Effect.fn.Return<void, ReadError, Hashing> {
  const { counts, list, snapshot } = rungs
  let records = 0
  const onPlace = ({ faults, id, row, task_id }: Checked) => {
    if (row !== undefined) records += 1
    for (const { kind, message } of faults) {
      if (compared && kind !== "link" && kind !== "hash") continue
      list.add(codes[kind], `thought_records ${id}`, `${message} (task ${task_id})`)
    }
  }
  const streams = since === undefined ? [] : yield* reading(() => snapshot.streamsAfter(since))
  const tasks = since === undefined ? [undefined] : streams.flatMap((stream) => taskOfStream(stream) ?? [])
  for (const task of tasks) yield* walk(snapshot, task, onPlace)
  if (!compared) counts["thought_records"] = records
})

interface Tally {
  record_count: number
  broken_count: number
  first_broken_at: string | null
}

const emptyTally = (): Tally => ({ record_count: 0, broken_count: 0, first_broken_at: null })

const reportOf = (tally: Tally): TaskChainReport => ({ valid: tally.broken_count === 0, ...tally })

/** Verifies the chain of one task, or of all tasks with a report of each. */
export const verifyThoughtChains = Effect.fnUntraced(function* (
  snapshot: LedgerSnapshot,
  taskId: string | undefined
): Effect.fn.Return<ThoughtChainReport, ReadError, Hashing> {
  const tasks = new Map<string, Tally>()
  const all = emptyTally()
  let firstPosition = Number.POSITIVE_INFINITY
  yield* walk(snapshot, taskId, ({ faults, id, position, row, task_id }) => {
    const own = tasks.get(task_id) ?? emptyTally()
    tasks.set(task_id, own)
    for (const tally of [own, all]) {
      if (row !== undefined) tally.record_count += 1
      if (faults.length > 0) tally.broken_count += 1
    }
    if (faults.length === 0) return
    own.first_broken_at ??= id
    // Tasks come one after the other, so the first of all may come late.
    if (position < firstPosition) {
      firstPosition = position
      all.first_broken_at = id
    }
  })
  if (taskId !== undefined) return reportOf(all)
  const reports = [...tasks].map(([task_id, tally]) => [task_id, reportOf(tally)] as const)
  return { ...reportOf(all), by_task: Object.fromEntries(reports) }
})
