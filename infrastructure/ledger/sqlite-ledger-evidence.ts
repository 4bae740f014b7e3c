// The verification port over SQL: a connection of its own with one read transaction is the snapshot, a private
// temporary database without triggers is the place to fold into. What only SQLite can judge (schema, pages,
// foreign keys, JSON) becomes findings here; nothing is repaired.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { FoldTarget, LedgerEvidence, LedgerSnapshot } from "../../application/ledger/ledger-evidence.ts"
import type { ReadError } from "../../application/ledger/ledger-reader.ts"
import { StorageFailure, StoreCorrupt } from "../../domain/ledger/errors.ts"
import { type EventEnvelope, taskStream } from "../../domain/ledger/event-envelope.ts"
import {
  LEDGER_TABLES,
  type LedgerTable,
  ledgerTables,
  type StepRow,
  type ThoughtRow
} from "../../domain/ledger/rows.ts"
import type { Cell } from "../../domain/ledger/table-digest.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../keys/ed25519.ts"
import { type Connection, openScratch } from "../sqlite/better-sqlite3-host.ts"
import { Busy, sqliteFailure } from "../sqlite/sqlite-errors.ts"
import type { SqlHost } from "../sqlite/sql-host.ts"
import {
  selectTaskEventsBeyond,
  selectThoughtsBehind,
  selectThoughtsOfTask
} from "../thoughts/thought-statements.ts"
import { verifyContent } from "./content-verification.ts"
import { backupTo } from "./ledger-backup.ts"
import { type LedgerFile, openLedgerFile } from "./ledger-file.ts"
import { rebuildTo, type VerifyRebuilt } from "./ledger-rebuild.ts"
import {
  idsBelow,
  selectEventsAfter,
  selectNextPendingOfJob,
  selectNextPendingOfRun,
  selectStreamAfter,
  selectStreamsAfter
} from "./ledger-statements.ts"
import { readEffect } from "./sqlite-ledger-reader.ts"
import { cellOf, storedCell } from "./stored-cells.ts"
import { structureFindings } from "./structure-findings.ts"

const PAGE = 1_000

/** Runs a synchronous read; what SQLite throws leaves as a `ReadError`. */
const guarded = <A>(file: string, read: () => A): A => {
  try {
    return read()
  } catch (error) {
    const failure = sqliteFailure(file, error)
    if (failure instanceof StoreCorrupt || failure instanceof StorageFailure) throw failure
    throw new StorageFailure({
      file,
      code: failure._tag,
      reason: failure instanceof Busy ? "the store is locked" : failure.message
    })
  }
}

/** Restricts a projected table to one run, by its own run_id or by its message's. */
const runFilter: { readonly [T in LedgerTable]: string } = {
  cassette_meta: "0",
  cassette_messages: "run_id = :run",
  cassette_jobs: "message_id IN (SELECT message_id FROM cassette_messages WHERE run_id = :run)",
  cassette_steps: "run_id = :run",
  cassette_receipts:
    "substr(step_id, 1, 35) IN (SELECT 'step_' || substr(message_id, 5) FROM cassette_messages WHERE run_id = :run)",
  thought_records: "0"
}

const integerOf = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0)

/** An event with the types of its columns, whatever a damaged page holds. */
const eventOf = (host: SqlHost, row: EventEnvelope): EventEnvelope => {
  const place = { host, table: "events", key: "position", id: row.position }
  const textOf = (column: keyof EventEnvelope): string => String(storedCell(place, column, row[column]) ?? "")
  return {
    // Beyond what can be counted a position is still the name of its event.
    position: typeof row.position === "number" ? row.position : 0,
    type: textOf("type"),
    stream_id: textOf("stream_id"),
    schema_version: integerOf(row.schema_version),
    data: textOf("data"),
    recorded_at: textOf("recorded_at"),
    prev_hash: textOf("prev_hash"),
    hash: textOf("hash")
  }
}

/** Rows in key order, read by pages so that memory stays flat. */
function* tableRows(host: SqlHost, file: string, table: LedgerTable, runId?: string): Generator<Array<Cell>> {
  const { columns, key } = ledgerTables[table]
  const filter = runId === undefined ? "1" : runFilter[table].replace(":run", "?")
  const pageFrom = (comparison: ">=" | ">") =>
    `SELECT ${columns.join(", ")} FROM ${table} WHERE ${key} ${comparison} ? AND ${filter} ORDER BY ${key} LIMIT ${PAGE}`
  // The first page begins with the empty text, so that a row with an empty key is seen too.
  let text = pageFrom(">=")
  let after = ""
  while (true) {
    const parameters = filter.includes("?") ? [after, runId ?? null] : [after]
    const page = guarded(file, () => host.all<Record<string, Cell>>(text, parameters))
    for (const row of page) {
      const place = { host, table, key, id: row[key] }
      yield guarded(file, () => columns.map((column) => storedCell(place, column, row[column])))
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    // Bytes that are no UTF-8 are read as others, and a page that begins after those would come again for ever.
    if (String(last[key]) === after) {
      throw new StoreCorrupt({ code: "ROW_EXTRA", where: table, finding: "keys are not UTF-8" })
    }
    after = String(last[key])
    text = pageFrom(">")
  }
}

const thoughtRow = (host: SqlHost, row: ThoughtRow): ThoughtRow => {
  const { columns, key } = ledgerTables.thought_records
  const place = { host, table: "thought_records", key, id: row.id }
  const safe = Object.fromEntries(columns.map((name) => [name, storedCell(place, name, row[name])]))
  return {
    ...(safe as unknown as ThoughtRow),
    task_id: String(safe["task_id"] ?? ""),
    event_position: integerOf(row.event_position)
  }
}

/** Pages of rows, each page from behind the last row of the one before. */
function* paged<Row>(file: string, page: (last: Row | undefined) => ReadonlyArray<Row>): Generator<Row> {
  let last: Row | undefined
  while (true) {
    const before = last
    const rows = guarded(file, () => page(before))
    yield* rows
    last = rows.at(-1)
    if (rows.length < PAGE) return
  }
}

const thoughtRows = (connection: Connection, file: string, taskId?: string): Generator<ThoughtRow> =>
  paged<ThoughtRow>(file, (last) =>
    (taskId === undefined
      ? selectThoughtsBehind.all(connection, {
          task_id: last?.task_id ?? "",
          after: last?.event_position ?? Number.MIN_SAFE_INTEGER,
          limit: PAGE
        })
      : selectThoughtsOfTask.all(connection, {
          task_id: taskId,
          after: last?.event_position ?? Number.MIN_SAFE_INTEGER,
          limit: PAGE
        })
    ).map((row) => thoughtRow(connection, row))
  )

const taskEvents = (connection: Connection, file: string, taskId?: string): Generator<EventEnvelope> => {
  // A page is the rest of a stream and then the streams beyond it: one range over both would read the stream again
  // from its beginning for every page.
  const page = (last: EventEnvelope | undefined): ReadonlyArray<EventEnvelope> => {
    const stream_id = last?.stream_id ?? taskStream(taskId ?? "")
    const rest = selectStreamAfter.all(connection, { stream_id, after: last?.position ?? 0, limit: PAGE })
    return taskId === undefined && rest.length < PAGE
      ? [...rest, ...selectTaskEventsBeyond.all(connection, { stream_id, limit: PAGE - rest.length })]
      : rest
  }
  return paged<EventEnvelope>(file, (last) => page(last).map((row) => eventOf(connection, row)))
}

const makeSnapshot = (connection: Connection, file: string): LedgerSnapshot => ({
  structure: () => guarded(file, () => structureFindings(connection)),
  head: () =>
    guarded(file, () => connection.all<{ size: number; hash: string }>("SELECT size, hash FROM head")[0]),
  eventsAfter: (after, limit, stream_id) =>
    guarded(file, () =>
      (stream_id === undefined
        ? selectEventsAfter.all(connection, { after, limit })
        : selectStreamAfter.all(connection, { after, limit, stream_id })
      ).map((row) => eventOf(connection, row))
    ),
  streamsAfter: (position) =>
    guarded(file, () =>
      selectStreamsAfter.all(connection, { position }).map((row) => String(cellOf(row.stream_id) ?? ""))
    ),
  rows: (table, runId) => tableRows(connection, file, table, runId),
  thoughts: (taskId) => thoughtRows(connection, file, taskId),
  taskEvents: (taskId) => taskEvents(connection, file, taskId)
})

const columnType = (column: string): string =>
  ["ordinal", "fencing_token", "event_position"].includes(column) ? "INTEGER" : "TEXT"

/** The tables of the projections without guards: the fold itself is what is being compared. */
const createFoldTables = (scratch: SqlHost): void => {
  for (const table of LEDGER_TABLES) {
    const { columns, key } = ledgerTables[table]
    const definitions = columns.map((column) => `${column} ${columnType(column)}`).join(", ")
    scratch.run(`CREATE TABLE ${table} (${definitions}, PRIMARY KEY (${key})) STRICT, WITHOUT ROWID`)
  }
  scratch.run("CREATE INDEX fold_pending ON cassette_steps (run_id, step_id) WHERE status = 'PENDING'")
  scratch.run(
    "CREATE INDEX fold_keys ON cassette_messages (run_id, idempotency_key) WHERE idempotency_key IS NOT NULL"
  )
}

const makeFoldTarget = (scratch: Connection): FoldTarget => {
  const puts = Object.fromEntries(
    LEDGER_TABLES.map((table) => {
      const { columns } = ledgerTables[table]
      return [table, `REPLACE INTO ${table} VALUES (${columns.map(() => "?").join(", ")})`]
    })
  ) as { readonly [T in LedgerTable]: string }
  const first = <Row>(text: string, ...parameters: ReadonlyArray<string>) =>
    scratch.all<Row>(text, parameters)[0]
  return {
    step: (stepId) => first<StepRow>("SELECT * FROM cassette_steps WHERE step_id = ?", stepId),
    firstPending: (run_id, jobId) =>
      (jobId === undefined
        ? selectNextPendingOfRun.first(scratch, { run_id })
        : selectNextPendingOfJob.first(scratch, { run_id, ...idsBelow("step", jobId) })
      )?.step_id,
    messageOfKey: (runId, key) =>
      first<{ message_id: string }>(
        "SELECT message_id FROM cassette_messages INDEXED BY fold_keys WHERE run_id = ? AND idempotency_key = ?",
        runId,
        key
      )?.message_id,
    hasThought: (id) => first("SELECT 1 FROM thought_records WHERE id = ?", id) !== undefined,
    apply: (changes) => {
      for (const { row, table } of changes) {
        const cells = row as unknown as Readonly<Record<string, Cell>>
        scratch.run(
          puts[table],
          ledgerTables[table].columns.map((column) => cells[column] ?? null)
        )
      }
    },
    rows: (table) => tableRows(scratch, "the fold", table)
  }
}

const scoped = (
  open: Effect.Effect<Connection, ReadError>
): Effect.Effect<Connection, ReadError, Scope.Scope> =>
  Effect.acquireRelease(open, (connection) => Effect.sync(() => connection.close()))

/** Verifies a database that was just made, as any auditor would: opened for reading, from its content alone. */
const verifyRebuilt: VerifyRebuilt = (filename) =>
  openLedgerFile({ filename, mode: "read", allowNetworkFs: true }).pipe(
    Effect.flatMap((file) => verifyContent(makeSqliteLedgerEvidence(file), filename)),
    Effect.provide(Layer.merge(nodeHashingLayer, nodeSigningLayer)),
    Effect.mapError((error) =>
      error instanceof StorageFailure
        ? error
        : new StorageFailure({ file: filename, code: error._tag, reason: error.message })
    ),
    Effect.scoped
  )

/** The verification port on an opened file. */
export const makeSqliteLedgerEvidence = (file: LedgerFile): LedgerEvidence["Service"] => ({
  warnings: file.warnings,
  snapshot: scoped(
    readEffect(file.filename, file.busyDeadline, () => {
      const connection = file.openSnapshot()
      try {
        connection.pragma("foreign_keys = ON")
        connection.run("BEGIN")
        return connection
      } catch (error) {
        connection.close()
        throw error
      }
    })
  ).pipe(Effect.map((connection) => makeSnapshot(connection, file.filename))),
  foldTarget: scoped(
    readEffect(file.filename, file.busyDeadline, () => {
      const scratch = openScratch()
      scratch.pragma("synchronous = OFF")
      scratch.run("BEGIN")
      createFoldTables(scratch)
      return scratch
    })
  ).pipe(Effect.map(makeFoldTarget)),
  backup: (target) => backupTo(file, target),
  rebuild: (target) => rebuildTo(file, target, verifyRebuilt)
})
