// better-sqlite3 under the SQL port: one connection with the pragmas of the design and every statement prepared
// once. SQLite's own busy handler is off, because it would block the event loop; callers retry. The database file
// may never be opened with `fs` while such a connection is open, since closing that would drop SQLite's locks.
import { resolve } from "node:path"
import Database from "better-sqlite3"
import { noteOpen } from "./open-databases.ts"
import { type HostFacts, type MadeDatabase, schemaIn, type SqlHost, type SqlValue } from "./sql-host.ts"

/** How much an acknowledged commit survives: FULL a power cut, NORMAL only the process's own death. */
export type Durability = "full" | "normal"

/** Size that the write-ahead log is cut back to after a checkpoint (bytes). */
const JOURNAL_SIZE_LIMIT_BYTES = 64 * 1_048_576

export interface Connection extends SqlHost {
  /** The database's file; undefined for one in memory or in a temporary file. */
  readonly file: string | undefined
  /** Gives rows one by one until `onRow` answers false; nothing else may be asked of the connection meanwhile. */
  readonly each: <Row>(sql: string, onRow: (row: Row) => boolean) => void
  /** A pragma's single value; without a value when it has none. */
  readonly pragma: (text: string) => unknown
  /** The whole database as bytes; only meaningful for one in memory. */
  readonly serialize: () => Uint8Array
  readonly close: () => void
}

const factsOf = (database: Database.Database): HostFacts => {
  const pragma = (name: string) => database.pragma(name, { simple: true })
  return {
    maxRowBytes: undefined,
    header: () => ({
      encoding: String(pragma("encoding")),
      application_id: Number(pragma("application_id")),
      user_version: Number(pragma("user_version"))
    }),
    madeBy
  }
}

/** What statements make, learnt from an empty private database. */
const madeBy = (statements: ReadonlyArray<string>): MadeDatabase => {
  const empty = openBytes(Buffer.alloc(0))
  try {
    empty.script(statements)
    return { schema: schemaIn(empty), header: empty.facts.header() }
  } finally {
    empty.close()
  }
}

const makeConnection = (database: Database.Database): Connection => {
  const statements = new Map<string, Database.Statement<Array<SqlValue>>>()
  const prepared = (sql: string) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare<Array<SqlValue>>(sql)
    statements.set(sql, statement)
    return statement
  }
  const none: ReadonlyArray<SqlValue> = []
  const file = database.memory ? undefined : resolve(database.name)
  const noteClosed = file === undefined ? undefined : noteOpen(file)
  return {
    file,
    each: <Row>(sql: string, onRow: (row: Row) => boolean) => {
      for (const row of prepared(sql).iterate() as IterableIterator<Row>) if (!onRow(row)) return
    },
    all: <Row>(sql: string, parameters = none) => prepared(sql).all(...parameters) as Array<Row>,
    run: (sql, parameters = none) => prepared(sql).run(...parameters).changes,
    script: (statements) => {
      database.exec(statements.join(";\n"))
    },
    transaction: (work) => {
      // No savepoint: while one is open, SQLite's journal of each statement grows with the whole unit, and is gone through
      // at the end of every statement.
      if (database.inTransaction) return work()
      prepared("BEGIN IMMEDIATE").run()
      try {
        const result = work()
        prepared("COMMIT").run()
        return result
      } catch (error) {
        // A full disk may have ended it.
        if (database.inTransaction) prepared("ROLLBACK").run()
        throw error
      }
    },
    snapshot: (read) => {
      if (database.inTransaction) return read()
      prepared("BEGIN").run()
      try {
        return read()
      } finally {
        // There is nothing to commit, and COMMIT fails where a page could not be read. A full disk may have ended it.
        if (database.inTransaction) prepared("ROLLBACK").run()
      }
    },
    facts: factsOf(database),
    pragma: (text) => database.pragma(text, { simple: true }),
    serialize: () => database.serialize(),
    close: () => {
      database.close()
      noteClosed?.()
    }
  }
}

/** Opens for writing and creates the file when it is missing. Nothing is written yet, not even a header. */
export const openForWriting = (filename: string): Connection =>
  makeConnection(new Database(filename, { timeout: 0 }))

/** Opens an existing file for reading; it changes nothing in it. */
export const openForReading = (filename: string): Connection => {
  const connection = makeConnection(
    new Database(filename, { readonly: true, fileMustExist: true, timeout: 0 })
  )
  connection.pragma("temp_store = MEMORY")
  return connection
}

/**
 * Lets SQLite remove the empty log and its index that a reading connection leaves beside a database in WAL mode.
 * Only for a file that had no log when reading began; nothing happens while others have it open.
 */
export const removeWalLeftovers = (filename: string): void => {
  const last = makeConnection(new Database(filename, { fileMustExist: true, timeout: 0 }))
  try {
    last.pragma("query_only = ON")
    // Reads the header alone: a statement on a table would have the whole schema read first.
    last.pragma("user_version")
  } finally {
    last.close()
  }
}

/**
 * Opens an existing file for this connection alone: reading it needs no shared memory and so no room on the disk, and fails as
 * busy while others have it open.
 */
export const openAlone = (filename: string): Connection => {
  const connection = makeConnection(new Database(filename, { fileMustExist: true, timeout: 0 }))
  connection.pragma("locking_mode = EXCLUSIVE")
  return connection
}

/** A private database in memory from the bytes of another. */
export const openBytes = (bytes: Uint8Array): Connection =>
  makeConnection(new Database(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))

/** A private empty database that spills to a temporary file when it grows, and vanishes when it is closed. */
export const openScratch = (): Connection => makeConnection(new Database(""))

/**
 * Sets what a writing connection needs; the journal mode may be refused as busy by other first openers. Gives the
 * journal mode in force: anything but `wal` (or `memory` for a database there) is a place where SQLite cannot have
 * its shared memory, and no ledger may be written there.
 */
export const configureForWriting = (connection: Connection, durability: Durability): string => {
  const journalMode = String(connection.pragma("journal_mode = WAL"))
  connection.pragma(`synchronous = ${durability === "normal" ? "NORMAL" : "FULL"}`)
  connection.pragma("foreign_keys = ON")
  // What is deleted is overwritten: a page in the list of free ones that is not zero may be in use, which opening looks at.
  connection.pragma("secure_delete = ON")
  connection.pragma("temp_store = MEMORY")
  connection.pragma(`journal_size_limit = ${JOURNAL_SIZE_LIMIT_BYTES}`)
  return journalMode
}
