// The SQLite of a Durable Object under the SQL port: synchronous statements, and one transaction for a unit of work. What an object
// answers leaves it only after its writes are stored, so that a commit needs no setting. The platform writes the result code into
// the text of an error: it gets it as a field here, and the text says the same as elsewhere.
import type { HostFacts, SqlHost, SqlValue } from "../sqlite/connection/sql-host.ts"
import { madeInObject, OBJECT_HEADER } from "./made-schema.ts"

/** What this adapter needs of an object's storage. */
export interface ObjectStorage {
  readonly sql: {
    readonly exec: (
      query: string,
      ...bindings: ReadonlyArray<SqlValue>
    ) => { readonly toArray: () => Array<Record<string, unknown>> }
  }
  readonly transactionSync: <A>(work: () => A) => A
}

/** Most bytes that Durable Objects take for one row: https://developers.cloudflare.com/durable-objects/platform/limits/ */
const MAX_ROW_BYTES = 2_000_000

class ObjectSqlError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

// The platform also writes where in the statement the error is.
const withCode = /^([\s\S]*?)(?: at offset \d+)?: (SQLITE_[A-Z]+)(?: \(extended: (SQLITE_[A-Z_]+)\))?$/

/** The platform's error as SQLite's, with its code; anything else as it is. */
const translated = (error: unknown): unknown => {
  const [, message = "", code, extended = code] =
    error instanceof Error ? (withCode.exec(error.message) ?? []) : []
  return extended === undefined ? error : new ObjectSqlError(extended, message)
}

const guarded = <A>(work: () => A): A => {
  try {
    return work()
  } catch (error) {
    throw translated(error)
  }
}

const facts: HostFacts = {
  maxRowBytes: MAX_ROW_BYTES,
  header: () => OBJECT_HEADER,
  madeBy: madeInObject
}

/** Rows with bytes as the port gives them; most have none. */
const withBytes = (rows: Array<Record<string, unknown>>): Array<Record<string, unknown>> => {
  for (const row of rows) {
    for (const [column, value] of Object.entries(row)) {
      if (value instanceof ArrayBuffer) row[column] = new Uint8Array(value)
    }
  }
  return rows
}

/** The database of an object. */
export const durableObjectHost = (storage: ObjectStorage): SqlHost => {
  const { sql } = storage
  const none: ReadonlyArray<SqlValue> = []
  const all = <Row>(text: string, parameters = none) =>
    guarded(() => withBytes(sql.exec(text, ...parameters).toArray()) as Array<Row>)
  let isInUnit = false
  return {
    all,
    run: (text, parameters = none) => {
      guarded(() => sql.exec(text, ...parameters).toArray())
      return Number(all<{ n: number }>("SELECT changes() AS n")[0]?.n)
    },
    script: (statements) => {
      for (const statement of statements) guarded(() => sql.exec(statement))
    },
    transaction: (work) => {
      if (isInUnit) return work()
      isInUnit = true
      try {
        return guarded(() => storage.transactionSync(work))
      } finally {
        isInUnit = false
      }
    },
    // Nothing else runs in an object while a function does.
    snapshot: (read) => read(),
    facts
  }
}
