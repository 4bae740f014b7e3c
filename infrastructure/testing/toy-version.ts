/**
 * A version 3 that does not exist: the messages get a column `payload_bytes`. It shows how a migration changes a
 * projection: guards dropped, tables emptied, new projection, refold from the log by the triggers themselves, guards
 * back, and the second projection compared, all as statements of one transaction.
 */
import * as Result from "effect/Result"
import { StoreCorrupt } from "../../domain/ledger/errors.ts"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import { decodeEvent } from "../../domain/ledger/events.ts"
import { evolve } from "../../domain/ledger/evolve.ts"
import { MemoryFold } from "../../domain/ledger/testing/memory-fold.ts"
import { LEDGER_TABLES, type LedgerTable, ledgerTables } from "../../domain/ledger/rows.ts"
import { type Cell, digestLine } from "../../domain/ledger/table-digest.ts"
import { sha256Stream } from "../hashing/node-hashing.ts"
import { schemaSteps } from "../ledger/opening/schema-snapshots.ts"
import { type SchemaStep, schemaStep } from "../sqlite/checks/schema-steps.ts"
import type { SqlHost } from "../sqlite/connection/sql-host.ts"

const version2 = (): SchemaStep => {
  const step = schemaSteps()[0]
  if (step === undefined) throw new Error("There is no version 2")
  return step
}

/** The statement of version 2 that creates something, changed; every change must find its place. */
const changed = (creates: string, ...changes: ReadonlyArray<readonly [from: string, to: string]>): string => {
  const text = version2().statements.find((statement) => statement.toLowerCase().startsWith(creates))
  if (text === undefined) throw new Error(`Version 2 does not ${creates}`)
  return changes.reduce((changing, [from, to]) => {
    if (!changing.includes(from)) throw new Error(`${creates}: there is no ${from}`)
    return changing.replace(from, to)
  }, text)
}

const trigger = (name: string, ...changes: ReadonlyArray<readonly [from: string, to: string]>) =>
  changed(`create trigger "${name}"`, ...changes)

const deleteGuards = ["jobs", "steps", "receipts", "thoughts", "meta"].map(
  (table) => `tr_${table}_append_only_delete`
)

const messageGuards = ["insert", "update", "delete"].map((event) => `tr_messages_append_only_${event}`)

const columnBefore = (last: string): readonly [string, string] => [
  `"created_at", "event_position") ${last}`,
  `"created_at", "payload_bytes", "event_position") ${last}`
]

const newProjections = (bytes: string) => [
  trigger("tr_pending_event_message_posted", columnBefore("values"), [
    `OLD."recorded_at", OLD."position")`,
    `OLD."recorded_at", ${bytes}, OLD."position")`
  ]),
  trigger("tr_pending_rare_event_message_posted", columnBefore("values"), [
    `OLD."recorded_at", OLD."position")`,
    `OLD."recorded_at", ${bytes}, OLD."position")`
  ]),
  trigger(
    "tr_pending_rare_event_ledger_created",
    [`('db_version', '2'`, `('db_version', '3'`],
    [`('schema_version', '2'`, `('schema_version', '3'`]
  )
]

/** Every event applied again in order; inserting its position into a passing table applies the next one. */
const refold = [
  `CREATE TABLE "refold" ("position" INTEGER PRIMARY KEY)`,
  `CREATE TRIGGER "tr_refold" AFTER INSERT ON "refold"
BEGIN
  DELETE FROM "pending_event";
  SELECT RAISE(ABORT, 'An event could not be applied again') WHERE (SELECT "size" FROM "head") IS NOT NEW."position";
END`,
  `INSERT INTO "refold" SELECT "position" FROM "events" ORDER BY "position"`,
  `DROP TABLE "refold"`
]

/** How the toy's own projection counts; a wrong one is for the test of the comparison. */
const PAYLOAD_BYTES = `length(CAST((OLD."data" -> '$.payload') AS BLOB))`

/** The statements of the toy version. */
export const toyStatements = (bytes: string = PAYLOAD_BYTES): ReadonlyArray<string> => [
  ...deleteGuards.map((name) => `DROP TRIGGER "${name}"`),
  `DROP TRIGGER "tr_head_update"`,
  `DROP TRIGGER "tr_pending_event_message_posted"`,
  `DROP TRIGGER "tr_pending_rare_event_message_posted"`,
  `DROP TRIGGER "tr_pending_rare_event_ledger_created"`,
  `DROP TRIGGER "tr_messages_append_only_delete"`,
  `DELETE FROM "cassette_receipts"`,
  `DELETE FROM "thought_records"`,
  `DELETE FROM "cassette_steps"`,
  `DELETE FROM "cassette_jobs"`,
  `DELETE FROM "cassette_meta"`,
  `DROP TABLE "cassette_messages"`,
  `UPDATE "head" SET "size" = 0, "hash" = '${"0".repeat(64)}'`,
  changed(`create table "cassette_messages"`, [
    `"created_at" text not null, `,
    `"created_at" text not null, "payload_bytes" integer not null, `
  ]),
  ...messageGuards.map((name) => trigger(name)),
  ...newProjections(bytes),
  ...refold,
  ...deleteGuards.map((name) => trigger(name)),
  trigger("tr_head_update")
]

/** Columns of a table in version 3. */
const columnsOf = (table: LedgerTable): ReadonlyArray<string> =>
  table === "cassette_messages"
    ? ledgerTables[table].columns.flatMap((column) =>
        column === "event_position" ? ["payload_bytes", column] : [column]
      )
    : ledgerTables[table].columns

type Row = Readonly<Record<string, Cell>>

/** The second projection of version 3: that of version 2 with what is new. */
const foldOf = (events: ReadonlyArray<EventEnvelope>) => {
  const tables = Object.fromEntries(LEDGER_TABLES.map((table) => [table, new Map<string, Row>()])) as Record<
    LedgerTable,
    Map<string, Row>
  >
  const fold = new MemoryFold()
  for (const event of events) {
    const changes = Result.getOrThrow(evolve(fold, Result.getOrThrow(decodeEvent(event))))
    fold.apply(changes)
    for (const { row, table } of changes) {
      const plain = row as unknown as Row
      const lifted =
        table === "cassette_messages"
          ? { ...plain, payload_bytes: Buffer.byteLength(String(plain["payload_json"])) }
          : table === "cassette_meta"
            ? { ...plain, value: "3" }
            : plain
      tables[table].set(String(plain[ledgerTables[table].key]), lifted)
    }
  }
  return tables
}

const digestOf = (columns: ReadonlyArray<string>, rows: Iterable<Row>): string => {
  const stream = sha256Stream()
  for (const row of rows) stream.update(digestLine(columns.map((column) => row[column] ?? null)))
  return stream.digest()
}

/** Compares what the triggers refolded with the second projection, table by table. */
const compareWithFold = (host: SqlHost): void => {
  const folded = foldOf(host.all<EventEnvelope>("SELECT * FROM events ORDER BY position"))
  for (const table of LEDGER_TABLES) {
    const columns = columnsOf(table)
    const { key } = ledgerTables[table]
    const stored = host.all<Row>(`SELECT * FROM ${table} ORDER BY ${key}`)
    const expected = [...folded[table].entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
    if (digestOf(columns, stored) !== digestOf(columns, expected)) {
      throw new StoreCorrupt({ code: "ROW_DIFFERS", where: table, finding: "the refold is not the fold" })
    }
  }
}

/** The toy version as a step of the runner. */
export const toyVersion = (statements: ReadonlyArray<string> = toyStatements()): SchemaStep => ({
  ...schemaStep(3, "0003-payload-bytes", statements.map((text) => `${text};\n\n`).join("")),
  check: compareWithFold
})
