// The digest of a table is compared between programs: its text is pinned byte by byte.
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { LEDGER_TABLES, ledgerTables } from "./rows.ts"
import { type Cell, digestHeader, digestLine, tableDigest } from "./table-digest.ts"

const stream = () => {
  const hash = createHash("sha256")
  return { update: (text: string) => void hash.update(text, "utf8"), digest: () => hash.digest("hex") }
}

const digest = (rows: ReadonlyArray<ReadonlyArray<Cell>>) => tableDigest(stream(), "cassette_meta", rows)

describe("the digest of a table", () => {
  it("begins with the table's and the columns' names", () => {
    expect(digestHeader("cassette_meta")).toBe(`["cassette_meta","key","value","event_position"]\n`)
    expect(digestHeader("cassette_jobs")).toBe(
      `["cassette_jobs","job_id","message_id","intent","ordinal","created_at","event_position"]\n`
    )
  })

  it("has one canonical line a row", () => {
    expect(digestLine(["a\u007f\u2028\u{1f600}", null, 12, 1e21])).toBe(
      `["a\u007f\u2028\u{1f600}",null,12,1e+21]\n`
    )
  })

  // Both taken with sha256sum over the text.
  it("is the SHA-256 of header and lines", () => {
    const rows = [
      ["db_version", "2", 1],
      ["schema_version", "2", 1]
    ]
    expect(digest(rows)).toBe("3449fdf3114730e1385672d88e3e3f33baed0c0dd73fdaa88011cb04e7046c61")
    expect(digest([])).toBe("cf6f0a6a40ea8260ccdbc379682b8d57566b7023643a747d029b1a09e5c4fced")
  })

  it("depends on every cell and on the order of the rows", () => {
    const rows = [
      ["a", "1", 1],
      ["b", "1", 1]
    ] as const
    const others = [
      [rows[1], rows[0]],
      [rows[0]],
      [rows[0], ["b", "2", 1]],
      [rows[0], ["b", "1", 2]],
      [rows[0], ["b", null, 1]],
      [rows[0], ["b", 1, 1]]
    ] as const
    const all = [rows, ...others].map((table) => digest(table))
    expect(new Set(all).size).toBe(all.length)
  })

  it("knows each table's key as its first column and the event's position as its last", () => {
    for (const table of LEDGER_TABLES) {
      const { columns, key } = ledgerTables[table]
      expect(columns[0]).toBe(key)
      expect(columns.at(-1)).toBe("event_position")
      expect(new Set(columns).size).toBe(columns.length)
    }
  })
})
