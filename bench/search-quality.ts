// How well the network ranks, on texts that other people wrote: each question has one document that it was taken out
// of, or is one that a person would type, with the pages that answer it; and what counts is how high that document stands: the mean of 1/rank, 0 beyond ten. The rank is counted in hits,
// as a reader goes down the list, and in different documents, where further hits of one document count nothing on either
// side: our list lets other documents before those, which the first count rewards and the second does not.
// The floor is FTS5 with its Porter tokenizer over the same chunks in one file, all words joined by OR, ordered by bm25().
// Half of the questions are there to tune by (BENCH_HALF=1), the other half is what is reported (2, the default).
import { createHash } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { finishWriting, putDocument } from "../infrastructure/network/writing/document-writing.ts"
import { local, newCassette, withNetworkOf } from "../infrastructure/network/testing/cassettes.ts"
import { unpack } from "./support/debian-packages.ts"
import { glosses, WORDNET_PACKAGE } from "./support/glosses.ts"
import { type KnownItem, MANUAL_PACKAGES, manualPages } from "./support/manual-pages.ts"
import { NATURAL_QUESTIONS } from "./support/natural-questions.ts"
import { packagePages, unpackDocs } from "./support/package-docs.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, type Line, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const CASSETTES = 8
/** How many hits are asked for, and up to which rank a find counts. */
const HITS = 50
const RANKS = 10

const time = { now: "2026-01-01T00:00:00.000Z", expires: "2026-01-08T00:00:00.000Z" }

interface Document {
  readonly path: string
  readonly text: string
}

/** A question with the documents that answer it; its name decides to which half it belongs. */
interface Asked {
  readonly name: string
  readonly question: string
  readonly pages: ReadonlyArray<string>
}

/** Documents with all questions about them. */
interface Texts {
  readonly documents: ReadonlyArray<Document>
  readonly questions: ReadonlyArray<Asked>
}

const knownItems = (items: ReadonlyArray<KnownItem>): Texts => ({
  documents: items,
  questions: items.map(({ path, question }) => ({ name: path, question, pages: [path] }))
})

/** A number that is the same in every run and has nothing to do with what the named thing is about. */
const lot = (purpose: string, name: string): number =>
  createHash("sha256").update(`${purpose} ${name}`).digest().readUInt32BE()

const chosenOf = (questions: ReadonlyArray<Asked>, count: number): ReadonlyArray<Asked> => {
  const half = setting("BENCH_HALF", 2)
  return questions
    .filter(({ name }) => (lot("half", name) % 2) + 1 === half)
    .toSorted((left, right) => lot("order", left.name) - lot("order", right.name))
    .slice(0, count)
}

/** The items divided among cassettes. */
const index = (folder: string, items: ReadonlyArray<Document>): ReadonlyArray<string> =>
  Array.from({ length: CASSETTES }, (_, part) => {
    const { connection, file } = newCassette(folder, `part-${part}`)
    connection.pragma("synchronous = OFF")
    for (const item of items) {
      if (lot("cassette", item.path) % CASSETTES !== part) continue
      putDocument(connection, { path: item.path, type: "bench", text: item.text }, time)
    }
    finishWriting(connection)
    connection.close()
    return file
  })

const CHUNK_TEXTS = `SELECT d.path, c.heading_path,
  CAST(substr(CAST(d.text AS BLOB), c.byte_start + 1, c.byte_end - c.byte_start) AS TEXT)
FROM chunks AS c JOIN documents AS d ON d.document_id = c.document_id ORDER BY c.chunk_number`

const TABLES = ["texts", "wholes"] as const

/** The same chunks in two full-text tables: one has only their texts, one all that our ranking looks at. */
const plainFts = (folder: string, files: ReadonlyArray<string>): Database.Database => {
  const database = new Database(join(folder, "plain.db"))
  const columns = { texts: "path UNINDEXED, heading UNINDEXED, body", wholes: "path, heading, body" }
  for (const name of TABLES) {
    database.exec(`CREATE VIRTUAL TABLE ${name} USING fts5(${columns[name]}, tokenize = 'porter unicode61')`)
  }
  for (const file of files) {
    const part = new Database(file, { readonly: true })
    const inserts = TABLES.map((name) => database.prepare(`INSERT INTO ${name} VALUES (?, ?, ?)`))
    database.transaction(() => {
      for (const row of part.prepare(CHUNK_TEXTS).raw().all() as Array<ReadonlyArray<string>>) {
        for (const insert of inserts) insert.run(...row)
      }
    })()
    part.close()
  }
  return database
}

/** 1/rank of the document, counted in hits and in different documents; 0 beyond ten. */
interface Find {
  readonly hits: number
  readonly documents: number
}

const reciprocalRank = (paths: ReadonlyArray<string>, wanted: ReadonlyArray<string>): number => {
  const place = paths.slice(0, RANKS).findIndex((path) => wanted.includes(path))
  return place === -1 ? 0 : 1 / (place + 1)
}

const findOf = (paths: ReadonlyArray<string>, wanted: ReadonlyArray<string>): Find => ({
  hits: reciprocalRank(paths, wanted),
  documents: reciprocalRank([...new Set(paths)], wanted)
})

const askNetwork = (files: ReadonlyArray<string>, questions: ReadonlyArray<Asked>) =>
  withNetworkOf(
    files.map((file, part) => local(`part-${part}`, file)),
    (network) =>
      Effect.forEach(questions, ({ pages, question }) =>
        Effect.map(network.query(question, HITS, { maxBytes: Infinity }), ({ hits }) =>
          // A text that stands in several documents is one hit; any of its places is a find.
          findOf(
            hits.map((hit) => hit.places.find(({ path }) => pages.includes(path))?.path ?? hit.path),
            pages
          )
        )
      )
  )

const askPlainFts = (
  database: Database.Database,
  table: (typeof TABLES)[number],
  questions: ReadonlyArray<Asked>
) => {
  const search = database
    .prepare(`SELECT path FROM ${table} WHERE ${table} MATCH ? ORDER BY bm25(${table}) LIMIT ${HITS}`)
    .pluck()
  return questions.map(({ pages, question }) => {
    const words = question.match(/[\p{L}\p{N}]+/gu) ?? []
    return findOf(search.all(words.map((word) => `"${word}"`).join(" OR ")) as Array<string>, pages)
  })
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

interface Collection {
  readonly name: string
  /** Brings the texts into a folder; false when they cannot be had. */
  readonly bring: (folder: string) => boolean | Promise<boolean>
  readonly read: (folder: string) => Texts
  readonly questions: number
  readonly goal: string
}

const isFirst = (finds: ReadonlyArray<Find>): number => mean(finds.map(({ hits }) => Number(hits === 1)))

const isFound = (finds: ReadonlyArray<Find>): number =>
  mean(finds.map(({ documents }) => Number(documents > 0)))

const compared = (
  name: string,
  ours: ReadonlyArray<Find>,
  theirs: ReadonlyArray<Find>,
  goal: string
): ReadonlyArray<Line> => [
  ...(["hits", "documents"] as const).flatMap((counted) => {
    const [own, other] = [ours, theirs].map((finds) => finds.map((find) => find[counted]))
    const better = own!.filter((rank, at) => rank > other![at]!).length
    const worse = own!.filter((rank, at) => rank < other![at]!).length
    return [
      line(`${name}: mean of 1/rank among ten ${counted}`, "share", [mean(own!)], [mean(other!)], goal),
      line(`${name}, by ${counted}: ranked better, against worse`, "questions", [better], [worse])
    ]
  }),
  line(`${name}: found first`, "share", [isFirst(ours)], [isFirst(theirs)]),
  line(`${name}: found among ten documents`, "share", [isFound(ours)], [isFound(theirs)])
]

const measure = async (
  folder: string,
  { bring, goal, name, questions, read }: Collection
): Promise<ReadonlyArray<Line> | undefined> => {
  const place = join(folder, name.replaceAll(" ", "-"))
  const packed = join(place, "packages")
  mkdirSync(packed, { recursive: true })
  if (!(await bring(packed))) return undefined
  const texts = read(packed)
  const asked = chosenOf(texts.questions, questions)
  const files = index(place, texts.documents)
  const database = plainFts(place, files)
  const ours = await askNetwork(files, asked)
  console.error(`${name}: ${texts.documents.length} documents, ${asked.length} questions`)
  const lines = TABLES.flatMap((table) =>
    compared(`${name}, ${table}`, ours, askPlainFts(database, table, asked), goal)
  )
  database.close()
  return lines
}

export const benchmark: Benchmark = {
  description: "how high the one right document stands, against FTS5's ranking of the same chunks",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const collections: ReadonlyArray<Collection> = [
        {
          name: "manual pages",
          bring: (packed) => unpack(MANUAL_PACKAGES, packed),
          read: (packed) => knownItems(manualPages(packed)),
          questions: setting("BENCH_PAGES", 2_000),
          goal: "at least 0.04 above the floor; better at least 1.5 times as often as worse"
        },
        {
          name: "WordNet",
          bring: (packed) => unpack([WORDNET_PACKAGE], packed),
          read: (packed) => knownItems(glosses(packed)),
          questions: setting("BENCH_GLOSSES", 2_000),
          goal: "not below the floor by more than 0.005"
        },
        {
          name: "documentation",
          bring: unpackDocs,
          read: (packed) => ({
            documents: packagePages(packed),
            questions: NATURAL_QUESTIONS.map(({ pages, question }) => ({ name: question, question, pages }))
          }),
          questions: NATURAL_QUESTIONS.length,
          goal: "at least 0.1 above the floor"
        }
      ]
      const lines: Array<Line> = []
      const missing: Array<string> = []
      for (const collection of collections) {
        const measured = await measure(folder, collection)
        if (measured === undefined) missing.push(collection.name)
        else lines.push(...measured)
      }
      for (const name of missing) {
        console.error(`${name}: left out, since its packages cannot be fetched`)
      }
      return {
        place,
        settings: {
          half: setting("BENCH_HALF", 2),
          cassettes: CASSETTES,
          left_out: missing.join(", ") || "nothing"
        },
        lines
      }
    })
}
