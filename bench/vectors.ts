// What asking for the nearest vectors costs over 8 cassettes: against reading and comparing every one, and against
// comparing all of them in memory already; and how many of the true best ten are found, among clusters and among real
// vectors. BENCH_VECTORS=100000 is the size that the design speaks of.
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { QuerySession } from "../application/network/search/query-session.ts"
import type { Cassette } from "../application/network/cassette.ts"
import {
  type NearText,
  signBitVectors,
  type VectorIndexShape
} from "../application/network/search/vector-index.ts"
import { cosine, floatsOf } from "../domain/network/vectors.ts"
import { local } from "../infrastructure/network/testing/cassettes.ts"
import {
  clusteredVectors,
  maker,
  realTexts,
  textHash,
  vectorCassette
} from "../infrastructure/network/testing/vector-cassettes.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const CASSETTES = 8
const DIMENSIONS = 384
const BEST = 10

const scope = { now: "2026-01-01T00:00:00.000Z", agent: null }

type Vectors = ReadonlyArray<Float32Array>
/** Keeps the best ten of what it is given, best first; all else costs one comparison. */
const bestOf = <A>() => {
  const kept: Array<{ readonly value: A; readonly score: number }> = []
  let least = Number.NEGATIVE_INFINITY
  return {
    add: (value: A, score: number): void => {
      if (score <= least) return
      kept.push({ value, score })
      kept.sort((left, right) => right.score - left.score)
      if (kept.length > BEST) kept.pop()
      if (kept.length === BEST) least = kept.at(-1)!.score
    },
    values: (): ReadonlyArray<A> => kept.map(({ value }) => value)
  }
}

/** Divides vectors over cassettes; gives their files. */
const cassettesOf = (folder: string, name: string, vectors: Vectors): ReadonlyArray<string> =>
  Array.from({ length: CASSETTES }, (_, part) => {
    const own = [...vectors.entries()].filter(([number]) => number % CASSETTES === part)
    return vectorCassette(folder, `${name}-${part}`, new Map(own))
  })

const opened = (name: string, files: ReadonlyArray<string>): ReadonlyArray<Cassette> =>
  files.map((file, part) => local(`${name}-${part}`, file))

const askIndex = (index: VectorIndexShape, cassettes: ReadonlyArray<Cassette>, vector: Float32Array) =>
  Effect.runPromise(
    Effect.map(
      index.nearest(new QuerySession(cassettes), {
        identity: maker(DIMENSIONS),
        vector: [...vector],
        limit: BEST,
        scope
      }),
      ({ texts }) => texts
    )
  )

/** The best texts by reading and comparing every vector of the files. */
const scanFiles = (
  databases: ReadonlyArray<Database.Database>,
  vector: Float32Array
): ReadonlyArray<string> => {
  const best = bestOf<string>()
  for (const database of databases) {
    const all = database.prepare<[], { hash: string; data: Uint8Array }>("SELECT hash, data FROM vectors")
    for (const { data, hash } of all.iterate()) best.add(hash, cosine(vector, floatsOf(data)))
  }
  return best.values()
}

/** The numbers of the best texts by comparing every vector in memory. */
const scanMemory = (vectors: Vectors, vector: Float32Array): ReadonlyArray<number> => {
  const best = bestOf<number>()
  for (const [number, each] of vectors.entries()) best.add(number, cosine(vector, each))
  return best.values()
}

const timed = async <A>(work: () => A | Promise<A>): Promise<readonly [A, number]> => {
  const start = performance.now()
  const value = await work()
  return [value, performance.now() - start]
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN

const shareFound = (found: ReadonlyArray<NearText>, wanted: ReadonlyArray<string>): number => {
  const hashes = new Set(found.map(({ hash }) => hash))
  return wanted.filter((hash) => hashes.has(hash)).length / wanted.length
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The share of the true best ten among real vectors; each is asked for by itself, with the rule of large corpora. */
const realRecall = async (folder: string): Promise<number> => {
  const vectors = realTexts().map(({ vector }) => vector)
  const cassettes = opened("real", cassettesOf(folder, "real", vectors))
  const shares: Array<number> = []
  for (const vector of vectors) {
    const found = await askIndex(signBitVectors(0), cassettes, vector)
    shares.push(shareFound(found, scanMemory(vectors, vector).map(textHash)))
  }
  for (const { close } of cassettes) await Effect.runPromise(close)
  return mean(shares)
}

const measure = async (folder: string, questions: Vectors, vectors: Vectors, repeats: number) => {
  const files = cassettesOf(folder, "part", vectors)
  const cassettes = opened("part", files)
  const databases = files.map((file) => new Database(file, { readonly: true }))
  const index = signBitVectors()
  const times = { ours: [] as Array<number>, files: [] as Array<number>, memory: [] as Array<number> }
  const shares: Array<number> = []
  const [, first] = await timed(() => askIndex(index, cassettes, questions[0]!))
  for (let repeat = 0; repeat < repeats; repeat++) {
    const each = { ours: [] as Array<number>, files: [] as Array<number>, memory: [] as Array<number> }
    for (const question of questions) {
      const [found, ours] = await timed(() => askIndex(index, cassettes, question))
      const [wanted, scanned] = await timed(() => scanFiles(databases, question))
      const [, compared] = await timed(() => scanMemory(vectors, question))
      each.ours.push(ours)
      each.files.push(scanned)
      each.memory.push(compared)
      if (repeat === 0) shares.push(shareFound(found, wanted))
    }
    times.ours.push(median(each.ours))
    times.files.push(median(each.files))
    times.memory.push(median(each.memory))
  }
  for (const { close } of cassettes) await Effect.runPromise(close)
  for (const database of databases) database.close()
  return { times, first, recall: mean(shares) }
}

export const benchmark: Benchmark = {
  description: "the nearest vectors over 8 cassettes, against comparing every one, and how many are found",
  run: () =>
    inPlace("disk", async (folder, place) => {
      const count = setting("BENCH_VECTORS", 24_000)
      const repeats = setting("BENCH_REPEATS", 3)
      const asked = setting("BENCH_QUESTIONS", 20)
      const all = clusteredVectors(count + asked, DIMENSIONS, Math.ceil(count / 100), 1, 11)
      const { first, recall, times } = await measure(folder, all.slice(count), all.slice(0, count), repeats)
      return {
        place,
        settings: { vectors: count, dimensions: DIMENSIONS, cassettes: CASSETTES, repeats, questions: asked },
        lines: [
          line(
            "the best ten, against reading and comparing every vector",
            "milliseconds",
            times.ours,
            times.files,
            "at most 0.15 with 100,000 vectors"
          ),
          line(
            "the best ten, against comparing every vector in memory",
            "milliseconds",
            times.ours,
            times.memory
          ),
          line("the first question after a write", "milliseconds", [first]),
          line("share of the true best ten, in clusters", "of 1", [recall], undefined, "at least 0.99"),
          line(
            "share of the true best ten, 778 real vectors",
            "of 1",
            [await realRecall(folder)],
            undefined,
            "at least 0.99"
          )
        ]
      }
    })
}
