// The full-text index' own lists: an honest index passes at every moment of its life, merges that are half done
// included, and a changed row is found.
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import { fullTextListFault } from "./full-text-lists.ts"

/** An index that grows by one transaction after the other, with words that are common and words that are rare. */
const growing = () => {
  const database = new Database(":memory:").unsafeMode()
  database.exec("CREATE VIRTUAL TABLE chunks_fts USING fts5(body)")
  const connection = {
    all: (sql: string, given: ReadonlyArray<unknown> = []) => database.prepare(sql).all(...given)
  } as unknown as Connection
  let seed = 1
  const below = (limit: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % limit
  }
  const word = () => (below(3) > 0 ? `w${below(300_000)}` : `c${below(5)}`)
  const grow = database.transaction((texts: number) => {
    for (let text = 0; text < texts; text++) {
      const body = Array.from({ length: 400 }, word).join(" ") + " every".repeat(200)
      database.prepare("INSERT INTO chunks_fts (body) VALUES (?)").run(body)
    }
    database.prepare("DELETE FROM chunks_fts WHERE rowid = ?").run(below(400))
  })
  const count = (sql: string) => database.prepare(sql).pluck().get() as number
  return { count, database, grow, fault: () => fullTextListFault(connection) }
}

/** Rows of pages that a merge took away and that are listed until it is finished. */
const LEFT_OVER =
  "SELECT count(*) FROM chunks_fts_idx WHERE NOT EXISTS (SELECT 1 FROM chunks_fts_data WHERE id = segid * 137438953472 + pgno / 2)"

describe("the lists of the full-text index", () => {
  it("are sound while SQLite merges, page by page, and after it", () => {
    const { count, fault, grow } = growing()
    let halfDone = 0
    for (let round = 0; round < 40; round++) {
      grow(10)
      expect(fault()).toBeUndefined()
      if (count(LEFT_OVER) > 0) halfDone++
    }
    expect(halfDone).toBeGreaterThan(0)
    expect(count("SELECT count(*) FROM chunks_fts_idx WHERE pgno % 2 = 1")).toBeGreaterThan(0)
  })

  it("are not those of the pages after any row was changed", () => {
    const { count, database, fault, grow } = growing()
    for (let round = 0; round < 3; round++) grow(10)
    const rows = count("SELECT count(*) FROM chunks_fts_idx")
    expect(rows).toBeGreaterThan(5)
    database.exec("BEGIN")
    for (let row = 0; row < rows; row++) {
      const which = `WHERE (segid, term) = (SELECT segid, term FROM chunks_fts_idx ORDER BY segid, term LIMIT 1 OFFSET ${row})`
      for (const change of [
        `UPDATE chunks_fts_idx SET term = CAST(term || x'00' AS BLOB) ${which}`,
        `UPDATE chunks_fts_idx SET pgno = pgno + 1 ${which}`,
        `UPDATE chunks_fts_idx SET pgno = pgno + 2 ${which}`,
        `UPDATE chunks_fts_idx SET segid = segid + 100 ${which}`,
        `DELETE FROM chunks_fts_idx ${which}`
      ]) {
        database.exec(`SAVEPOINT change; ${change}`)
        expect(fault(), change).toMatch(/first terms/)
        database.exec("ROLLBACK TO change")
      }
    }
    expect(fault()).toBeUndefined()
  })

  it("are not those of the pages when a page is gone, or one too many is there", () => {
    const { database, fault, grow } = growing()
    grow(20)
    database.exec(
      "SAVEPOINT change; DELETE FROM chunks_fts_data WHERE id = (SELECT max(id) FROM chunks_fts_data)"
    )
    expect(fault()).toMatch(/a page is missing/)
    database.exec("ROLLBACK TO change")
    database.exec("INSERT INTO chunks_fts_data SELECT max(id) + 1, x'00000004' FROM chunks_fts_data")
    expect(fault()).toMatch(/first terms/)
  })
})
