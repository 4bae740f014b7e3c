// A ledger under hostile SQL: its whole content in a form that two moments can be compared by, and what may be said of
// one statement that changed it. Rows and events are judged as they stand; no trigger is ever asked.

import Database from "better-sqlite3"
import { eventFindings } from "../../../domain/ledger/event-check.ts"
import { chainFault, EMPTY_HEAD, type EventEnvelope, headOf } from "../../../domain/ledger/event-envelope.ts"
import { computeHash, type ThoughtRecord } from "../../../domain/ledger/thoughts/thought-record.ts"
import { sha256 } from "../../../infrastructure/hashing/node-hashing.ts"

export type Cell = string | number | null
export type Row = Readonly<Record<string, Cell>>

/** A table as the schema has it. */
export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
  /** It has a rowid that is none of its columns. */
  readonly hidden: boolean
}

/** The connection's switches that weaken a schema. */
export interface Weakness {
  readonly recursiveTriggers: boolean
  readonly ignoreChecks: boolean
}

/** Every table with its rows under their keys, each as one text; a hidden rowid belongs to the row. */
type Content = ReadonlyMap<string, ReadonlyMap<string, string>>

const tablesOf = (database: Database.Database): ReadonlyArray<Table> =>
  database
    .prepare<[], { name: string; ncol: number; wr: number }>(
      "SELECT name, wr FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite%' ORDER BY name"
    )
    .all()
    .map(({ name, wr }) => {
      const columns = database
        .prepare<[string], { name: string; type: string; pk: number }>(
          "SELECT name, type, pk FROM pragma_table_info(?)"
        )
        .all(name)
      const keys = columns.filter(({ pk }) => pk > 0)
      return {
        name,
        columns: columns.map((column) => column.name),
        keys: keys.map((column) => column.name),
        hidden: wr === 0 && !(keys.length === 1 && keys[0]?.type.toUpperCase() === "INTEGER")
      }
    })

/** A row of this table as one text. */
const contentQuery = ({ columns, hidden, name }: Table): string => {
  const cells = [...(hidden ? ["rowid"] : []), ...columns.map((column) => `quote("${column}")`)]
  return `SELECT ${cells.join(" || '|' || ")} FROM main."${name}"`
}

/** One database in memory that is attacked; what an attack has changed is taken back by `restore`. */
export class HostileLedger {
  readonly tables: ReadonlyArray<Table>
  #database: Database.Database
  #bytes: Buffer
  #queries: ReadonlyArray<Database.Statement<[], string>> | undefined
  #text: string
  #content: Content
  #rows: ReadonlyMap<string, ReadonlyArray<Row>>

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#database = this.#open()
    this.tables = tablesOf(this.#database)
    this.#text = this.#dump()
    this.#content = this.#read()
    this.#rows = this.#live()
  }

  #open(): Database.Database {
    const database = new Database(Buffer.from(this.#bytes))
    database.pragma("foreign_keys = OFF")
    return database
  }

  #dump(): string {
    this.#queries ??= this.tables.map((table) =>
      this.#database.prepare<[], string>(contentQuery(table)).pluck()
    )
    return this.#queries.map((query) => query.all().join("\n")).join("\n\n")
  }

  #read(): Content {
    return new Map(
      this.tables.map((table) => {
        const key = table.keys.map((column) => `quote("${column}")`).join(" || ' ' || ")
        const rows = this.#database
          .prepare<[], [string, string]>(contentQuery(table).replace(/^SELECT /, `SELECT ${key}, `))
          .raw()
          .all()
        return [table.name, new Map(rows)]
      })
    )
  }

  #live(): ReadonlyMap<string, ReadonlyArray<Row>> {
    return new Map(
      this.tables.map(({ hidden, name }) => [
        name,
        this.#database.prepare<[], Row>(`SELECT ${hidden ? "rowid, " : ""}* FROM main."${name}"`).all()
      ])
    )
  }

  /** The rows of a table as they were before the last attack. */
  rows(table: string): ReadonlyArray<Row> {
    return this.#rows.get(table) ?? []
  }

  /** The log as it was before the last attack. */
  get events(): ReadonlyArray<EventEnvelope> {
    return this.rows("events") as unknown as ReadonlyArray<EventEnvelope>
  }

  /** Runs a statement; tells whether SQLite refused it, and whether anything at all is different now. */
  attack(sql: string, { ignoreChecks, recursiveTriggers }: Weakness): { error?: string; changed: boolean } {
    this.#database.pragma(`ignore_check_constraints = ${ignoreChecks}`)
    this.#database.pragma(`recursive_triggers = ${recursiveTriggers}`)
    let error: string | undefined
    try {
      this.#database.exec(sql)
    } catch (thrown) {
      error = (thrown as Error).message
    }
    const changed = this.#dump() !== this.#text
    return error === undefined ? { changed } : { error, changed }
  }

  /** The database as it is after an attack. */
  serialize(): Buffer {
    return this.#database.serialize()
  }

  /**
   * What the last attack did to rows that are none of its events' own, one sentence each: a row that is gone, one that
   * an event before it made and that has changed, a row of no new event.
   */
  trespasses(newest: ReadonlyArray<EventEnvelope>): ReadonlyArray<string> {
    const positions = new Set(newest.map(({ position }) => position))
    const found: Array<string> = []
    const after = this.#read()
    const live = this.#live()
    for (const { columns, keys, name } of this.tables) {
      const before = this.#content.get(name) ?? new Map<string, string>()
      const now = after.get(name) ?? new Map<string, string>()
      if (now.size !== live.get(name)?.length) found.push(`${name} has two rows of one key`)
      for (const [key, row] of before) {
        const then = now.get(key)
        if (then === undefined) found.push(`${name} ${key} is gone`)
        else if (then !== row && name !== "head" && name !== "cassette_steps") {
          found.push(`${name} ${key} has changed`)
        }
      }
      if (name === "head" || !columns.includes("event_position")) {
        if (name !== "events" && now.size !== before.size) found.push(`${name} has a new row`)
        continue
      }
      for (const row of live.get(name) ?? []) {
        const key = keys.map((column) => `'${String(row[column]).replaceAll("'", "''")}'`).join(" ")
        const untouched = before.get(key) === now.get(key)
        if (untouched === positions.has(Number(row["event_position"]))) {
          found.push(`${name} ${key} is ${untouched ? "not " : ""}changed at ${row["event_position"]}`)
        }
      }
    }
    return found
  }

  /** The events that the last attack has put behind those before. */
  newest(): ReadonlyArray<EventEnvelope> {
    return this.#database
      .prepare<[number], EventEnvelope>("SELECT * FROM events WHERE position > ? ORDER BY position")
      .all(this.events.length)
  }

  /** Takes the last attack back. */
  restore(): void {
    this.#database.close()
    this.#database = this.#open()
    this.#queries = undefined
  }

  /** Makes what is there now the ledger that is attacked next. */
  keep(): void {
    this.#bytes = this.#database.serialize()
    this.#text = this.#dump()
    this.#content = this.#read()
    this.#rows = this.#live()
  }

  close(): void {
    this.#database.close()
  }
}

/** What can be wrong with an event that SQL has let in. */
export type Forgery = "hash" | "thought hash" | "message id" | "not canonical" | "limits"

const SQL_CANNOT: Readonly<Record<string, Forgery>> = {
  DATA_NOT_CANONICAL: "not canonical",
  EVENT_INVALID: "limits",
  MESSAGE_ID_FORGED: "message id"
}

const thoughtHashFits = ({ data, stream_id }: EventEnvelope): boolean => {
  const fields = JSON.parse(data) as ThoughtRecord
  return fields.hash === computeHash(sha256, { ...fields, task_id: stream_id.slice("task:".length) })
}

/** What is wrong with the events that came behind `before`, and what must never be wrong with them. */
export const judgeEvents = (
  before: EventEnvelope | undefined,
  newest: ReadonlyArray<EventEnvelope>
): { readonly forgeries: ReadonlySet<Forgery>; readonly impossible: ReadonlyArray<string> } => {
  const forgeries = new Set<Forgery>()
  const impossible: Array<string> = []
  let head = before === undefined ? EMPTY_HEAD : headOf(before)
  for (const event of newest) {
    const fault = chainFault(sha256, head, event)
    if (fault === "hash is not the hash of this event") forgeries.add("hash")
    else if (fault !== undefined) impossible.push(fault)
    for (const { code, message } of eventFindings(sha256, event)) {
      const forgery = SQL_CANNOT[code]
      if (forgery === undefined) impossible.push(`${code}: ${message}`)
      else forgeries.add(forgery)
    }
    if (event.type === "ThoughtRecorded" && !thoughtHashFits(event)) forgeries.add("thought hash")
    head = headOf(event)
  }
  return { forgeries, impossible }
}
