/**
 * Every way to change, delete, replace or add a row of a table by hand, generated from the tables' columns. None of
 * them carries a pending event, so all must be refused.
 */
import { columns, hasHiddenRowid, tables, type Attack } from "../attack.ts"
import { insertInto, literal } from "../ledger.ts"
import { at, head, messages, nextPosition, otherRun, run, steps, worker, type State } from "../states.ts"

/** The words that change how a statement treats a conflict. */
export const verbs = [
  "INSERT",
  "INSERT OR REPLACE",
  "INSERT OR IGNORE",
  "INSERT OR FAIL",
  "INSERT OR ABORT",
  "INSERT OR ROLLBACK"
]

const primaryKey = (table: string) => columns[table]?.[0] ?? ""

const isInteger = (column: string) =>
  [
    "position",
    "schema_version",
    "one",
    "size",
    "ordinal",
    "fencing_token",
    "event_position",
    "version"
  ].includes(column)

const updates = (table: string): ReadonlyArray<string> => {
  const names = columns[table] ?? []
  const pk = primaryKey(table)
  const one = `WHERE ${pk} = (SELECT min(${pk}) FROM ${table})`
  const other = `(SELECT max(${pk}) FROM ${table})`
  const changed = (column: string) => (isInteger(column) ? `${column} + 1` : `${column} || 'x'`)
  return [
    ...names.flatMap((column) => [
      `UPDATE ${table} SET ${column} = ${column}`,
      `UPDATE ${table} SET ${column} = ${changed(column)} ${one}`
    ]),
    ...["OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT", "OR ROLLBACK"].flatMap((word) =>
      names
        .map((column) => `UPDATE ${word} ${table} SET ${column} = ${changed(column)} ${one}`)
        .concat(`UPDATE ${word} ${table} SET ${pk} = ${other} ${one}`)
    ),
    `UPDATE ${table} SET ${names.map((column) => `${column} = ${changed(column)}`).join(", ")}`,
    `UPDATE ${table} SET ${names.at(-1)} = source.changed FROM (SELECT ${changed(names.at(-1) ?? "")} AS changed FROM ${table}) AS source`,
    `UPDATE ${table} SET ${names.at(-1)} = ${changed(names.at(-1) ?? "")} ${one} RETURNING *`
  ]
}

const deletes = (table: string): ReadonlyArray<string> => {
  const pk = primaryKey(table)
  const one = `WHERE ${pk} = (SELECT max(${pk}) FROM ${table})`
  return [`DELETE FROM ${table}`, `DELETE FROM ${table} ${one}`, `DELETE FROM ${table} ${one} RETURNING *`]
}

const hiddenRowids = (table: string): ReadonlyArray<string> =>
  hasHiddenRowid(table)
    ? ["rowid", "_rowid_", "oid"].flatMap((rowid) => [
        `UPDATE ${table} SET ${rowid} = ${rowid} + 1000`,
        `UPDATE OR REPLACE ${table} SET ${rowid} = (SELECT max(rowid) FROM ${table}) WHERE rowid = (SELECT min(rowid) FROM ${table})`
      ])
    : []

// A row like one that is there already, with every word, by every key, and as an upsert.
const copies = (table: string): ReadonlyArray<string> => {
  const pk = primaryKey(table)
  const names = (columns[table] ?? []).join(", ")
  const from = `FROM ${table} WHERE ${pk} = (SELECT min(${pk}) FROM ${table})`
  const last = columns[table]?.at(-1) ?? ""
  return [
    ...[...verbs, "REPLACE"].map((verb) => `${verb} INTO ${table} SELECT ${names} ${from}`),
    ...(hasHiddenRowid(table)
      ? verbs.map((verb) => `${verb} INTO ${table} (rowid, ${names}) SELECT rowid, ${names} ${from}`)
      : []),
    `INSERT INTO ${table} SELECT ${names} ${from} ON CONFLICT DO NOTHING`,
    `INSERT INTO ${table} SELECT ${names} ${from} ON CONFLICT DO UPDATE SET ${last} = excluded.${last}`,
    `INSERT INTO ${table} SELECT ${names} ${from} ON CONFLICT (${pk}) DO UPDATE SET ${pk} = excluded.${pk}`,
    `INSERT INTO ${table} SELECT ${names} ${from} RETURNING *`,
    `INSERT OR REPLACE INTO ${table} DEFAULT VALUES`
  ]
}

const id = (position: number) => `${String(position).padStart(13, "0")}_${"a".repeat(16)}`

// A row that every CHECK, key and foreign key would let in.
const freshRows = (event_position: unknown): Readonly<Record<string, Readonly<Record<string, unknown>>>> => {
  const position = typeof event_position === "number" && event_position >= 0 ? event_position : 0
  const tail = id(position)
  const created_at = at(60)
  return {
    head: { one: 1, size: 0, hash: "0".repeat(64) },
    cassette_messages: {
      message_id: `msg_${tail}`,
      run_id: run,
      source: "USER",
      idempotency_key: null,
      payload_json: "{}",
      created_at,
      event_position
    },
    cassette_jobs: {
      job_id: `job_${tail}.0001`,
      message_id: `msg_${tail}`,
      intent: "",
      ordinal: 1,
      created_at,
      event_position
    },
    cassette_steps: {
      step_id: `step_${tail}.0001.00001`,
      job_id: `job_${tail}.0001`,
      ordinal: 1,
      status: "PENDING",
      lease_owner: null,
      lease_expires_at: null,
      fencing_token: 0,
      payload_json: "{}",
      created_at,
      run_id: otherRun,
      event_position
    },
    cassette_receipts: {
      receipt_id: `rcpt_${tail}.0001.00001`,
      step_id: `step_${tail}.0001.00001`,
      job_id: `job_${tail}.0001`,
      worker_id: worker,
      fencing_token: 1,
      outcome: "SUCCESS",
      receipt_json: "{}",
      created_at,
      event_position
    },
    thought_records: {
      id: "t-9",
      type: "plan",
      task_id: "task-9",
      agent_id: "a1",
      content: "",
      timestamp: created_at,
      prev_hash: "0".repeat(64),
      hash: "a".repeat(64),
      created_at,
      event_position
    },
    cassette_meta: { key: "owner", value: "me", event_position },
    ledger_migrations: { version: 3, name: "0003-mine", checksum: "" }
  }
}

const positions = [1, head.size, nextPosition, nextPosition + 1, 0, -1, null]

const fresh: ReadonlyArray<string> = positions.flatMap((position) =>
  Object.entries(freshRows(position))
    .filter(([, row]) => position === 1 || "event_position" in row)
    .flatMap(([table, row]) => verbs.map((verb) => insertInto(table, row, verb)))
)

// The same without a position, where a column left out could stand for "the next one".
const withoutPosition: ReadonlyArray<string> = Object.entries(freshRows(0))
  .filter(([, row]) => "event_position" in row)
  .flatMap(([table, row]) => {
    const rest = Object.fromEntries(Object.entries(row).filter(([column]) => column !== "event_position"))
    return verbs.map((verb) => insertInto(table, rest, verb))
  })

// One row more for an event that is long applied.
const late: ReadonlyArray<string> = Object.entries({
  cassette_jobs: { job_id: `job_${messages.last.slice(4)}.0002`, message_id: messages.last, ordinal: 2 },
  cassette_steps: {
    step_id: `${steps.fresh.slice(0, -1)}2`,
    job_id: steps.fresh.slice(0, 40).replace("step", "job"),
    ordinal: 2,
    run_id: run
  }
}).flatMap(([table, row]) =>
  verbs.map((verb) =>
    insertInto(table, { ...freshRows(Number(messages.last.slice(4, 17)))[table], ...row }, verb)
  )
)

const attack =
  (group: string, state: State) =>
  (sql: string): Attack => ({
    name: `${group}: ${sql}`,
    state,
    sql,
    // OR IGNORE may pass over a row that breaks a constraint before any trigger sees it; the rest must fail.
    silent: sql.includes("OR IGNORE")
  })

/** Changes of every column of every table in the small ledger, deletes, replacements, additions. */
export const tableAttacks: ReadonlyArray<Attack> = [
  ...tables.flatMap((table) =>
    [...updates(table), ...deletes(table), ...hiddenRowids(table), ...copies(table)].map(
      attack(table, "ledger")
    )
  ),
  ...fresh.map(attack("fresh row", "ledger")),
  ...late.map(attack("row of an old event", "ledger")),
  ...withoutPosition.map(attack("row without a position", "ledger"))
]

/** The same changes and deletes while the gate is held open: what is append-only stays so. */
export const openTableAttacks: ReadonlyArray<Attack> = tables.flatMap((table) =>
  [...updates(table), ...deletes(table), ...hiddenRowids(table)].map(
    attack(`gate open, ${table}`, "openByPost")
  )
)

/** A lookalike of one of our names in the connection's own schema, then a write that would pass if it were read. */
export const lookalikeAttacks: ReadonlyArray<Attack> = [
  {
    make: `CREATE TEMP TABLE head (one, size, hash); INSERT INTO temp.head VALUES (1, 0, ${literal("0".repeat(64))})`,
    name: "head"
  },
  { make: "CREATE TEMP TABLE events AS SELECT * FROM main.events", name: "events" },
  {
    make: `CREATE TEMP VIEW pending_event AS SELECT ${nextPosition} AS position, 'StepRequeued' AS type`,
    name: "pending_event"
  }
].flatMap(({ make, name }) =>
  [
    ...Object.entries(freshRows(nextPosition)).map(([table, row]) => insertInto(`main.${table}`, row)),
    `DELETE FROM main.events WHERE position = ${head.size}`,
    `UPDATE main.head SET size = 0, hash = ${literal("0".repeat(64))}`,
    `UPDATE main.cassette_steps SET status = 'PENDING', lease_owner = NULL, lease_expires_at = NULL, event_position = ${nextPosition} WHERE status = 'LEASED'`
  ].map((sql) => ({
    name: `beside a temporary ${name}: ${sql}`,
    state: "ledger" as const,
    sql: `${make};\n${sql}`,
    after: `DROP ${name === "pending_event" ? "VIEW" : "TABLE"} IF EXISTS temp.${name}`
  }))
)
