// Damage that SQL does to a file once its guards are away: rows and indexes that no longer agree, rows that were never
// written, tables that the schema does not know. The schema is afterwards word for word what it was.

import Database from "better-sqlite3"
import { rewriteSchema, withoutLog } from "../../../infrastructure/testing/disarmed-ledger.ts"
import type { Dice } from "../hostile/dice.ts"
import type { Damage } from "./page-damage.ts"

interface SchemaRow {
  readonly rowid: number
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly rootpage: number
  readonly sql: string | null
}

const takeAway = (
  database: Database.Database,
  where: string,
  ...names: ReadonlyArray<string>
): (() => void) => {
  const rows = database
    .prepare<unknown[], SchemaRow>(`SELECT rowid, * FROM sqlite_schema WHERE ${where}`)
    .all(...names)
  rewriteSchema(database, () => database.prepare(`DELETE FROM sqlite_schema WHERE ${where}`).run(...names))
  return () =>
    rewriteSchema(database, () => {
      const insert = database.prepare(
        "INSERT INTO sqlite_schema (rowid, type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?, ?)"
      )
      for (const row of rows) insert.run(row.rowid, row.type, row.name, row.tbl_name, row.rootpage, row.sql)
    })
}

/** A change of the file by SQL; false where there is nothing to change. */
type Change = (database: Database.Database, dice: Dice) => boolean

const sqlDamage =
  (change: Change): Damage =>
  ({ dice, honest }) => {
    // A log would hide what is changed in the file.
    if (honest.wal.length > 0) return undefined
    const database = new Database(withoutLog(honest.bytes))
    try {
      database.pragma("foreign_keys = OFF")
      const putBack = takeAway(database, "type = 'trigger'")
      // The tables behind a full-text index are closed to SQL otherwise.
      database.unsafeMode(true)
      const isChanged = change(database, dice)
      putBack()
      if (!isChanged) return undefined
      const bytes = database.serialize()
      honest.bytes.copy(bytes, 18, 18, 20)
      return bytes.equals(honest.bytes) ? undefined : { bytes, wal: honest.wal }
    } finally {
      database.close()
    }
  }

const pick = (database: Database.Database, dice: Dice, sql: string): string | undefined => {
  const names = database.prepare<[], string>(sql).pluck().all()
  return names.length === 0 ? undefined : dice.pick(names)
}

const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"

const filledTable = (database: Database.Database, dice: Dice): string | undefined => {
  const names = database.prepare<[], string>(TABLES).pluck().all()
  const filled = names.filter(
    (name) => database.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get() !== undefined
  )
  return filled.length === 0 ? undefined : dice.pick(filled)
}

/** One row of a table by an expression that names it. */
const rowOf = (database: Database.Database, table: string, dice: Dice): string => {
  const keys = database
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?) WHERE pk > 0")
    .pluck()
    .all(table)
  const columns = keys.length === 0 ? ["rowid"] : keys
  const text = columns.map((column) => `quote("${column}")`).join(` || ' ' || `)
  const count = database.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get() ?? 0
  return `(${text}) IS (SELECT ${text} FROM "${table}" LIMIT 1 OFFSET ${dice.under(count)})`
}

const changeCell: Change = (database, dice) => {
  const table = filledTable(database, dice)
  if (table === undefined) return false
  const column = dice.pick(
    database.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table)
  )
  const row = rowOf(database, table, dice)
  const other = dice.pick([
    `CASE typeof("${column}") WHEN 'integer' THEN "${column}" + 1 WHEN 'text' THEN "${column}" || 'x' WHEN 'blob' THEN x'00' ELSE 'x' END`,
    `(SELECT "${column}" FROM "${table}" ORDER BY 1 LIMIT 1)`,
    `(SELECT "${column}" FROM "${table}" ORDER BY 1 DESC LIMIT 1)`
  ])
  try {
    return (
      database.prepare(`UPDATE OR FAIL "${table}" SET "${column}" = ${other} WHERE ${row}`).run().changes > 0
    )
  } catch {
    // A constraint of the table itself: this row cannot be changed so.
    return false
  }
}

const dropRow: Change = (database, dice) => {
  const table = filledTable(database, dice)
  return (
    table !== undefined &&
    database.prepare(`DELETE FROM "${table}" WHERE ${rowOf(database, table, dice)}`).run().changes > 0
  )
}

/** Changes a table while one of its indexes is away. */
const staleIndex: Change = (database, dice) => {
  const index = pick(
    database,
    dice,
    "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
  )
  if (index === undefined) return false
  const table = database
    .prepare<[string], string>("SELECT tbl_name FROM sqlite_schema WHERE name = ?")
    .pluck()
    .get(index)!
  if (database.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get() === undefined) return false
  const columns = database
    .prepare<[string], string>("SELECT name FROM pragma_index_info(?)")
    .pluck()
    .all(index)
  const row = rowOf(database, table, dice)
  const putBack = takeAway(database, "type = 'index' AND name = ?", index)
  try {
    if (dice.once(3)) return database.prepare(`DELETE FROM "${table}" WHERE ${row}`).run().changes > 0
    const column = dice.pick(columns)
    const set = `CASE typeof("${column}") WHEN 'integer' THEN "${column}" + 100 ELSE "${column}" || 'x' END`
    return (
      database.prepare(`UPDATE OR FAIL "${table}" SET "${column}" = ${set} WHERE ${row}`).run().changes > 0
    )
  } catch {
    return false
  } finally {
    putBack()
  }
}

/** An index has entries of rows that are not in the table, or lacks some, while the table stays as it is. */
const emptiedIndex: Change = (database, dice) => {
  const index = pick(
    database,
    dice,
    "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
  )
  if (index === undefined) return false
  const root = database
    .prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE name = ?")
    .pluck()
    .get(index)
  const table = database
    .prepare<[string], string>("SELECT tbl_name FROM sqlite_schema WHERE name = ?")
    .pluck()
    .get(index)!
  const clone = `clone_of_index`
  // A table with the index's own root, which is emptied row by row through it.
  const info = database
    .prepare<[string], string>("SELECT coalesce(name, 'r') FROM pragma_index_xinfo(?)")
    .pluck()
    .all(index)
  const columns = info.map((_, number) => `c${number}`).join(", ")
  rewriteSchema(database, () =>
    database
      .prepare("INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table', ?, ?, ?, ?)")
      .run(clone, clone, root, `CREATE TABLE ${clone} (${columns}, PRIMARY KEY (${columns})) WITHOUT ROWID`)
  )
  try {
    const count = database.prepare<[], number>(`SELECT count(*) FROM ${clone}`).pluck().get() ?? 0
    if (count === 0) return false
    if (dice.once(4)) database.exec(`DELETE FROM ${clone}`)
    else if (dice.once(2)) {
      database.exec(
        `DELETE FROM ${clone} WHERE c0 IS (SELECT c0 FROM ${clone} LIMIT 1 OFFSET ${dice.under(count)})`
      )
    } else {
      const copied = info.map((_, number) =>
        number === 0 ? `CASE typeof(c0) WHEN 'text' THEN c0 || 'y' ELSE c0 + 1000 END` : `c${number}`
      )
      database.exec(
        `INSERT OR IGNORE INTO ${clone} SELECT ${copied.join(", ")} FROM ${clone} LIMIT 1 OFFSET ${dice.under(count)}`
      )
    }
    return table !== ""
  } finally {
    rewriteSchema(database, () => database.prepare("DELETE FROM sqlite_schema WHERE name = ?").run(clone))
  }
}

const hiddenTable: Change = (database, dice) => {
  database.exec("CREATE TABLE hidden (content TEXT)")
  const insert = database.prepare("INSERT INTO hidden VALUES (?)")
  for (let n = dice.under(20); n >= 0; n--) insert.run("hidden content ".repeat(40))
  rewriteSchema(database, () => database.exec("DELETE FROM sqlite_schema WHERE name = 'hidden'"))
  return true
}

const swappedRoots: Change = (database, dice) => {
  const rows = database
    .prepare<[], { name: string; rootpage: number }>(
      "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0 ORDER BY name"
    )
    .all()
  const [one, two] = [dice.pick(rows), dice.pick(rows)]
  rewriteSchema(database, () => {
    const update = database.prepare("UPDATE sqlite_schema SET rootpage = ? WHERE name = ?")
    update.run(two.rootpage, one.name)
    if (dice.once(2)) update.run(one.rootpage, two.name)
  })
  return one.name !== two.name
}

const schemaText: Change = (database, dice) => {
  const name = pick(database, dice, "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
  rewriteSchema(database, () =>
    database
      .prepare(
        dice.pick([
          "UPDATE sqlite_schema SET sql = sql || ' ' WHERE name = ?",
          "UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = ?",
          "UPDATE sqlite_schema SET sql = replace(sql, ' UNIQUE', '') WHERE name = ?",
          "DELETE FROM sqlite_schema WHERE name = ?"
        ])
      )
      .run(name)
  )
  return true
}

const pragmas: Change = (database, dice) => {
  const number = 1 + dice.under(1_000_000)
  database.pragma(`${dice.pick(["user_version", "application_id"])} = ${number}`)
  return true
}

export const statementDamage: Readonly<Record<string, Damage>> = {
  "a cell is changed by SQL": sqlDamage(changeCell),
  "a row is deleted by SQL": sqlDamage(dropRow),
  "an index was away during a change": sqlDamage(staleIndex),
  "entries of an index are changed": sqlDamage(emptiedIndex),
  "a table that the schema does not know": sqlDamage(hiddenTable),
  "roots change places": sqlDamage(swappedRoots),
  "the schema's text": sqlDamage(schemaText),
  "numbers of the application": sqlDamage(pragmas)
}
