// The files that are damaged: an honest ledger, corpus database and cassette in several shapes (small pages and so deep
// trees, pages of free space, hardly anything in it, a log beside it), each with its own older state of the same shape.

import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Corpus } from "../../../application/corpus/corpus.ts"
import { makeManualClock, withClock } from "../../../interfaces/test-kit/manual-clock.ts"
import { CorpusFiles } from "../../../application/corpus/corpus-files.ts"
import type { FileStat } from "../../../domain/corpus/rows.ts"
import { sqliteCorpusLayer } from "../../../infrastructure/corpus/sqlite-corpus.ts"
import { at, newCassette, put } from "../../../infrastructure/network/testing/cassettes.ts"
import { finishWriting } from "../../../infrastructure/network/writing/document-writing.ts"
import { saveMemory } from "../../../infrastructure/network/writing/memory-writing.ts"
import { clusteredVectors, maker } from "../../../infrastructure/network/testing/vector-cassettes.ts"
import { foldSigns, putVectors, unembedded } from "../../../infrastructure/network/vectors/vector-writing.ts"
import {
  type Connection,
  openForWriting
} from "../../../infrastructure/sqlite/connection/better-sqlite3-host.ts"
import { writeFiles } from "../../../infrastructure/testing/programs/corpus-program.ts"
import { ledgerLayer, post, smallHistory } from "../../../infrastructure/testing/programs/ledger-program.ts"
import { campaignHistory, LEDGER_ID } from "../campaigns/campaign-ledger.ts"
import { START } from "../ledger-system.ts"
import { PageAnatomy } from "./page-anatomy.ts"
import { withSalt } from "./wal-file.ts"

export const STORES = ["ledger", "corpus", "cassette"] as const
export type StoreName = (typeof STORES)[number]

/** The id of every cassette here. */
export const CASSETTE_ID = "one"

export interface HonestFile {
  readonly store: StoreName
  readonly shape: string
  readonly bytes: Buffer
  /** Empty where there is no log. */
  readonly wal: Buffer
  /** What the file was some writes ago. */
  readonly older: Buffer
  readonly anatomy: PageAnatomy
}

interface Maker {
  readonly path: (folder: string) => string
  /** Makes the file with few things in it. */
  readonly make: (folder: string) => Promise<void>
  /** Puts all kinds of things into it; `round` tells one time from another. */
  readonly write: (folder: string, round: number) => Promise<void>
}

const run = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(withClock(makeManualClock(START))(effect))

const words = (round: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `word${(index * 7 + round * 13) % 211}`).join(" ")

const ledger: Maker = {
  path: (folder) => join(folder, "a.db"),
  make: (folder) =>
    run(
      post("first", 0).pipe(
        Effect.asVoid,
        Effect.provide(ledgerLayer({ filename: join(folder, "a.db"), ledgerId: LEDGER_ID }))
      )
    ),
  write: async (folder, round) => {
    const filename = join(folder, "a.db")
    if (round === 1) return campaignHistory(filename)
    const posts = Effect.forEach([1, 2, 3, 4, 5, 6], (n) => post(`run-${round}`, n * round))
    await run(Effect.andThen(smallHistory, posts).pipe(Effect.provide(ledgerLayer({ filename }))))
  }
}

/** A file's times and inode differ each time: here they tell the round alone. */
const evenStat = (stat: FileStat, round: number): FileStat => {
  const time = `${1_700_000_000 + round}000000000`
  return { ...stat, mtime_ns: time, ctime_ns: time, inode: "7" }
}

/** The corpus of a root whose files have even times. */
const evenCorpus = (root: string, round: number) => {
  const ports = sqliteCorpusLayer({ root })
  const files = Effect.gen(function* () {
    const { read, stat, walk } = yield* CorpusFiles
    return CorpusFiles.of({
      walk,
      stat: (path) => {
        const found = stat(path)
        return found === undefined ? undefined : evenStat(found, round)
      },
      read: (path) => Effect.map(read(path), (found) => ({ ...found, stat: evenStat(found.stat, round) }))
    })
  })
  const even = Layer.provideMerge(Layer.effect(CorpusFiles, files), ports)
  return Layer.provide(Corpus.layerNoDeps, even)
}

const pathOfCorpus = (folder: string): string => join(folder, "CORTEX", "_generated", "system1.db")

const corpus: Maker = {
  path: pathOfCorpus,
  make: async (folder) => {
    writeFiles(folder, { "a.md": "# A\n" })
    await run(Corpus.use((open) => open.index()).pipe(Effect.provide(evenCorpus(folder, 0))))
  },
  write: async (folder, round) => {
    const text = (n: number) =>
      `# Guide ${n}\n\n${words(round + n, 30)}\n\n## Install\n\n${words(n, 40)}\n\n## Use\n\nshort\n`
    writeFiles(folder, Object.fromEntries([1, 2, 3, 4].map((n) => [`docs/${round}-${n}.md`, text(n)])))
    writeFiles(folder, { "a.md": text(9 + round), "src/code.ts": "export const a = 1\n" })
    const program = Effect.gen(function* () {
      const open = yield* Corpus
      yield* open.index()
      for (const n of [1, 2, 3]) {
        const symbol_id = `@DOCS/${round}/${n}`
        yield* open.addSymbol({ symbol_id, path: `docs/${round}-${n}.md` })
        for (const slice of [`lines[0:${n}]`, `head(${10 * n})`, "head(700)"]) {
          yield* open.resolve({
            symbol_id,
            run_id: `run-${round}`,
            slice: slice === "head(700)" ? "lines[0:7]" : slice
          })
        }
      }
    })
    await run(program.pipe(Effect.provide(evenCorpus(folder, round))))
  }
}

const onCassette = async (folder: string, work: (connection: Connection) => void): Promise<void> => {
  const connection = openForWriting(join(folder, `${CASSETTE_ID}.db`))
  try {
    work(connection)
  } finally {
    connection.close()
  }
}

const cassette: Maker = {
  path: (folder) => join(folder, `${CASSETTE_ID}.db`),
  make: async (folder) => {
    const { connection } = newCassette(folder, CASSETTE_ID)
    put(connection, "notes/first.md", "# First\n\nThe first note.\n")
    connection.close()
  },
  write: (folder, round) =>
    onCassette(folder, (connection) => {
      for (const n of [1, 2, 3]) {
        put(
          connection,
          `notes/${n}.md`,
          `# Note ${n}\n\n${words(round, 20 * n)}\n\n## More\n\n${words(n, 30)}\n`
        )
      }
      put(connection, `canon/${round}.md`, `# Long\n\n${words(round, 900)}\n`)
      for (const agent_id of ["a1", "a2"]) {
        const text = `what ${agent_id} learned in round ${round}: ${words(round, 12)}`
        saveMemory(connection, { text, agent_id, metadata: "{}" }, at(1))
      }
      const open = unembedded(connection, 6)
      const vectors = clusteredVectors(open.length, 32, 2, 0.3, round)
      putVectors(
        connection,
        maker(32),
        open.map(({ hash }, index) => ({ hash, vector: vectors[index]! }))
      )
      if (round % 2 === 1) {
        connection.transaction(() => foldSigns(connection))
        finishWriting(connection)
      }
    })
}

const makers = { ledger, corpus, cassette } satisfies Readonly<Record<StoreName, Maker>>

/** Gives a file pages of another size, and this many pages of free space behind them. */
const reshape = (file: string, pageSize: number, free: number): void => {
  const database = new Database(file)
  database.pragma("journal_mode = DELETE")
  database.pragma("synchronous = OFF")
  database.pragma(`page_size = ${pageSize}`)
  database.exec("VACUUM")
  if (free > 0) {
    database.exec("CREATE TABLE junk (content BLOB); BEGIN")
    const insert = database.prepare("INSERT INTO junk VALUES (zeroblob(?))")
    for (let n = 0; n < free; n++) insert.run(pageSize - 100)
    database.exec("COMMIT; DROP TABLE junk")
  }
  database.pragma("journal_mode = WAL")
  database.close()
}

interface Shape {
  readonly pageSize: number
  readonly free: number
  /** How often it was written after it was made; the last time is what the older state does not have. */
  readonly rounds: number
  readonly hasLog: boolean
}

const SHAPES: Readonly<Record<string, Shape>> = {
  usual: { pageSize: 4096, free: 0, rounds: 2, hasLog: false },
  deep: { pageSize: 512, free: 0, rounds: 3, hasLog: false },
  free: { pageSize: 512, free: 400, rounds: 2, hasLog: false },
  young: { pageSize: 1024, free: 0, rounds: 0, hasLog: false },
  logged: { pageSize: 1024, free: 0, rounds: 2, hasLog: true }
}

/** What stands in each byte of a log's salt. */
const SALT = 0x5a

const makeHonest = async (folder: string, store: StoreName, shape: string): Promise<HonestFile> => {
  const { free, hasLog, pageSize, rounds } = SHAPES[shape]!
  const { make, path, write } = makers[store]
  const file = path(folder)
  mkdirSync(dirname(file), { recursive: true })
  await make(folder)
  for (let round = 1; round < rounds; round++) await write(folder, round)
  reshape(file, pageSize, free)
  const older = readFileSync(file)
  // A reader of the older state keeps the log from being moved into the file.
  const reader = hasLog ? new Database(file) : undefined
  reader?.exec("BEGIN; SELECT count(*) FROM sqlite_schema")
  if (rounds > 0) await write(folder, rounds)
  const wal = reader === undefined ? Buffer.alloc(0) : withSalt(readFileSync(`${file}-wal`), SALT)
  const bytes = readFileSync(file)
  reader?.close()
  return { store, shape, bytes, wal, older, anatomy: new PageAnatomy(bytes) }
}

/** Every store in every shape. */
export const makeHonestFiles = async (folder: string): Promise<ReadonlyArray<HonestFile>> => {
  const files: Array<HonestFile> = []
  for (const store of STORES) {
    for (const shape of Object.keys(SHAPES)) {
      const own = join(folder, `${store}-${shape}`)
      mkdirSync(own)
      files.push(await makeHonest(own, store, shape))
      rmSync(own, { recursive: true })
    }
  }
  return files
}
