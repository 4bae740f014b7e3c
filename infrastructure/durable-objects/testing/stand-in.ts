// The storage of an object as SQLite in memory: it answers and refuses in the platform's way, so that what is built upon it can be
// tried without the platform.
import Database from "better-sqlite3"
import type { ObjectStorage } from "../durable-object-host.ts"

/** An error in the platform's words: the message, then the codes. */
const inItsWords = (error: unknown): unknown => {
  if (!(error instanceof Database.SqliteError)) return error
  const base = error.code.split("_").slice(0, 2).join("_")
  const extended = base === error.code ? "" : ` (extended: ${error.code})`
  return new Error(`${error.message}: ${base}${extended}`)
}

const withArrayBuffers = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Buffer.isBuffer(value) ? Uint8Array.from(value).buffer : value
    ])
  )

/** A new empty storage. */
export const standInStorage = (): ObjectStorage & { readonly database: Database.Database } => {
  const database = new Database(":memory:")
  return {
    database,
    sql: {
      exec: (query, ...bindings) => {
        try {
          const statement = database.prepare<Array<unknown>, Record<string, unknown>>(query)
          const rows = statement.reader ? statement.all(...bindings) : []
          if (!statement.reader) statement.run(...bindings)
          return { toArray: () => rows.map(withArrayBuffers) }
        } catch (error) {
          throw inItsWords(error)
        }
      }
    },
    transactionSync: (work) => database.transaction(work)()
  }
}
