// A second account of a database's pages, beside SQLite's own, which leaves pages out of it when a view or a virtual table
// comes first in its list of tables (the order of that list changes with VACUUM and with every table more). Every page must
// be used exactly once: by one b-tree, as the lock page, or in the list of free pages.
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"
import type { Connection } from "../connection/better-sqlite3-host.ts"
import { HEADER_BYTES } from "../files/database-header.ts"
import { freelistFault } from "./freelist.ts"
import { readStored, type StoredBytes } from "../files/stored-bytes.ts"

/** The account: what is wrong with it, and how many entries each b-tree's pages hold. */
export interface PageAccount {
  readonly findings: ReadonlyArray<DatabaseFinding>
  /** Entries by the name of an index (or of a table without row ids): all its cells. */
  readonly entries: ReadonlyMap<string, number>
}

interface PageRow {
  readonly name: string
  readonly pageno: number
  readonly pagetype: "leaf" | "internal" | "overflow" | "corrupted"
  readonly ncell: number
}

/** How many pages that belong to nothing are named. */
const MAX_NAMED = 10

/** Where SQLite locks a file: the page that holds this byte stores nothing. */
const LOCK_BYTE = 2 ** 30

const damage = (where: string, message: string): DatabaseFinding => ({ code: "INTEGRITY", where, message })

/** Which pages are taken, one byte a page. */
class Pages {
  readonly count: number
  private readonly taken: Uint8Array

  constructor(count: number) {
    this.count = count
    this.taken = new Uint8Array(count + 1)
  }

  /** True when the page is there and was not taken before. */
  readonly take = (page: number): boolean => {
    if (!Number.isInteger(page) || page < 1 || page > this.count || this.taken[page] === 1) return false
    this.taken[page] = 1
    return true
  }

  get left(): ReadonlyArray<number> {
    const left: Array<number> = []
    for (let page = 1; page <= this.count; page++) if (this.taken[page] === 0) left.push(page)
    return left
  }
}

/** Takes the pages of every b-tree; ends at the first that is used twice, since a loop would go on forever. */
const takeTrees = (
  connection: Connection,
  pages: Pages,
  entries: Map<string, number>
): DatabaseFinding | undefined => {
  let fault: DatabaseFinding | undefined
  connection.each<PageRow>(
    "SELECT name, pageno, pagetype, ncell FROM dbstat",
    ({ name, ncell, pageno, pagetype }) => {
      if (pagetype === "corrupted") fault = damage(name, `page ${pageno} is damaged`)
      else if (!pages.take(pageno)) {
        fault = damage(
          name,
          pageno >= 1 && pageno <= pages.count
            ? `page ${pageno} is used twice`
            : `page ${pageno} is used, and there are only pages 1 to ${pages.count}`
        )
      }
      if (pagetype !== "overflow") entries.set(name, (entries.get(name) ?? 0) + ncell)
      return fault === undefined
    }
  )
  return fault
}

/** Takes the page that stores nothing, since locks lie on it. */
const takeLockPage = (pages: Pages, pageSize: number): void => {
  const lockPage = LOCK_BYTE / pageSize + 1
  if (lockPage <= pages.count) pages.take(lockPage)
}

const leftFindings = (pages: Pages): ReadonlyArray<DatabaseFinding> => {
  const { left } = pages
  if (left.length === 0) return []
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : ""
  const named = left.slice(0, MAX_NAMED).join(", ")
  return [damage("pages", `no table, index or list of free pages has page ${named}${more}`)]
}

const countFindings = (pages: Pages, free: number): ReadonlyArray<DatabaseFinding> => {
  const { length } = pages.left
  return length === free
    ? []
    : [
        damage(
          "pages",
          `${length} of ${pages.count} pages are used by nothing, the header says that ${free} are free`
        )
      ]
}

/** How many bytes at the end of each page are not used; none where it cannot be read. */
const reservedBytes = (bytes: StoredBytes | undefined): number => bytes?.read(20, 1)[0] ?? 0

/** Takes the free pages by their list; where pages may be newer in a log, their number alone is compared. */
const freeFindings = (
  pages: Pages,
  pageSize: number,
  free: number,
  bytes: StoredBytes | undefined
): ReadonlyArray<DatabaseFinding> => {
  if (bytes === undefined || bytes.logged) return countFindings(pages, free)
  const fault = freelistFault(bytes.read(0, HEADER_BYTES), {
    pages: pages.count,
    usableBytes: pageSize - reservedBytes(bytes),
    page: (number) => bytes.read((number - 1) * pageSize, pageSize),
    take: pages.take
  })
  return fault === undefined ? leftFindings(pages) : [damage("pages", fault)]
}

/** The number that a pragma gives. */
const numberOf = (connection: Connection, pragma: string): number => Number(connection.pragma(pragma))

/** Makes the account, inside a transaction of the connection; SQLite's errors pass through. */
export const pageAccount = (connection: Connection): PageAccount => {
  // The first read begins the transaction's moment; what stands on the disk is looked at within it.
  const pages = new Pages(numberOf(connection, "page_count"))
  const free = numberOf(connection, "freelist_count")
  const pageSize = numberOf(connection, "page_size")
  const entries = new Map<string, number>()
  const fault = takeTrees(connection, pages, entries)
  if (fault !== undefined) return { findings: [fault], entries }
  takeLockPage(pages, pageSize)
  const findings = readStored(connection, (bytes) => freeFindings(pages, pageSize, free, bytes))
  return { findings, entries }
}
