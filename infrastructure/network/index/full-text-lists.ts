// The parts of the full-text index that neither SQLite's check nor a question for a term looks at: its settings, its
// list of the first term of each page, and its pages as such. Their form is SQLite's (https://sqlite.org/fts5.html,
// "Internals", and `ext/fts5/fts5_index.c`).
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"

/** Where the pages of segments begin, and what their ids are made of: a segment, a bit of its kind, a page's number. */
const SEGMENT = 2 ** 37
const KIND = 2 ** 36
const PAGE = 2 ** 31

/** The row that says which pages each segment has. */
const STRUCTURE = 10

interface Segment {
  readonly number: number
  /** A merge that is not finished takes pages away from the front; the list keeps their terms until it is. */
  readonly firstPage: number
  readonly lastPage: number
}

/** One row of the list: the term from which on a page is looked at, and whether its long list of rows has an index. */
interface Listed {
  readonly segid: number
  readonly term: string
  readonly pgno: number
}

/** Reads the numbers of SQLite's variable length that stand one after the other in a block. */
class Numbers {
  readonly #bytes: Uint8Array
  place: number

  constructor(bytes: Uint8Array, place: number) {
    this.#bytes = bytes
    this.place = place
  }

  get atEnd(): boolean {
    return this.place >= this.#bytes.length
  }

  next(): number {
    let value = 0
    for (let length = 1; length <= 9; length++) {
      const byte = this.#bytes[this.place++]
      if (byte === undefined) throw new RangeError("a number ends too early")
      value = value * 128 + (byte % 128)
      if (byte < 128) return value
    }
    throw new RangeError("a number is too long")
  }
}

/** The segments that the index says it has. */
const segmentsOf = (structure: Uint8Array): ReadonlyArray<Segment> => {
  const numbers = new Numbers(structure, 4)
  const levels = numbers.next()
  numbers.next()
  numbers.next()
  const segments: Array<Segment> = []
  for (let level = 0; level < levels; level++) {
    numbers.next()
    for (let left = numbers.next(); left > 0; left--) {
      segments.push({ number: numbers.next(), firstPage: numbers.next(), lastPage: numbers.next() })
    }
  }
  return segments
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** The first and the last term that begin on a page, in hexadecimal; nothing where none begins there. */
const termsOf = (page: Uint8Array): { readonly first: string; readonly last: string } | undefined => {
  const size = page[2]! * 256 + page[3]!
  const places = new Numbers(page, size)
  if (places.atEnd) return undefined
  let at = 0
  let first: string | undefined
  let last = ""
  while (!places.atEnd) {
    at += places.next()
    const numbers = new Numbers(page, at)
    // Each term but the first keeps the beginning of the one before it.
    const kept = first === undefined ? 0 : numbers.next()
    const length = numbers.next()
    last = last.slice(0, kept * 2) + hexOf(page.subarray(numbers.place, numbers.place + length))
    first ??= last
  }
  return { first: first!, last }
}

/** The beginning of a term that no term before it has: one byte more than both share. */
const tellingStart = (before: string, term: string): string => {
  let same = 0
  while (same < before.length && before.slice(same, same + 2) === term.slice(same, same + 2)) same += 2
  return term.slice(0, same + 2)
}

/**
 * What the list must say of a segment. The first page that a merge writes when it goes on is listed with its whole term;
 * a page at the front that lost others before it has a term that is not known.
 */
function* expectedList(connection: Connection, { firstPage, lastPage, number }: Segment) {
  const pages = connection.all<{ page: number; block: Uint8Array; indexed: number }>(
    `SELECT id % ${PAGE} AS page, block, EXISTS (SELECT 1 FROM chunks_fts_data AS i WHERE i.id = d.id + ${KIND}) AS indexed
       FROM chunks_fts_data AS d WHERE id BETWEEN ? AND ? ORDER BY id`,
    [number * SEGMENT + firstPage, number * SEGMENT + lastPage]
  )
  if (pages.length !== lastPage - firstPage + 1) throw new RangeError("a page is missing")
  let before: string | undefined
  for (const { block, indexed, page } of pages) {
    const terms = termsOf(block)
    if (terms === undefined) continue
    const term = page === 1 ? "" : before === undefined ? undefined : tellingStart(before, terms.first)
    yield { segid: number, pgno: page * 2 + indexed, term, first: terms.first }
    before = terms.last
  }
}

const isListed = (connection: Connection): boolean => {
  const [structure] = connection.all<{ block: Uint8Array }>(
    "SELECT block FROM chunks_fts_data WHERE id = ?",
    [STRUCTURE]
  )
  const segments = segmentsOf(structure?.block ?? new Uint8Array())
  const known = new Map(segments.map((segment) => [segment.number, segment]))
  const listed = connection.all<Listed>(
    "SELECT segid, lower(hex(term)) AS term, pgno FROM chunks_fts_idx ORDER BY segid, chunks_fts_idx.term"
  )
  let at = 0
  for (const segment of [...segments].sort((a, b) => a.number - b.number)) {
    while (listed[at]?.segid === segment.number && Math.floor(listed[at]!.pgno / 2) < segment.firstPage) at++
    for (const { first, pgno, segid, term } of expectedList(connection, segment)) {
      const row = listed[at++]
      if (row === undefined || row.segid !== segid || row.pgno !== pgno) return false
      if (term === undefined ? row.term > first : row.term !== term && row.term !== first) return false
    }
  }
  const strangers = connection
    .all<{ segment: number; page: number }>(
      `SELECT id / ${SEGMENT} AS segment, id % ${PAGE} AS page FROM chunks_fts_data WHERE id >= ? AND id / ${KIND} % 2 = 0`,
      [SEGMENT]
    )
    .filter(({ page, segment }) => {
      const owner = known.get(segment)
      return owner === undefined || page < owner.firstPage || page > owner.lastPage
    })
  return at === listed.length && strangers.length === 0
}

/** What is wrong with these parts, if anything. */
export const fullTextListFault = (connection: Connection): string | undefined => {
  const settings = connection.all<{ k: string; v: unknown }>("SELECT k, v FROM chunks_fts_config")
  if (settings.length !== 1 || settings[0]?.k !== "version" || settings[0].v !== 4) {
    return "its settings are not those that it was made with"
  }
  try {
    return isListed(connection) ? undefined : "its list of first terms is not that of its pages"
  } catch (error) {
    if (error instanceof RangeError) return `its pages cannot be read: ${error.message}`
    throw error
  }
}
