// The verification port over a ledger in memory: a snapshot is a copy, and folding into an empty place is folding into other
// tables. There is no file: the rung `structure` has nothing to look at and says so in a warning.
import * as Effect from "effect/Effect"
import { compareCodePoints } from "../../../domain/canonical/py.ts"
import { messageIdOfJob } from "../../../domain/ledger/ids.ts"
import { type EventEnvelope, taskOfStream, taskStream } from "../../../domain/ledger/event-envelope.ts"
import { DATABASE_VERSION } from "../../../domain/ledger/limits.ts"
import { type LedgerTable, rowOf } from "../../../domain/ledger/rows.ts"
import type { Cell } from "../../../domain/ledger/table-digest.ts"
import type { LedgerEvidence, LedgerSnapshot } from "../verification/ledger-evidence.ts"
import type { MemoryLedger } from "./memory-ledger.ts"
import { MemoryTables } from "./memory-tables.ts"

/** What a report of verification says beside its verdict. */
export const MEMORY_WARNING =
  "the ledger is in memory: there is no file and no trigger whose structure could be checked, and the rows that the rung projections compares were made by the same fold"

/** The run that a row belongs to; rows of tasks and of the ledger itself belong to none. */
const runOf = (tables: MemoryTables, table: LedgerTable, cells: ReadonlyArray<Cell>): string | undefined => {
  switch (table) {
    case "cassette_messages":
      return rowOf(table, cells).run_id
    case "cassette_jobs":
      return tables.message(rowOf(table, cells).message_id)?.run_id
    case "cassette_steps":
    case "cassette_receipts":
      return tables.message(messageIdOfJob(rowOf(table, cells).job_id))?.run_id
    default:
      return undefined
  }
}

const snapshotOf = (ledger: MemoryLedger): LedgerSnapshot => {
  const events = [...ledger.events]
  const tables = ledger.tables.copy()
  const after = (position: number) => events.slice(Math.max(0, position))
  return {
    version: () => DATABASE_VERSION,
    structure: () => [],
    schema: () => [],
    head: () => ({ size: events.length, hash: events.at(-1)?.hash ?? "" }),
    eventsAfter: (position, limit, streamId) =>
      after(position)
        .filter(({ stream_id }) => streamId === undefined || stream_id === streamId)
        .slice(0, limit),
    streamsAfter: (position) => [...new Set(after(position).map(({ stream_id }) => stream_id))],
    rows: (table, runId) =>
      runId === undefined
        ? tables.rows(table)
        : [...tables.rows(table)].filter((cells) => runOf(tables, table, cells) === runId),
    thoughts: (taskId) =>
      tables
        .allThoughts()
        .filter(({ task_id }) => taskId === undefined || task_id === taskId)
        .toSorted(
          (left, right) =>
            compareCodePoints(left.task_id, right.task_id) || left.event_position - right.event_position
        ),
    taskEvents: (taskId) =>
      events
        .filter(({ stream_id }) =>
          taskId === undefined ? taskOfStream(stream_id) !== undefined : stream_id === taskStream(taskId)
        )
        .sort(
          (left: EventEnvelope, right: EventEnvelope) =>
            compareCodePoints(left.stream_id, right.stream_id) || left.position - right.position
        ),
    takeDamage: () => []
  }
}

/** The verification port on a ledger in memory. */
export const memoryEvidence = (ledger: MemoryLedger): LedgerEvidence["Service"] => ({
  warnings: [MEMORY_WARNING],
  snapshot: Effect.sync(() => snapshotOf(ledger)),
  foldTarget: Effect.sync(() => new MemoryTables())
})
