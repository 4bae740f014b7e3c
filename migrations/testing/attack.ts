/**
 * What an attack is, how one is tried, and how a trace of it is seen: by comparing everything that is in the file
 * before and after. The statements and the dump are texts, so that other SQLite hosts can run the same.
 */
import Database from "better-sqlite3"
import { emptyDatabase } from "./ledger.ts"
import { states, type State } from "./states.ts"

/** Statements that must change nothing, and fail unless `silent` says that doing nothing is enough. */
export interface Attack {
  readonly name: string
  readonly state: State
  /** Statements that come first and succeed: the attack then has a database to itself. */
  readonly setup?: string
  readonly sql: string
  readonly silent?: boolean
  /** What puts the connection (never the file) in order again. */
  readonly after?: string
}

/** The tables of the schema. */
export const tables = [
  "events",
  "head",
  "cassette_messages",
  "cassette_jobs",
  "cassette_steps",
  "cassette_receipts",
  "thought_records",
  "cassette_meta",
  "ledger_migrations"
] as const

/** The columns of each table, in order. */
export const columns: Readonly<Record<string, ReadonlyArray<string>>> = (() => {
  const database = emptyDatabase()
  const found = Object.fromEntries(
    tables.map((table) => [
      table,
      database.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table)
    ])
  )
  database.close()
  return found
})()

/** Whether a table has a rowid that is not one of its columns. */
export const hasHiddenRowid = (table: string): boolean =>
  !["events", "head", "cassette_jobs", "ledger_migrations"].includes(table)

/** Queries of one text column each, which together show everything that is in the file. */
export const dumpQueries: ReadonlyArray<string> = [
  "SELECT type || '|' || name || '|' || tbl_name || '|' || coalesce(sql, '') FROM main.sqlite_schema ORDER BY 1",
  ...tables.map((table) => {
    const names = hasHiddenRowid(table) ? ["rowid", ...(columns[table] ?? [])] : (columns[table] ?? [])
    return `SELECT ${names.map((name) => `quote(${name})`).join(" || '|' || ")} FROM main.${table} ORDER BY 1`
  })
]

/** What these queries of one text column each give, as one text; they are prepared once for each database. */
export const dumpBy = (queries: ReadonlyArray<string>): ((database: Database.Database) => string) => {
  const prepared = new WeakMap<Database.Database, ReadonlyArray<Database.Statement<[]>>>()
  return (database) => {
    const statements = prepared.get(database) ?? queries.map((query) => database.prepare<[]>(query).pluck())
    prepared.set(database, statements)
    return statements.map((statement) => statement.all().join("\n")).join("\n\n")
  }
}

/** Everything that is in the file, as one text. */
export const dump = dumpBy(dumpQueries)

/** What grows with every row that a connection has changed, and with the schema; what was rolled back with its statement is not in it. */
const changesOf = dumpBy(["SELECT total_changes() || ' ' || schema_version FROM pragma_schema_version"])

/** A statement as a host keeps it prepared: holes in its text, and what fills them. */
export interface Filled {
  readonly text: string
  readonly values: ReadonlyArray<string | number | null>
}

const VALUE = /(NULL|-?\d{1,15}|'(?:[^']|'')*'|CAST\(x'(?:[0-9a-f]{2})*' AS TEXT\))(?:, |(?=\)$))/y

const valueOf = (literal: string): string | number | null => {
  if (literal === "NULL") return null
  if (literal.startsWith("CAST")) return Buffer.from(literal.slice(7, -10), "hex").toString("utf8")
  return literal.startsWith("'") ? literal.slice(1, -1).replaceAll("''", "'") : Number(literal)
}

/**
 * The INSERT of one event's literals with holes for them; undefined for any other statement. What is inserted is the same, and the
 * triggers of events, which take far longer to compile than to run, are compiled once for a database.
 */
export const filledInsert = (sql: string): Filled | undefined => {
  const [head] = /^(?:INSERT(?: OR [A-Z]+)?|REPLACE) INTO events \([a-z_, ]+\) VALUES \(/.exec(sql) ?? []
  if (head === undefined) return undefined
  const values: Array<string | number | null> = []
  VALUE.lastIndex = head.length
  while (VALUE.lastIndex < sql.length - 1) {
    const [, value] = VALUE.exec(sql) ?? []
    if (value === undefined) return undefined
    values.push(valueOf(value))
  }
  return { text: `${head}${values.map(() => "?").join(", ")})`, values }
}

const prepared = new WeakMap<Database.Database, Map<string, Database.Statement<Filled["values"][number][]>>>()

/** Runs statements; the INSERT of an event is prepared once for each database. */
const execute = (database: Database.Database, sql: string): void => {
  const filled = filledInsert(sql)
  if (filled === undefined) {
    database.exec(sql)
    return
  }
  const statements = prepared.get(database) ?? new Map()
  prepared.set(database, statements)
  const statement = statements.get(filled.text) ?? database.prepare(filled.text)
  statements.set(filled.text, statement)
  statement.run(filled.values.map((value) => (typeof value === "number" ? BigInt(value) : value)))
}

const made = new Map<State, Buffer>()

/** A new database in this state. */
export const databaseIn = (state: State): Database.Database => {
  const bytes =
    made.get(state) ??
    (() => {
      const database = emptyDatabase()
      for (const text of states[state]) {
        database.exec(text)
      }
      const serialized = database.serialize()
      database.close()
      made.set(state, serialized)
      return serialized
    })()
  const database = new Database(bytes)
  database.pragma("foreign_keys = OFF")
  database.pragma("recursive_triggers = OFF")
  return database
}

/** What came of an attack: the error's message, if there was one, and whether anything changed. */
export interface Outcome {
  readonly error: string | undefined
  readonly changed: boolean
}

/**
 * Runs the statements, ends any transaction by COMMIT so that no trace is lost, and compares. Where SQLite counts no change there
 * is nothing to compare; what tries several compares once more after the last.
 */
export const attempt = (
  database: Database.Database,
  attack: Pick<Attack, "sql" | "after">,
  before: string,
  dumpOf: (database: Database.Database) => string = dump
): Outcome => {
  const changes = changesOf(database)
  let error: string | undefined
  try {
    execute(database, attack.sql)
  } catch (thrown) {
    error = (thrown as Error).message
  }
  if (database.inTransaction) {
    database.exec("COMMIT")
  }
  if (attack.after !== undefined) {
    database.exec(attack.after)
  }
  return { error, changed: changesOf(database) !== changes && dumpOf(database) !== before }
}

/** An attack and what came of it. */
export interface Tried extends Outcome {
  readonly attack: Attack
}

/**
 * Tries each attack on its state, after the statements `first`, one whenever the next is asked for; a database that an
 * attack has changed is not used again.
 */
export function* tries(attacks: ReadonlyArray<Attack>, first: ReadonlyArray<string> = []): Generator<Tried> {
  const fresh = (state: State, setup: string) => {
    const database = databaseIn(state)
    for (const text of [...first, setup]) {
      database.exec(text)
    }
    return { database, before: dump(database) }
  }
  for (const group of Map.groupBy(attacks, ({ state, setup = "" }) => `${state} ${setup}`).values()) {
    const { state, setup = "" } = group[0] as Attack
    let { before, database } = fresh(state, setup)
    try {
      for (const attack of group) {
        const outcome = attempt(database, attack, before)
        if (outcome.changed) {
          database.close()
          ;({ before, database } = fresh(state, setup))
        }
        yield { ...outcome, attack }
      }
      if (dump(database) !== before) throw new Error("an attack left a trace that SQLite did not count")
    } finally {
      database.close()
    }
  }
}

/** What came of every attack, each tried on its state after the statements `first`. */
export const outcomesOf = (
  attacks: ReadonlyArray<Attack>,
  first: ReadonlyArray<string> = []
): ReadonlyArray<Tried> => [...tries(attacks, first)]

/** The messages with which a piece of SQL refuses, in its order. */
export const refusalsIn = (sql: string): ReadonlyArray<string> =>
  [...sql.matchAll(/RAISE\(ABORT, '((?:[^']|'')*)'\)/g)].map(([, message = ""]) =>
    message.replaceAll("''", "'")
  )
