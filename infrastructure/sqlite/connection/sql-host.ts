// The whole port to SQL: five synchronous operations, and what differs between hosts. Any SQLite host that offers them can carry the
// ledger, its migrations and its triggers unchanged; nothing above this port may use a driver, a BEGIN or a SAVEPOINT.

/** A value as SQLite stores it here; no integers beyond 2^53. Bytes are only in indexes that can be made again. */
export type SqlValue = string | number | null | Uint8Array

/** One object of a schema, as SQLite keeps it. */
export interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly sql: string | null
}

/** What the header of a database says: its text's encoding, and two numbers that SQLite leaves to the program. */
export interface DatabaseHeader {
  readonly encoding: string
  readonly application_id: number
  readonly user_version: number
}

/** A database as statements make it out of an empty one. */
export interface MadeDatabase {
  readonly schema: ReadonlyArray<SchemaObject>
  readonly header: DatabaseHeader
}

/** What a database is like, which differs from one host to another. */
export interface HostFacts {
  /** Most bytes that one row may have; undefined where the formats' own bounds are lower. */
  readonly maxRowBytes: number | undefined
  readonly header: () => DatabaseHeader
  /** What statements make of an empty database of this host. */
  readonly madeBy: (statements: ReadonlyArray<string>) => MadeDatabase
}

export interface SqlHost {
  /** All rows as objects, columns in their selected order. */
  readonly all: <Row>(sql: string, parameters?: ReadonlyArray<SqlValue>) => Array<Row>
  /** Runs one statement for its effect; gives the number of rows that it itself wrote. */
  readonly run: (sql: string, parameters?: ReadonlyArray<SqlValue>) => number
  /** Runs statements that are never asked for again, as those of a schema are. */
  readonly script: (statements: ReadonlyArray<string>) => void
  /**
   * One unit of work under the write lock: commits when `work` returns, rolls back when it throws. Inside another unit it
   * is part of that one, which rolls back as a whole.
   */
  readonly transaction: <A>(work: () => A) => A
  /** Everything that `read` reads is of one moment, also while others commit. */
  readonly snapshot: <A>(read: () => A) => A
  readonly facts: HostFacts
}

/** All of a schema. */
export const schemaIn = (host: Pick<SqlHost, "all">): ReadonlyArray<SchemaObject> =>
  host.all<SchemaObject>('SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema')
