// What every opening sees of a database's file, in few reads, however large the file is: its header and its list of free
// pages. It loads nothing but SQLite, since a process for each cassette starts with it.
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"
import type { Connection } from "../connection/better-sqlite3-host.ts"
import { damage } from "./file-finding.ts"
import { HEADER_BYTES, headerFaults, pageSizeOf } from "../files/database-header.ts"
import { freelistFault } from "./freelist.ts"
import { pageAccount } from "./page-account.ts"
import { readStored, type StoredBytes } from "../files/stored-bytes.ts"

type Findings = ReadonlyArray<DatabaseFinding>

/** What is wrong with the header of a file that is not empty. */
export const headerOf = (bytes: StoredBytes): Findings =>
  headerFaults(bytes.read(0, HEADER_BYTES), { fileBytes: bytes.length, logged: bytes.logged }).map((fault) =>
    damage("header", fault)
  )

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

/**
 * What is wrong with the root pages that the schema names. Two tables or indexes on one page would write into each other, and
 * SQLite does not look before it does.
 */
const rootFindings = (connection: Connection, pages: number): Findings => {
  const roots = connection.all<{ name: string; type: string; root: unknown }>(
    "SELECT type, CAST(name AS TEXT) AS name, rootpage AS root FROM sqlite_schema WHERE type IN ('table', 'index') AND coalesce(sql, '') NOT LIKE 'create virtual table%'"
  )
  const owners = new Map<unknown, string>()
  const findings: Array<DatabaseFinding> = []
  for (const { name, root, type } of roots) {
    const owner = owners.get(root)
    if (!Number.isInteger(root) || Number(root) < 2 || Number(root) > pages) {
      findings.push(damage(`${type} ${name}`, `its root page is ${String(root)}, of ${pages} pages`))
    } else if (owner !== undefined) {
      findings.push(damage(`${type} ${name}`, `its root page ${String(root)} is that of ${owner} too`))
    }
    owners.set(root, `${type} ${name}`)
  }
  return findings
}

/** What is wrong with the file of an open database; `besideLog` judges one that has a log with content beside it. */
export const quickFindings = (
  connection: Connection,
  besideLog: (bytes: StoredBytes) => Findings = () => []
): Findings =>
  connection.snapshot(() => {
    const free = Number(connection.pragma("freelist_count"))
    const pages = Number(connection.pragma("page_count"))
    if (free > 0 && free >= pages) {
      return [damage("header", `the header says that ${free} of ${pages} pages are free, which cannot be`)]
    }
    const roots = rootFindings(connection, pages)
    return readStored(connection, (bytes) => {
      if (bytes === undefined || bytes.length === 0) return roots
      const faults = headerOf(bytes)
      if (faults.length > 0) return faults
      if (bytes.logged) return [...besideLog(bytes), ...roots]
      return [...roots, ...freelistFindings(connection, bytes)]
    })
  })
