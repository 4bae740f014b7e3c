// What the network costs: indexing against inserting the same rows by hand, a question over 8 cassettes against FTS5's
// bm25() over an OR of its words in one file, and what the hub adds to its slowest cassette. BENCH_CHUNKS=100000 is the
// size that the design speaks of.
import { rmSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { questionOf } from "../domain/network/query-text.ts"
import { englishStem } from "../infrastructure/network/english-stems.ts"
import { finishWriting, putDocument } from "../infrastructure/network/document-writing.ts"
import { local, newCassette, withNetworkOf } from "../infrastructure/network/testing/cassettes.ts"
import { type BenchDocument, benchDocuments, benchQuestions } from "./support/documents.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const CASSETTES = 8

const time = { now: "2026-01-01T00:00:00.000Z", expires: "2026-01-08T00:00:00.000Z" }

/** Indexes documents as the program does; gives seconds. */
const index = (folder: string, id: string, documents: ReadonlyArray<BenchDocument>) => {
  const { connection, file } = newCassette(folder, id)
  const start = performance.now()
  for (const { path, text } of documents) putDocument(connection, { path, type: "bench", text }, time)
  finishWriting(connection)
  const seconds = (performance.now() - start) / 1000
  connection.close()
  return { file, seconds }
}

const tables = ["documents", "chunks", "chunk_terms"] as const

/** Inserts the rows of a cassette into another file by hand, one transaction a document; gives seconds and chunks. */
const insertRaw = (folder: string, from: string) => {
  const raw = new Database(join(folder, "raw.db"))
  raw.pragma("journal_mode = WAL")
  raw.pragma("synchronous = NORMAL")
  const source = new Database(from, { readonly: true })
  for (const { sql } of source
    .prepare<[], { sql: string }>(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND (type = 'index' OR name IN ('documents', 'chunks', 'chunk_terms', 'chunks_fts'))"
    )
    .all()) {
    raw.exec(sql)
  }
  const read = Object.fromEntries(
    tables.map((table) => [
      table,
      source.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table} ORDER BY 1`).all()
    ])
  ) as Record<(typeof tables)[number], Array<Record<string, unknown>>>
  const insert = Object.fromEntries(
    tables.map((table) => {
      const names = Object.keys(read[table][0] ?? {})
      return [
        table,
        raw.prepare(`INSERT INTO ${table} VALUES (${names.map((name) => `@${name}`).join(", ")})`)
      ]
    })
  )
  const fts = raw.prepare(
    "INSERT INTO chunks_fts (rowid, path, heading, body, identifiers) VALUES (@chunk_number, @path, @heading, @body, @identifiers)"
  )
  let next = 0
  const one = raw.transaction((document: Record<string, unknown>) => {
    insert["documents"]!.run(document)
    for (; read.chunks[next]?.["document_id"] === document["document_id"]; next++) {
      insert["chunks"]!.run(read.chunks[next])
      insert["chunk_terms"]!.run(read.chunk_terms[next])
      fts.run(read.chunk_terms[next])
    }
  })
  const start = performance.now()
  for (const document of read.documents) one(document)
  const seconds = (performance.now() - start) / 1000
  const chunks = next
  raw.close()
  source.close()
  return { seconds, chunks }
}

/** One full-text table with the terms of all cassettes. */
const merged = (folder: string, files: ReadonlyArray<string>): Database.Database => {
  const database = new Database(join(folder, "merged.db"))
  database.exec(
    `CREATE VIRTUAL TABLE t USING fts5(path, heading, body, identifiers, tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_{|}~'")`
  )
  for (const file of files) {
    database.exec(
      `ATTACH '${file}' AS c; INSERT INTO t SELECT path, heading, body, identifiers FROM c.chunk_terms; DETACH c`
    )
  }
  database.exec("INSERT INTO t(t) VALUES ('optimize')")
  return database
}

const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * share)] ?? Number.NaN

const ask = (files: ReadonlyArray<string>, questions: ReadonlyArray<string>) =>
  withNetworkOf(
    files.map((file, part) => local(`part-${part}`, file)),
    (network) =>
      Effect.gen(function* () {
        const totals: Array<number> = []
        const overheads: Array<number> = []
        for (const text of questions) {
          const start = performance.now()
          const { answers } = yield* network.query(text)
          const total = performance.now() - start
          totals.push(total)
          // In one process cassettes are read one after another.
          overheads.push(total - Object.values(answers).reduce((sum, { took_ms }) => sum + took_ms, 0))
        }
        return { totals, overheads }
      })
  )

const askMerged = (database: Database.Database, questions: ReadonlyArray<string>): ReadonlyArray<number> => {
  const search = database.prepare("SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 10")
  return questions.map((text) => {
    const start = performance.now()
    const terms = questionOf(text, englishStem).terms.map((term) => `"${term}"`)
    search.all(terms.join(" OR "))
    return performance.now() - start
  })
}

export const benchmark: Benchmark = {
  description: "indexing and asking the cassette network, against plain SQLite",
  run: () =>
    inPlace("disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 3)
      const documents = benchDocuments(setting("BENCH_CHUNKS", 16_000))
      const questions = benchQuestions(documents, setting("BENCH_QUESTIONS", 200))
      const parts = Array.from({ length: CASSETTES }, (_, part) =>
        index(
          folder,
          `part-${part}`,
          documents.filter((_, number) => number % CASSETTES === part)
        )
      )
      const raws = parts.map(({ file }, part) => {
        const raw = insertRaw(folder, file)
        for (const ending of ["", "-wal", "-shm"]) rmSync(join(folder, `raw.db${ending}`), { force: true })
        return { ...raw, part }
      })
      const files = parts.map(({ file }) => file)
      const one = merged(folder, files)
      await ask(files, questions)
      askMerged(one, questions)
      const ours: Array<Awaited<ReturnType<typeof ask>>> = []
      const theirs: Array<ReadonlyArray<number>> = []
      for (let repeat = 0; repeat < repeats; repeat++) {
        ours.push(await ask(files, questions))
        theirs.push(askMerged(one, questions))
      }
      one.close()
      return {
        place,
        settings: {
          repeats,
          chunks: raws.reduce((sum, { chunks }) => sum + chunks, 0),
          cassettes: CASSETTES
        },
        lines: [
          line(
            "indexing, chunking and both indexes included",
            "chunks per second",
            parts.map(({ seconds }, part) => raws[part]!.chunks / seconds),
            raws.map(({ chunks, seconds }) => chunks / seconds),
            "at least 0.3 of inserting the same rows by hand"
          ),
          line(
            "a question over all cassettes, median",
            "milliseconds",
            ours.map(({ totals }) => percentile(totals, 0.5)),
            theirs.map((times) => percentile(times, 0.5)),
            "at most 0.25 of FTS5's bm25() over one file at 100,000 chunks"
          ),
          line(
            "a question over all cassettes, 95 of 100",
            "milliseconds",
            ours.map(({ totals }) => percentile(totals, 0.95)),
            theirs.map((times) => percentile(times, 0.95))
          ),
          line(
            "what the hub adds to its cassettes, median",
            "milliseconds",
            ours.map(({ overheads }) => percentile(overheads, 0.5)),
            undefined,
            "at most 1"
          )
        ]
      }
    })
}
