// The parts of the full-text index that neither SQLite's check nor a question for a term looks at: its settings, and the
// list of the first term of each page. The form of both is SQLite's (https://sqlite.org/fts5.html, "Internals").
import type { Connection } from "../sqlite/better-sqlite3-host.ts"

/** Where the pages of segments begin, and what their ids are made of: a segment, a bit of its kind, a page's number. */
const SEGMENT = 2 ** 37
const KIND = 2 ** 36
const PAGE = 2 ** 31

interface StoredPage {
  readonly id: number
  readonly length: number
  readonly head: Uint8Array
}

/** The pages on which a term begins: they are longer than the size of their postings, which stands in their head. */
const pagesWithTerms = (connection: Connection): ReadonlyArray<string> =>
  connection
    .all<StoredPage>(
      "SELECT id, length(block) AS length, substr(block, 1, 4) AS head FROM chunks_fts_data WHERE id >= ?",
      [SEGMENT]
    )
    .filter(({ head, id, length }) => {
      const [, , high = 0, low = 0] = head
      return Math.floor(id / KIND) % 2 === 0 && high * 256 + low < length
    })
    .map(({ id }) => `${Math.floor(id / SEGMENT)}:${id % PAGE}`)

/** What is wrong with these parts, if anything. */
export const fullTextListFault = (connection: Connection): string | undefined => {
  const settings = connection.all<{ k: string; v: unknown }>("SELECT k, v FROM chunks_fts_config")
  if (settings.length !== 1 || settings[0]?.k !== "version" || settings[0].v !== 4) {
    return "its settings are not those that it was made with"
  }
  const listed = connection
    .all<{ segid: number; pgno: number }>("SELECT segid, pgno FROM chunks_fts_idx")
    .map(({ pgno, segid }) => `${segid}:${Math.floor(pgno / 2)}`)
  const pages = new Set(pagesWithTerms(connection))
  return pages.size === listed.length && listed.every((page) => pages.has(page))
    ? undefined
    : "its list of first terms is not that of its pages"
}
