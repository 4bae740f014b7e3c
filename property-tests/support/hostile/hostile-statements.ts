// Statements against a ledger, drawn from what stands in it: mostly INSERTs into the log, which alone may do something,
// and then every other way of writing to every table and view. All of them are legal SQL or nearly so.

import { literal } from "../../../migrations/testing/ledger.ts"
import type { Dice } from "./dice.ts"
import { endOfInsert, insertOfEvents, VERBS, wrongValue } from "./hostile-events.ts"
import type { HostileLedger, Row, Table, Weakness } from "./hostile-ledger.ts"

const VIEWS = ["pending_event", "pending_rare_event"]
const ROWIDS = ["rowid", "_rowid_", "oid"]

// Names that a writer of SQL may try, whether they exist or not.
const ELSEWHERE = [
  "sqlite_schema",
  "sqlite_sequence",
  "sqlite_stat1",
  "sqlite_master",
  "main.sqlite_temp_schema"
]

const rowOf = (dice: Dice, ledger: HostileLedger, { name }: Table): Row => {
  const rows = ledger.rows(name)
  return rows.length === 0 ? {} : dice.pick(rows)
}

const cell = (dice: Dice, ledger: HostileLedger, column: string, right: unknown): string => {
  const size = ledger.events.length
  if (column === "event_position" && dice.once(2)) {
    return dice.pick([
      String(size + 1),
      String(size),
      "(SELECT size + 1 FROM head)",
      "(SELECT position FROM pending_event)"
    ])
  }
  return literal(dice.once(2) ? wrongValue(dice, ledger, right) : right)
}

const insert = (dice: Dice, ledger: HostileLedger, table: Table): string => {
  const row = rowOf(dice, ledger, table)
  const columns = dice.once(4) ? dice.some(table.columns) : table.columns
  const named = columns.length === 0 ? table.columns : columns
  const changed = new Set(dice.some(named))
  const values = named.map((column) =>
    changed.has(column) ? cell(dice, ledger, column, row[column] ?? null) : literal(row[column] ?? null)
  )
  const names = [...named]
  if (dice.once(4)) {
    names.push(dice.pick(ROWIDS))
    values.push(literal(dice.pick<unknown>([row["rowid"] ?? 1, 1, -1, 0, 2 ** 53])))
  }
  const list = `(${names.join(", ")})`
  const end = endOfInsert(dice, table.keys, table.columns)
  const verb = dice.pick(VERBS)
  return dice.weighted([
    [4, `${verb} INTO ${table.name} ${list} VALUES (${values.join(", ")})${end}`],
    [1, `${verb} INTO ${table.name} ${list} SELECT ${values.join(", ")} WHERE true${end}`],
    [1, `${verb} INTO ${table.name} SELECT * FROM ${table.name} WHERE true${end}`],
    [
      1,
      `WITH old AS (SELECT * FROM ${table.name}) ${verb} INTO ${table.name} SELECT * FROM old WHERE true${end}`
    ],
    [1, `${verb} INTO ${table.name} DEFAULT VALUES`]
  ])
}

const where = (dice: Dice, { hidden, keys }: Table, row: Row): string => {
  const key = dice.pick(keys)
  return dice.weighted([
    [1, ""],
    [6, ` WHERE ${key} = ${literal(row[key] ?? null)}`],
    [1, ` WHERE ${key} <> ${literal(row[key] ?? null)}`],
    [hidden ? 2 : 0, ` WHERE rowid = ${literal(row["rowid"] ?? 1)}`],
    [1, ` WHERE ${key} IN (SELECT ${key} FROM pending_event)`]
  ])
}

// What a legal change of a step sets, so that nothing but the missing event is wrong with it.
const stepEdges = (dice: Dice, ledger: HostileLedger): string => {
  const position = `event_position = ${ledger.events.length + dice.under(2)}`
  return dice.pick([
    `status = 'LEASED', lease_owner = 'thief', lease_expires_at = '2099-01-01T00:00:00.000Z', fencing_token = fencing_token + 1, ${position}`,
    `status = 'COMMITTED', ${position}`,
    `status = 'PENDING', lease_owner = NULL, lease_expires_at = NULL, ${position}`,
    "lease_expires_at = '2099-01-01T00:00:00.000Z'",
    "fencing_token = fencing_token + 1"
  ])
}

const update = (dice: Dice, ledger: HostileLedger, table: Table): string => {
  const row = rowOf(dice, ledger, table)
  const other = rowOf(dice, ledger, table)
  const word = dice.pick(["", "", "OR REPLACE ", "OR IGNORE ", "OR FAIL ", "OR ABORT ", "OR ROLLBACK "])
  const some = dice.some(table.columns)
  const columns = some.length === 0 || dice.once(2) ? [dice.pick(table.columns)] : some
  const sets = columns.map((column) => {
    const value = dice.pick([
      literal(other[column] ?? null),
      cell(dice, ledger, column, row[column] ?? null),
      column,
      `${column} + 1`,
      `${column} || ''`
    ])
    return `${column} = ${value}`
  })
  if (table.hidden && dice.once(6)) sets.push(`${dice.pick(ROWIDS)} = ${literal(other["rowid"] ?? 1)}`)
  const size = ledger.events.length
  const set =
    table.name === "cassette_steps" && dice.once(2)
      ? stepEdges(dice, ledger)
      : table.name === "head" && dice.once(2)
        ? dice.pick([
            `size = size + 1`,
            `size = ${size}, hash = ${literal(ledger.events.at(-1)?.hash ?? "")}`,
            `size = size - 1, hash = (SELECT prev_hash FROM events ORDER BY position DESC LIMIT 1)`
          ])
        : sets.join(", ")
  const condition = where(dice, table, row)
  const returning = dice.once(6) ? " RETURNING *" : ""
  const from = dice.once(5)
    ? ` FROM (SELECT 1 AS one_row FROM ${dice.pick(ledger.tables).name}) AS source`
    : ""
  const first = dice.once(10) ? `WITH source_rows AS (SELECT * FROM ${table.name}) ` : ""
  return `${first}UPDATE ${word}${table.name} SET ${set}${from}${condition}${returning}`
}

const remove = (dice: Dice, ledger: HostileLedger, table: Table): string =>
  `DELETE FROM ${table.name}${where(dice, table, rowOf(dice, ledger, table))}${dice.once(4) ? " RETURNING *" : ""}`

const onView = (dice: Dice, ledger: HostileLedger): string => {
  const view = dice.pick(VIEWS)
  return dice.pick([
    `DELETE FROM ${view}`,
    `DELETE FROM ${view} WHERE position = ${ledger.events.length + dice.under(3)} RETURNING *`,
    `UPDATE ${dice.pick(["", "OR REPLACE ", "OR IGNORE "])}${view} SET data = '{}'`,
    insertOfEvents(dice, ledger).replace(/INTO (main\.)?events/, `INTO ${view}`),
    `INSERT INTO ${view} SELECT * FROM events`,
    `WITH old AS (SELECT * FROM ${view}) DELETE FROM ${view} WHERE position IN (SELECT position FROM old)`
  ])
}

const elsewhere = (dice: Dice): string => {
  const name = dice.pick(ELSEWHERE)
  return dice.pick([
    `DELETE FROM ${name}`,
    `UPDATE ${name} SET name = 'x'`,
    `INSERT INTO ${name} DEFAULT VALUES`,
    `REPLACE INTO ${name} SELECT * FROM ${name}`
  ])
}

/** The words that a statement begins with, after any WITH, and what it writes to: its kind in a count. */
export const kindOf = (sql: string): string => {
  const [, verb = "?", name = "?"] =
    /\b((?:INSERT|UPDATE)(?: OR [A-Z]+)?|REPLACE|DELETE)(?: INTO| FROM)? (?:main\.)?(\w+)/.exec(
      sql.replace(/^WITH .*?\) (?=INSERT|REPLACE|UPDATE|DELETE)/s, "")
    ) ?? []
  return `${verb} ${name}`
}

/** A statement for what stands in the ledger now. */
export const hostileStatement = (dice: Dice, ledger: HostileLedger): string => {
  const table = dice.pick(ledger.tables)
  return dice.weighted([
    [11, () => insertOfEvents(dice, ledger)],
    [4, () => insert(dice, ledger, table)],
    [4, () => update(dice, ledger, table)],
    [1, () => remove(dice, ledger, table)],
    [1, () => onView(dice, ledger)],
    [1, () => elsewhere(dice)]
  ])()
}

/** How the connection is weakened for one statement; foreign keys are off for all of them. */
export const hostileConnection = (dice: Dice): Weakness => ({
  recursiveTriggers: dice.once(2),
  ignoreChecks: dice.once(3)
})
