// Many documents as one unit of work: the same as one by one, whole or not at all, and with room for others between.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import { SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import {
  type Connection,
  openForReading,
  openForWriting
} from "../../sqlite/connection/better-sqlite3-host.ts"
import { verifyCassetteFile } from "../verification/cassette-verification.ts"
import {
  finishWriting,
  type GivenDocument,
  prepareDocument,
  putDocument,
  putDocuments,
  reindex,
  removeDocuments
} from "./document-writing.ts"
import { indexCassette, type IndexingOptions } from "./indexing.ts"
import { readNetworkFile } from "../network-files.ts"
import { at, newCassette, put } from "../testing/cassettes.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-groups-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const note = (
  number: number,
  text = `# Note ${number}\n\nsubject${number % 7} of the orchard\n`
): GivenDocument => ({
  path: `notes/${number}.md`,
  type: "notes",
  text
})

const notes = (count: number) => Array.from({ length: count }, (_, number) => note(number))

const putAll = (connection: Connection, documents: ReadonlyArray<GivenDocument>, isLate?: () => boolean) =>
  putDocuments(connection, documents.map(prepareDocument), at(1), isLate)

const TABLES = ["documents", "write_receipts", "chunks", "chunk_terms", "segments", "tail", "postings"]

const contentOf = (connection: Connection) => ({
  tables: TABLES.map((table) => connection.all(`SELECT * FROM ${table} ORDER BY 1, 2`)),
  found: connection.all("SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH 'subject3' ORDER BY rowid")
})

const receipts = (connection: Connection) => connection.all("SELECT 1 FROM write_receipts").length

const findings = (connection: Connection, id: string) => verifyCassetteFile(connection, id).findings

describe("a group of documents", () => {
  it("is what its documents would be one by one", () => {
    const mine = notes(40)
    const changed = [
      ...mine.slice(0, 5).map(({ path, type }) => ({ path, type, text: note(99).text })),
      note(50)
    ]
    const { connection: one } = newCassette(mkdtempSync(join(folder, "a-")), "same")
    const { connection: many } = newCassette(mkdtempSync(join(folder, "b-")), "same")
    for (const document of [...mine, ...changed]) putDocument(one, document, at(1))
    expect(putAll(many, mine)).toEqual(mine.map(() => "added"))
    expect(putAll(many, [...changed, note(50)])).toEqual([
      ...Array.from({ length: 5 }, () => "replaced"),
      "added",
      "unchanged"
    ])
    for (const connection of [one, many]) finishWriting(connection)
    expect(contentOf(many)).toEqual(contentOf(one))
    expect(findings(many, "same")).toEqual([])
    one.close()
    many.close()
  })

  it("is folded as it stands in the table, though its terms were counted before", () => {
    const { connection } = newCassette(mkdtempSync(join(folder, "table-")), "table")
    putAll(connection, [note(1), note(2)])
    connection.run("UPDATE chunk_terms SET body = 'meadow' WHERE chunk_number = 0")
    finishWriting(connection)
    const count = (term: string) =>
      connection.all<{ chunks: number }>("SELECT chunks FROM postings WHERE term = ?", [term])
    expect(count("meadow")).toEqual([{ chunks: 1 }])
    expect(count("orchard")).toEqual([{ chunks: 1 }])
    connection.close()
  })

  it("may bring a document and replace it, and has its last text alone in every index", () => {
    const { connection } = newCassette(mkdtempSync(join(folder, "twice-")), "twice")
    putAll(connection, [note(1), note(2)])
    const texts = ["# Note 1\n\nsubject3 once\n", "# Note 1\n\nlast words\n"]
    expect(putAll(connection, [...texts.map((text) => note(1, text)), note(3)])).toEqual([
      "replaced",
      "replaced",
      "added"
    ])
    expect(findings(connection, "twice")).toEqual([])
    expect(contentOf(connection).found).toHaveLength(1)
    finishWriting(connection)
    expect(findings(connection, "twice")).toEqual([])
    connection.close()
  })

  it("is written as a whole or not at all", () => {
    const { connection } = newCassette(folder, "whole")
    putAll(connection, [note(0)])
    const before = contentOf(connection)
    let done = 0
    expect(() =>
      putAll(connection, notes(9), () => {
        done += 1
        if (done === 5) throw new Error("the disk is gone")
        return false
      })
    ).toThrow("the disk is gone")
    expect(contentOf(connection)).toEqual(before)
    connection.close()
  })

  it("ends when it is late, with whole documents in their order", () => {
    const { connection } = newCassette(folder, "late")
    let asked = 0
    expect(putAll(connection, notes(9), () => (asked += 1) === 3)).toEqual(["added", "added", "added"])
    expect(connection.all("SELECT path FROM documents ORDER BY document_id")).toEqual(
      notes(3).map(({ path }) => ({ path }))
    )
    expect(removeDocuments(connection, ["notes/0.md", "notes/1.md"], () => true)).toEqual(["removed"])
    expect(findings(connection, "late")).toEqual([])
    connection.close()
  })

  it("may bring a path again: the last text alone is found", () => {
    const { connection } = newCassette(folder, "again")
    expect(putAll(connection, [note(1, "first words"), note(1, "other words")])).toEqual([
      "added",
      "replaced"
    ])
    const match = (term: string) =>
      connection.all("SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?", [term]).length
    expect([match("first"), match("other")]).toEqual([0, 1])
    expect(findings(connection, "again")).toEqual([])
    connection.close()
  })

  it("goes through the end of a segment, and an index made again is the same", () => {
    const { connection } = newCassette(folder, "segments")
    const documents = Array.from({ length: SEGMENT_CHUNKS + 10 }, (_, number) =>
      note(number, `w${number % 50}`)
    )
    putAll(connection, documents.slice(0, 20))
    putAll(connection, documents)
    finishWriting(connection)
    expect(connection.all("SELECT segment, given FROM segments ORDER BY segment")).toEqual([
      { segment: 0, given: SEGMENT_CHUNKS },
      { segment: 1, given: 10 }
    ])
    expect(reindex(connection)).toBe(documents.length)
    expect(findings(connection, "segments")).toEqual([])
    connection.close()
  })
})

describe("an index run", () => {
  const run = (root: string, options: Partial<IndexingOptions> = {}) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { cassettes, file } = yield* readNetworkFile({ file: join(root, "CORTEX", "network.yaml") })
        return yield* indexCassette(file, root, cassettes[0]!, { progress: () => Effect.void, ...options })
      })
    )

  it("lets others write between its groups, and commits once for each", async () => {
    const root = mkdtempSync(join(folder, "run-"))
    mkdirSync(join(root, "CORTEX"))
    writeFileSync(
      join(root, "CORTEX", "network.yaml"),
      'network:\n  version: "1.0"\n  protocol: "SNP"\ncassettes:\n  - id: one\n    path: one.db\n    type: local\n    auto_index: true\n    sources: ["../*.md"]\n'
    )
    for (let number = 0; number < 10; number++) writeFileSync(join(root, `${number}.md`), `orchard ${number}`)
    const file = join(root, "CORTEX", "one.db")
    const seen: Array<number> = []
    const report = await run(root, {
      groupDocuments: 4,
      progress: (done) =>
        Effect.sync(() => {
          const other = openForWriting(file)
          // Without any wait: the lock is free between groups.
          put(other, `other/${done}.md`, "what another process saves")
          seen.push(receipts(other))
          other.close()
        })
    })
    expect(report.added).toBe(10)
    expect(seen.map((count) => count - seen[0]!)).toEqual([0, 5, 8])
    const connection = openForReading(file)
    expect(findings(connection, "one")).toEqual([])
    connection.close()
  })
})
