// Rows as evidence: read page by page in a fixed order, with anything in their cells. A cell that is not what its column
// promises is remembered as a finding and handed on as a value that no honest cell has, so that everything that is compared
// or hashed differs too; a row that no page can begin behind ends the reading. Nothing is repaired.
import { keyOrder } from "../../../application/ledger/verification/projection-verification.ts"
import { OUT_OF_ORDER, type RowPlace, standsBehind } from "../../../domain/canonical/row-order.ts"
import { StorageFailure } from "../../../domain/foundation/storage-errors.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { type EventEnvelope, taskStream } from "../../../domain/ledger/event-envelope.ts"
import { type LedgerTable, ledgerTables, rowOf, type ThoughtRow } from "../../../domain/ledger/rows.ts"
import type { Cell } from "../../../domain/ledger/table-digest.ts"
import type { Finding } from "../../../domain/ledger/verification.ts"
import { MAX_FINDINGS } from "../../../domain/foundation/finding.ts"
import {
  boundedColumns,
  boundedValue,
  type CellFinding,
  cellFindings,
  isItsBytes,
  pageLength,
  shownCell,
  type StoredTable
} from "../../sqlite/checks/stored-cells.ts"
import { Busy } from "../../sqlite/connection/sqlite-errors.ts"
import type { SqlHost, SqlValue } from "../../sqlite/connection/sql-host.ts"
import {
  selectTaskEventsBeyond,
  selectThoughtsBehind,
  selectThoughtsOfTask
} from "../thoughts/compiled/thought-statements.ts"
import { corruptBy, ledgerFailure } from "../ledger-failures.ts"
import { idsBelow } from "./ledger-lookups.ts"
import { storedEvents, storedTable } from "./ledger-tables.ts"
import { type EventsAfter, isPlainEvent, rawEventPage } from "./stored-events.ts"

const PAGE = 1_000

/** Runs a synchronous read; what SQLite throws leaves as a `ReadError`. */
export const guarded = <A>(file: string, read: () => A): A => {
  try {
    return read()
  } catch (error) {
    const failure = ledgerFailure(file, error)
    if (failure instanceof StoreCorrupt || failure instanceof StorageFailure) throw failure
    throw new StorageFailure({
      file,
      code: failure._tag,
      reason: failure instanceof Busy ? "the store is locked" : failure.message
    })
  }
}

/** How the ids of what lies below a message begin, by table; the other tables' rows belong to no run. */
const belowMessage: { readonly [T in LedgerTable]?: string } = {
  cassette_jobs: "job",
  cassette_steps: "step",
  cassette_receipts: "rcpt"
}

/** How many ids of messages are held at a time. */
const ID_PAGE = 10_000

type Row = Readonly<Record<string, unknown>>

/** Rows, and whether others may follow them. */
interface Page {
  readonly rows: ReadonlyArray<Row>
  readonly more: boolean
}

/** Typed rows as rows that may hold anything. */
const untyped = (rows: ReadonlyArray<object>): ReadonlyArray<Row> => rows as ReadonlyArray<Row>

/** A row with its damaged cells replaced. */
interface RowEvidence {
  readonly row: Row
  readonly damage: ReadonlyArray<CellFinding>
}

/**
 * Damaged cells by their bytes. Beyond what can be counted a position is still the name of its event; a position or version
 * that is no number is 0.
 */
const replaced = (stored: StoredTable, row: Row, damage: ReadonlyArray<CellFinding>): Row => {
  const copy: Record<string, unknown> = { ...row }
  for (const { column, shown } of damage) {
    if (stored !== storedEvents || !stored.integers.includes(column)) copy[column] = shown
    else if (column !== stored.key || typeof row[column] !== "number") copy[column] = 0
  }
  return copy
}

/** Reads one database's rows for as long as its snapshot stands. */
export class EvidenceRows {
  private readonly host: SqlHost
  private readonly file: string
  private readonly seen = new Set<string>()
  private met: Array<Finding> = []

  constructor(host: SqlHost, file: string) {
    this.host = host
    this.file = file
  }

  /** The damage that was met since the last call; a cell is told once, and the list has an end. */
  takeDamage(): ReadonlyArray<Finding> {
    const { met } = this
    this.met = []
    return met
  }

  private evidence(stored: StoredTable, row: Row): RowEvidence {
    const damage = cellFindings(this.host, stored, row)
    if (damage.length === 0) return { row, damage }
    for (const { code, message, where } of damage) {
      // Values of another type are a finding of the structure.
      if (code === "INTEGRITY" || this.seen.has(where) || this.seen.size >= MAX_FINDINGS) continue
      this.seen.add(where)
      this.met.push({ code, where, message })
    }
    return { row: replaced(stored, row, damage), damage }
  }

  /** Rows page by page, each page from behind the last row of the one before, until one is empty. */
  private *pages(
    stored: StoredTable,
    cursor: ReadonlyArray<string>,
    page: (last: Row | undefined) => Page
  ): Generator<Row> {
    let last: Row | undefined
    const placeOf = (row: Row): RowPlace =>
      cursor.map((column) => (typeof row[column] === "number" ? row[column] : String(row[column])))
    while (true) {
      const before = last
      const { more, rows } = guarded(this.file, () => page(before))
      let damage: RowEvidence["damage"] = []
      for (const raw of rows) {
        const evidence = guarded(this.file, () => this.evidence(stored, raw))
        damage = evidence.damage
        yield evidence.row
      }
      const end = rows.at(-1)
      if (!more || end === undefined) return
      // Bytes that were read as others would give the same rows again, forever.
      const lost = damage.find(({ column }) => cursor.includes(column))
      if (lost !== undefined) throw corruptBy(lost)
      if (before !== undefined && !standsBehind(placeOf(before), placeOf(end))) {
        throw new StoreCorrupt({ code: "INTEGRITY", where: stored.table, finding: OUT_OF_ORDER })
      }
      last = end
    }
  }

  eventsAfter(range: EventsAfter): ReadonlyArray<EventEnvelope> {
    return guarded(this.file, () =>
      rawEventPage(this.host, range).map((event) =>
        isPlainEvent(event)
          ? event
          : (this.evidence(storedEvents, { ...event }).row as unknown as EventEnvelope)
      )
    )
  }

  /** A projected table's rows in key order, of one run or all. */
  rows(table: LedgerTable, runId?: string): Generator<ReadonlyArray<Cell>> {
    // The first page begins with the empty text, so that a row with an empty key is seen too.
    return runId === undefined ? this.rowsFrom(table, "", "1", []) : this.rowsOfRun(table, runId)
  }

  /** The rows of thoughts in the order of their events. */
  thoughtsByEvent(): Generator<ReadonlyArray<Cell>> {
    return this.rowsFrom("thought_records", Number.MIN_SAFE_INTEGER, "1", [], "event_position")
  }

  /** The rows of a run: its messages by their index, and what lies below each as a range of keys. */
  private *rowsOfRun(table: LedgerTable, runId: string): Generator<ReadonlyArray<Cell>> {
    const prefix = belowMessage[table]
    const isMessages = table === "cassette_messages"
    if (prefix === undefined && !isMessages) return
    const { key } = storedTable(table)
    for (const id of this.messageIds(runId)) {
      if (prefix === undefined) yield* this.rowsFrom(table, id, `${key} = ?`, [id])
      else {
        const { before, from } = idsBelow(prefix, id)
        yield* this.rowsFrom(table, from, `${key} < ?`, [before])
      }
    }
  }

  /** The ids of a run's messages in their order; each page is sorted again, since no index holds them so. */
  private *messageIds(runId: string): Generator<string> {
    let last = ""
    while (true) {
      const after = last
      const page = guarded(this.file, () =>
        this.host.all<{ id: string }>(
          `SELECT ${boundedValue("message_id")} AS id FROM cassette_messages WHERE run_id = ? AND +message_id > ? ORDER BY message_id LIMIT ?`,
          [runId, after, ID_PAGE]
        )
      )
      if (page.length === 0) return
      for (const { id } of page) {
        if (!isItsBytes(id) || keyOrder(id, last) <= 0) {
          const finding = "the id is no text, or does not follow the one before it in its index"
          throw new StoreCorrupt({ code: "INTEGRITY", where: `cassette_messages ${shownCell(id)}`, finding })
        }
        last = id
        yield id
      }
    }
  }

  /** Rows from a key on that a condition lets pass, in its order; `order` is another column that is unique. */
  private *rowsFrom(
    table: LedgerTable,
    first: SqlValue,
    filter: string,
    values: ReadonlyArray<SqlValue>,
    order?: string
  ): Generator<ReadonlyArray<Cell>> {
    const stored = storedTable(table)
    const { columns } = stored
    const key = order ?? stored.key
    const texts = columns.filter((column) => !stored.integers.includes(column))
    const page = (last: Row | undefined): Page => {
      const from = `${table} WHERE ${key} ${last === undefined ? ">=" : ">"} ? AND ${filter} ORDER BY ${table}.${key} LIMIT ?`
      const parameters: ReadonlyArray<SqlValue> = [(last?.[key] as SqlValue | undefined) ?? first, ...values]
      const { length, more } = pageLength(this.host, texts, from, [key], [...parameters, PAGE])
      const text = `SELECT ${boundedColumns(columns)} FROM ${from}`
      return { rows: this.host.all<Row>(text, [...parameters, length]), more }
    }
    for (const row of this.pages(stored, [key], page)) yield columns.map((column) => row[column] as Cell)
  }

  /** Thoughts in order of task and event position; of one task, or all. */
  *thoughts(taskId?: string): Generator<ThoughtRow> {
    const stored = storedTable("thought_records")
    const page = (last: Row | undefined): Page => {
      const after = (last?.["event_position"] as number | undefined) ?? Number.MIN_SAFE_INTEGER
      const task_id = taskId ?? (last?.["task_id"] as string | undefined) ?? ""
      const filter =
        taskId === undefined ? "(task_id, event_position) > (?, ?)" : "task_id = ? AND event_position > ?"
      const from = `thought_records WHERE ${filter} ORDER BY task_id, event_position LIMIT ?`
      const order = ["task_id", "event_position"]
      const { length, more } = pageLength(this.host, ["content"], from, order, [task_id, after, PAGE])
      const query = taskId === undefined ? selectThoughtsBehind : selectThoughtsOfTask
      return { rows: untyped(query.all(this.host, { task_id, after, limit: length })), more }
    }
    const columns = ledgerTables.thought_records.columns
    for (const row of this.pages(stored, ["task_id", "event_position"], page)) {
      const { event_position, task_id, ...cells } = rowOf(
        "thought_records",
        columns.map((name) => row[name])
      )
      yield { ...cells, task_id: String(task_id), event_position: Number(event_position) || 0 }
    }
  }

  /** The events of tasks in the same order: stream, then position. */
  *taskEvents(taskId?: string): Generator<EventEnvelope> {
    // A page is the rest of a stream, or the streams beyond it: one range over both would read the stream again from
    // its beginning for every page.
    const page = (last: Row | undefined): Page => {
      const stream_id = (last?.["stream_id"] as string | undefined) ?? taskStream(taskId ?? "")
      const after = (last?.["position"] as number | undefined) ?? 0
      const rest = rawEventPage(this.host, { stream_id, after, limit: PAGE })
      if (rest.length > 0 || taskId !== undefined) return { rows: untyped(rest), more: true }
      const from = "events WHERE stream_id > ? AND stream_id < 'task;' ORDER BY stream_id, position LIMIT ?"
      const { length: limit } = pageLength(
        this.host,
        ["data"],
        from,
        ["stream_id", "position"],
        [stream_id, PAGE]
      )
      return { rows: untyped(selectTaskEventsBeyond.all(this.host, { stream_id, limit })), more: true }
    }
    for (const row of this.pages(storedEvents, ["stream_id", "position"], page)) {
      yield row as unknown as EventEnvelope
    }
  }
}
