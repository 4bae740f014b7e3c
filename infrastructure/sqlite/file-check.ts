// What is judged of a database's file, whatever it stores: its header, SQLite's own check of pages and indexes, the second
// account of pages and every index against its table. All databases of this program are judged here alike. It reads one
// moment and changes nothing; damage that stops a part of it is a finding too.
import type { Finding } from "../../domain/ledger/verification.ts"
import { StoreCorrupt } from "../../domain/ledger/errors.ts"
import type { Connection } from "./better-sqlite3-host.ts"
import { HEADER_BYTES, headerFaults, looksLikeHeader, pageSizeOf, u32 } from "./database-header.ts"
import { freelistFault } from "./freelist.ts"
import { indexesOf, indexFindings } from "./index-check.ts"
import { pageAccount } from "./page-account.ts"
import { Busy, sqliteFailure } from "./sqlite-errors.ts"
import { readStored, type StoredBytes } from "./stored-bytes.ts"

type Findings = ReadonlyArray<Finding>

const damage = (where: string, message: string): Finding => ({ code: "INTEGRITY", where, message })

/** Runs a part of a check; what SQLite cannot read for its damage is a finding of that part. Other trouble passes through. */
export const part = (where: string, check: () => Findings): Findings => {
  try {
    return check()
  } catch (error) {
    const failure = error instanceof StoreCorrupt ? error : sqliteFailure(where, error)
    if (failure instanceof Busy) throw error
    if (failure instanceof StoreCorrupt) return [damage(where, failure.finding)]
    const code = (error as { readonly code: string }).code
    if (!/^SQLITE_(?:ERROR|NOTADB|CONSTRAINT|MISMATCH|INTERNAL|RANGE)(?:_|$)/.test(code)) throw error
    return [damage(where, failure.message)]
  }
}

/** Parts that stopped at the same damage are one finding, which names them all. */
export const stoppedTogether = (stops: Findings): Findings =>
  [...Map.groupBy(stops, ({ code, message }) => `${code} ${message}`).values()].flatMap((same) => {
    const [first] = same
    return first === undefined ? [] : [{ ...first, where: same.map(({ where }) => where).join(", ") }]
  })

const headerOf = (bytes: StoredBytes): Findings =>
  headerFaults(bytes.read(0, HEADER_BYTES), { fileBytes: bytes.length, logged: bytes.logged }).map((fault) =>
    damage("header", fault)
  )

/** What is wrong with the header of an open database's file. An empty database has none yet. */
const headerFindings = (connection: Connection): Findings =>
  readStored(connection, (bytes) => (bytes === undefined || bytes.length === 0 ? [] : headerOf(bytes)))

/**
 * Runs a read; where SQLite refuses it and the header of its file is damaged, that is thrown as `StoreCorrupt` instead: a
 * database whose header was damaged is not something else, and its owner's rights are not in question.
 */
export const orHeaderFault = <A>(connection: Connection, read: () => A): A => {
  try {
    return read()
  } catch (error) {
    if (sqliteFailure("header", error) instanceof Busy) throw error
    const [fault] = readStored(connection, (bytes) =>
      bytes !== undefined && looksLikeHeader(bytes.read(0, HEADER_BYTES)) ? headerOf(bytes) : []
    )
    if (fault === undefined) throw error
    throw new StoreCorrupt({ code: fault.code, where: fault.where, finding: fault.message })
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

/**
 * Everything that is wrong with the pages of an open database: header, b-trees, free pages and indexes. The schema, and what
 * rows say, are for others to judge. Busy, and errors of the operating system, pass through.
 */
export const fileFindings = (connection: Connection): Findings =>
  connection.snapshot(() => {
    const sound = part("database", () => integrity(connection))
    return [
      ...part("header", () => headerFindings(connection)),
      ...(sound.length > 0 ? sound : part("pages", () => account(connection)))
    ]
  })

/** How many trunk pages of the list of free pages an opening follows: a list of a quarter of a gigabyte, for pages of 4 KiB. */
const OPENING_TRUNKS = 64

/** How many free pages an opening looks at. */
const OPENING_FREE_PAGES = 4_096

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

/**
 * What is wrong with the list of free pages. Our writers leave a page that they free full of zeros: only where one is not,
 * it may be in use, and the whole account says so before a writer gives it out again.
 */
const freelistFindings = (connection: Connection, bytes: StoredBytes): Findings => {
  const header = bytes.read(0, HEADER_BYTES)
  const pageSize = pageSizeOf(header)
  const page = (number: number) => bytes.read((number - 1) * pageSize, pageSize)
  const seen = new Set<number>()
  const trunks = new Set<number>()
  const fault = freelistFault(header, {
    pages: Math.floor(bytes.length / pageSize),
    usableBytes: pageSize - (header[20] ?? 0),
    page: (number) => {
      trunks.add(number)
      return page(number)
    },
    take: (number) => !seen.has(number) && seen.add(number).has(number),
    maxTrunks: OPENING_TRUNKS
  })
  if (fault !== undefined) return [damage("pages", fault)]
  const free = [...seen].filter((number) => !trunks.has(number)).slice(0, OPENING_FREE_PAGES)
  return free.every((number) => isZero(page(number))) ? [] : pageAccount(connection).findings
}

/** Bytes 52 to 55 are 0, or the largest root page of a database that gives pages back by itself. */
const largestRootFinding = (connection: Connection, bytes: StoredBytes): Findings => {
  const largest = u32(bytes.read(0, HEADER_BYTES), 52)
  if (largest === 0) return []
  const [row] = connection.all<{ root: number }>("SELECT max(rootpage) AS root FROM sqlite_schema")
  return row?.root === largest
    ? []
    : [damage("header", `bytes 52 to 55 say that the largest root page is ${largest}, it is ${row?.root}`)]
}

/** The same in few reads, however large the file is: for every opening. It sees the header and the list of free pages. */
export const openingFindings = (connection: Connection): Findings =>
  connection.snapshot(() =>
    part("header", () => {
      const free = Number(connection.pragma("freelist_count"))
      const pages = Number(connection.pragma("page_count"))
      if (free > 0 && free >= pages) {
        return [damage("header", `the header says that ${free} of ${pages} pages are free, which cannot be`)]
      }
      return readStored(connection, (bytes) => {
        if (bytes === undefined || bytes.length === 0) return []
        const faults = headerOf(bytes)
        if (faults.length > 0 || bytes.logged) return faults
        return [...largestRootFinding(connection, bytes), ...freelistFindings(connection, bytes)]
      })
    })
  )
