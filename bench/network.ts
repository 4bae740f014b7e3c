// What the network costs: indexing against inserting the same rows by hand, a question over 8 cassettes against FTS5's
// bm25() over an OR of its words in one file, what the hub adds to its cassettes, memory, and whether a divided corpus
// ranks as the undivided one. BENCH_CHUNKS=116000 makes the 100,000 chunks that the goals speak of.
import { rmSync } from "node:fs"
import { join } from "node:path"
import type Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { local, withNetworkOf } from "../infrastructure/network/testing/cassettes.ts"
import { answerOf } from "./support/child.ts"
import { compare } from "./support/comparison.ts"
import { type BenchDocument, benchDocuments, benchQuestions, stopWordQuestions } from "./support/documents.ts"
import type { NetworkJob, NetworkTaken } from "./support/network-asker.ts"
import { askMerged, index, insertRaw, merged, processorMillis, readRaw } from "./support/network-floors.ts"
import { splitShares } from "./support/network-splits.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, type Line, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const CASSETTES = 8

const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * share)] ?? Number.NaN

/** Makes the cassettes, each in turns with its rows by hand. */
const indexAll = (folder: string, documents: ReadonlyArray<BenchDocument>) =>
  Array.from({ length: CASSETTES }, (_, part) => {
    const own = documents.filter((__, number) => number % CASSETTES === part)
    const made = index(folder, `part-${part}`, own)
    const raw = insertRaw(folder, made.file)
    for (const ending of ["", "-wal", "-shm"]) rmSync(join(folder, `raw.db${ending}`), { force: true })
    return {
      file: made.file,
      chunks: raw.chunks,
      ours: raw.chunks / made.seconds,
      floor: raw.chunks / raw.seconds
    }
  })

const cassettesOf = (files: ReadonlyArray<string>) => files.map((file, part) => local(`part-${part}`, file))

const askAll = (files: ReadonlyArray<string>, text: string) =>
  withNetworkOf(cassettesOf(files), (network) => network.query(text))

/** Milliseconds of each question. */
type Taken = ReadonlyArray<number>

/** Questions in turns with the same ones in one table of FTS5. */
const questionLines = async (
  what: string,
  files: ReadonlyArray<string>,
  one: Database.Database,
  questions: ReadonlyArray<string>,
  repeats: number
): Promise<ReadonlyArray<Line>> => {
  const late: { ours: Array<number>; floor: Array<number> } = { ours: [], floor: [] }
  const work: { ours: Array<number>; floor: Array<number> } = { ours: [], floor: [] }
  const summed = async (side: "ours" | "floor", ask: () => Taken | Promise<Taken>): Promise<number> => {
    const before = processorMillis()
    const times = await ask()
    // The processor's clock has steps of some milliseconds: it can be trusted for all questions together alone.
    work[side].push((processorMillis() - before) / times.length)
    late[side].push(percentile(times, 0.95))
    return percentile(times, 0.5)
  }
  const { floor, ours } = await withNetworkOf(cassettesOf(files), (network) => {
    const ask = async (): Promise<Taken> => {
      const times: Array<number> = []
      for (const text of questions) {
        const start = performance.now()
        await Effect.runPromise(network.query(text))
        times.push(performance.now() - start)
      }
      return times
    }
    return Effect.promise(async () => {
      await ask()
      askMerged(one, questions)
      return compare(repeats, {
        ours: () => summed("ours", ask),
        floor: () => summed("floor", () => askMerged(one, questions))
      })
    })
  })
  return [
    line(`${what}, median`, "milliseconds", ours, floor, "at most 0.25 at 100,000 chunks"),
    line(`${what}, 95 of 100`, "milliseconds", late.ours, late.floor),
    line(`${what}, mean`, "milliseconds of processor time", work.ours, work.floor)
  ]
}

/** What the hub adds, and memory, in processes of their own. */
const hubLines = async (
  files: ReadonlyArray<string>,
  questions: ReadonlyArray<string>,
  repeats: number
): Promise<ReadonlyArray<Line>> => {
  const taken = async (apart: boolean) => {
    const runs: Array<NetworkTaken> = []
    for (let repeat = 0; repeat < repeats; repeat++) {
      runs.push(
        await answerOf<NetworkTaken>("network-asker", { files, questions, apart } satisfies NetworkJob)
      )
    }
    return runs
  }
  const here = await taken(false)
  const apart = await taken(true)
  const added = (runs: ReadonlyArray<NetworkTaken>) => runs.map(({ overheads }) => percentile(overheads, 0.5))
  return [
    line("what the hub adds to its cassettes, median", "milliseconds", added(here), undefined, "at most 1"),
    line(
      "what the hub adds to the slowest of 8 processes, median",
      "milliseconds",
      added(apart),
      undefined,
      "at most 2.5"
    ),
    line(
      "most memory of a process with all cassettes",
      "MiB",
      here.map(({ hub_mib }) => hub_mib),
      undefined,
      "under 400 at 200,000 chunks"
    ),
    line(
      "memory of the largest process of one cassette, its share of shared pages",
      "MiB",
      apart.map(({ largest_child_mib }) => largest_child_mib),
      undefined,
      "at most 30"
    )
  ]
}

export const benchmark: Benchmark = {
  description: "indexing and asking the cassette network, against plain SQLite",
  run: () =>
    inPlace("disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 3)
      const asked = setting("BENCH_QUESTIONS", 200)
      const documents = benchDocuments(setting("BENCH_CHUNKS", 16_000))
      const questions = benchQuestions(documents, asked)
      const splitChunks = setting("BENCH_SPLIT_CHUNKS", 2_000)
      const parts = indexAll(folder, documents)
      const files = parts.map(({ file }) => file)
      const one = merged(folder, files)
      const lines = [
        ...(await questionLines("a question over all cassettes", files, one, questions, repeats)),
        ...(await questionLines(
          "a question of stop words alone",
          files,
          one,
          stopWordQuestions(Math.ceil(asked / 4)),
          repeats
        ))
      ]
      one.close()
      const opening = await compare(3 * repeats, {
        ours: async () => {
          const start = performance.now()
          await askAll(files, questions[0]!)
          return performance.now() - start
        },
        floor: () => readRaw(files, questions[0]!)
      })
      const small = benchDocuments(splitChunks)
      const splits = await splitShares(folder, small, benchQuestions(small, asked))
      return {
        place,
        settings: {
          repeats,
          questions: asked,
          chunks: parts.reduce((sum, { chunks }) => sum + chunks, 0),
          cassettes: CASSETTES,
          split_chunks: splitChunks
        },
        lines: [
          line(
            "indexing, chunking and both indexes included",
            "chunks per second",
            parts.map(({ ours }) => ours),
            parts.map(({ floor }) => floor),
            "at least 0.3 of inserting the same rows by hand"
          ),
          ...lines,
          line(
            "opening all cassettes and a first answer",
            "milliseconds",
            opening.ours,
            opening.floor,
            "at most 5 times opening the files and reading the rows of an answer"
          ),
          ...(await hubLines(files, questions.slice(0, 100), repeats)),
          ...splits.map(({ name, share }) =>
            line(`answers over ${name} that are those of one cassette`, "share", [share], undefined, "1")
          )
        ]
      }
    })
}
