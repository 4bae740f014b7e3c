// The floors of the network's benchmark: the rows of a cassette inserted by hand, FTS5's bm25() over all chunks in one
// table, and the rows that an answer needs read by hand; and cassettes as the program makes them.
import { join } from "node:path"
import Database from "better-sqlite3"
import { questionOf } from "../../domain/network/ranking/query-text.ts"
import { finishWriting, putDocument } from "../../infrastructure/network/writing/document-writing.ts"
import { englishStem } from "../../infrastructure/network/index/english-stems.ts"
import { newCassette } from "../../infrastructure/network/testing/cassettes.ts"
import type { BenchDocument } from "./documents.ts"

const time = { now: "2026-01-01T00:00:00.000Z", expires: "2026-01-08T00:00:00.000Z" }

/** Indexes documents as the program does; gives seconds. */
export const index = (folder: string, id: string, documents: ReadonlyArray<BenchDocument>) => {
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
export const insertRaw = (folder: string, from: string) => {
  const raw = new Database(join(folder, "raw.db"))
  raw.pragma("journal_mode = WAL")
  raw.pragma("synchronous = NORMAL")
  const source = new Database(from, { readonly: true })
  for (const { sql } of source
    .prepare<[], { sql: string }>(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'index') AND tbl_name IN ('documents', 'memories', 'chunks', 'chunk_terms', 'chunks_fts')"
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
export const merged = (folder: string, files: ReadonlyArray<string>): Database.Database => {
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

/**
 * Processor time of this thread (milliseconds). Both sides of a question are work of one thread without waiting, and on a
 * busy machine the clock tells more about others than about them.
 */
export const processorMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Milliseconds of each question in the merged table: the ten best by bm25() over an OR of its terms. */
export const askMerged = (
  database: Database.Database,
  questions: ReadonlyArray<string>
): ReadonlyArray<number> => {
  const search = database.prepare("SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 10")
  return questions.map((text) => {
    const start = performance.now()
    const terms = questionOf(text, englishStem).terms.map((term) => `"${term}"`)
    search.all(terms.join(" OR "))
    return performance.now() - start
  })
}

/** Opens the files and reads what an answer to the question is made of; gives milliseconds. */
export const readRaw = (files: ReadonlyArray<string>, text: string): number => {
  const terms = JSON.stringify(questionOf(text, englishStem).terms)
  const start = performance.now()
  for (const file of files) {
    const raw = new Database(file, { readonly: true })
    raw.prepare("SELECT * FROM postings WHERE term IN (SELECT value FROM json_each(?))").all(terms)
    raw.prepare("SELECT * FROM segments").all()
    raw.prepare("SELECT * FROM chunk_terms JOIN chunks USING (chunk_number) LIMIT 6").all()
    raw.prepare("SELECT * FROM documents LIMIT 2").all()
    raw.close()
  }
  return performance.now() - start
}
