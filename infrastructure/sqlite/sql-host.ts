// The whole port to SQL: three synchronous operations. Any SQLite host that offers them can carry the ledger,
// its migrations and its triggers unchanged; nothing above this port may use a driver, a BEGIN or a SAVEPOINT.

/** A value as SQLite stores it here; no integers beyond 2^53. Bytes are only in indexes that can be made again. */
export type SqlValue = string | number | null | Uint8Array

export interface SqlHost {
  /** All rows as objects, columns in their selected order. */
  readonly all: <Row>(sql: string, parameters?: ReadonlyArray<SqlValue>) => Array<Row>
  /** Runs one statement for its effect; gives the number of rows that it itself wrote. */
  readonly run: (sql: string, parameters?: ReadonlyArray<SqlValue>) => number
  /**
   * One unit of work under the write lock: commits when `work` returns, rolls back when it throws. Inside another unit it
   * is part of that one, which rolls back as a whole.
   */
  readonly transaction: <A>(work: () => A) => A
}
