// What is judged of the file of every database: its header, SQLite's own check of pages and indexes, the second
// account of pages and every index against its table. All databases of this program are judged here alike. It reads one
// moment and changes nothing; damage that stops a part of it is a finding too.
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"
import { NotALedger } from "../../../domain/foundation/storage-errors.ts"
import { part, parts, stopsOf } from "./check-parts.ts"
import { DatabaseDamaged } from "../connection/database-damaged.ts"
import { damage } from "./file-finding.ts"
import { type Connection, openBytes } from "../connection/better-sqlite3-host.ts"
import { isToldByRow, misplacedTypes, typedTables } from "./cell-types.ts"
import { HEADER_BYTES, looksLikeHeader, pageSizeOf } from "../files/database-header.ts"
import { logMayBeForeign } from "../files/foreign-log.ts"
import { indexesOf, indexFindings } from "./index-check.ts"
import { pageAccount } from "./page-account.ts"
import { headerOf, quickFindings } from "./quick-check.ts"
import { Busy, isNoDatabase, sqliteFailure } from "../connection/sqlite-errors.ts"
import type { SqlHost } from "../connection/sql-host.ts"
import { readStored, type StoredBytes } from "../files/stored-bytes.ts"
import { recognized } from "../../files/recognized-file.ts"

type Findings = ReadonlyArray<DatabaseFinding>

/** What is wrong with the header of an open database's file. An empty database has none yet. */
const headerFindings = (connection: Connection): Findings =>
  readStored(connection, (bytes) => (bytes === undefined || bytes.length === 0 ? [] : headerOf(bytes)))

const foreignLog = (file: string, wrong: string): DatabaseFinding =>
  damage(
    `${file}-wal`,
    `it is not the log of this file (${wrong}): put back the file that it belongs to, or move the log away and verify what the file holds without it`
  )

/** What SQLite says of pages that do not belong together; anything else tells of the place, of locks or of the disk. */
const MIXED_PAGES = /^SQLITE_(?:CORRUPT|NOTADB|ERROR)(?:_|$)/

/** A file that cannot be read together with a log that may be another file's. */
const unreadableWithLog = (connection: Connection, bytes: StoredBytes, error: unknown): Findings => {
  const { file } = connection
  if (!MIXED_PAGES.test((error as { readonly code?: string }).code ?? "")) return []
  const pageSize = pageSizeOf(bytes.read(0, HEADER_BYTES))
  if (file === undefined || !logMayBeForeign(file, bytes, pageSize)) return []
  return [foreignLog(file, error instanceof Error ? error.message : String(error))]
}

/**
 * Runs a read; where SQLite refuses it and the header of its file is damaged, that is thrown as `DatabaseDamaged` instead: a
 * database whose header was damaged is not something else, and its owner's rights are not in question.
 */
export const orHeaderFault = <A>(connection: Connection, read: () => A): A => {
  try {
    return read()
  } catch (error) {
    if (sqliteFailure("header", error) instanceof Busy) throw error
    const [fault] = readStored(connection, (bytes) => {
      if (bytes === undefined || !looksLikeHeader(bytes.read(0, HEADER_BYTES))) return []
      const faults = headerOf(bytes)
      return faults.length > 0 || !bytes.logged ? faults : unreadableWithLog(connection, bytes, error)
    })
    if (fault === undefined && isNoDatabase(error)) {
      const file = connection.file ?? "the database"
      throw new NotALedger({ file, reason: recognized(file) ?? "it is no SQLite database" })
    }
    if (fault === undefined) throw error
    throw new DatabaseDamaged({ code: fault.code, where: fault.where, finding: fault.message })
  }
}

const integrity = (connection: Connection): Findings =>
  connection
    .all<{ integrity_check: string }>("PRAGMA integrity_check")
    .filter(({ integrity_check }) => integrity_check !== "ok")
    .map(({ integrity_check }) => damage("database", integrity_check))

/** The second opinion on pages that SQLite found sound: where it did not, walking them might never end. */
const account = (connection: Connection): Findings => {
  const { entries, findings } = pageAccount(connection)
  return findings.length > 0
    ? findings
    : indexesOf(connection).flatMap((index) =>
        part(index.name, () => indexFindings(connection, index, entries.get(index.name) ?? 0))
      )
}

/** What tells one database from another of its kind, and how far its history goes: a number that no commit takes back. */
export interface Identity {
  readonly name: string
  readonly newest: number
}

/** Tells what a database is; undefined where it cannot be told. */
export type Identify = (host: SqlHost) => Identity | undefined

/** What the file is without its log, looked at in memory. */
const identityAlone = (bytes: StoredBytes, identify: Identify): Identity | undefined => {
  const image = Buffer.from(bytes.read(0, bytes.length))
  // A database in memory has no log, and must not say that it needs one.
  image.fill(1, 18, 20)
  try {
    const alone = openBytes(image)
    try {
      return identify(alone)
    } finally {
      alone.close()
    }
  } catch {
    // It is damaged without its log: only both together can be judged.
    return undefined
  }
}

/** What a file without its log and with it cannot both be. */
const disagreement = (alone: Identity | undefined, both: Identity | undefined): string | undefined => {
  if (alone === undefined) return undefined
  if (alone.name !== both?.name) return `alone the file is ${alone.name}, with it ${both?.name ?? "none"}`
  return alone.newest > both.newest
    ? `alone the file goes to ${alone.newest}, with it to ${both.newest}: the log is older`
    : undefined
}

/**
 * A log that may be another file's, held against what the file says without it: it must be the same database, and never go less
 * far with its log. `closer` is asked for a fault where both agree.
 */
const foreignLogFindings = (
  connection: Connection,
  bytes: StoredBytes,
  identify: Identify,
  closer: () => string | undefined = () => undefined
): Findings => {
  const { file } = connection
  if (file === undefined || !logMayBeForeign(file, bytes, Number(connection.pragma("page_size")))) return []
  const wrong = disagreement(identityAlone(bytes, identify), identify(connection)) ?? closer()
  return wrong === undefined ? [] : [foreignLog(file, wrong)]
}

/** What is wrong with a database's file. */
export interface FileJudgement {
  /** Header, b-trees, free pages and indexes. */
  readonly pages: Findings
  /** The cells that hold another type than their column's. */
  readonly cells: Findings
}

/**
 * Everything that is wrong with the pages and the types of an open database. The schema, and what rows say, are for others to
 * judge. Busy, and errors of the operating system, pass through.
 */
export const judgeFile = (connection: Connection, identify: Identify = () => undefined): FileJudgement =>
  connection.snapshot(() => {
    const header = [
      ...part("header", () => headerFindings(connection)),
      ...part("log", () =>
        readStored(connection, (bytes) =>
          bytes?.logged === true ? foreignLogFindings(connection, bytes, identify) : []
        )
      )
    ]
    const checked: { unsound?: Findings } = {}
    const stopped = stopsOf("database", () => {
      checked.unsound = integrity(connection)
    })
    const { unsound } = checked
    // What SQLite's check cannot read, no other reading of it can.
    if (unsound === undefined) return { pages: [...header, ...stopped], cells: [] }
    // Where it finds nothing, every cell has the type of its column.
    if (unsound.length === 0) {
      return { pages: [...header, ...part("pages", () => account(connection))], cells: [] }
    }
    const told = new Set<string>()
    const cells = part("cells", () =>
      parts(
        typedTables(connection).map((table) => [table.table, () => misplacedTypes(connection, table, told)])
      )
    )
    return { pages: [...header, ...unsound.filter((finding) => !isToldByRow(finding, told))], cells }
  })

/** The same as one list. */
export const fileFindings = (connection: Connection, identify?: Identify): Findings => {
  const { cells, pages } = judgeFile(connection, identify)
  return [...pages, ...cells]
}

/**
 * The same in few reads, however large the file is: for every opening. A log that may be another file's is looked at closely: with
 * its own log a file is sound.
 */
export const openingFindings = (connection: Connection, identify: Identify = () => undefined): Findings =>
  part("header", () =>
    quickFindings(connection, (bytes) =>
      foreignLogFindings(connection, bytes, identify, () => fileFindings(connection)[0]?.message)
    )
  )
