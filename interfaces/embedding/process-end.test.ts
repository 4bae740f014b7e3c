// A program that never disposes of its runtime ends by itself when it has nothing more to do: no timer, no process and
// no pipe of a layer keeps it alive.
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { cassetteWith } from "../../infrastructure/network/testing/cassettes.ts"
import { PROGRAM_MILLIS } from "../../infrastructure/testing/process-end.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const embeddingProgram = join(repository, "infrastructure/network/testing/embedding-program.ts")

/** The end of a program that uses a layer once and says so: its output and its exit code. */
const endOf = (layer: string, use: string) => {
  const { signal, status, stderr, stdout } = spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import * as ManagedRuntime from "effect/ManagedRuntime"
       import { Corpus, Ledger } from "./interfaces/embedding/index.ts"
       import { Network } from "./interfaces/embedding/network.ts"
       const runtime = ManagedRuntime.make(${layer})
       await runtime.runPromise(${use})
       console.log("done")`
    ],
    { cwd: repository, encoding: "utf8", timeout: PROGRAM_MILLIS }
  )
  return { signal, status, stderr, stdout }
}

const ENDED = { signal: null, status: 0, stderr: "", stdout: "done\n" }

const post = `Ledger.use((ledger) => ledger.postMessage({ run_id: "r", source: "USER", payload: {} }))`
const query = `Network.use((network) => network.query("hub"))`

/** A network file with one cassette and these further lines. */
const networkFile = (type: string, indexing = ""): string => {
  const folder = temporaryFolder()
  cassetteWith(folder, "docs", { "a/b.md": "text of the hub" })
  const file = join(folder, "network.yaml")
  writeFileSync(
    file,
    `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: docs, path: docs.db, type: ${type}}\n${indexing}`
  )
  return file
}

const network = (type: string, indexing?: string): string =>
  `Network.layer({ file: ${JSON.stringify(networkFile(type, indexing))}, watch: true })`

describe("a program without an end of its own", () => {
  it.each([
    [
      "Ledger.layer on a file",
      () => `Ledger.layer({ filename: ${JSON.stringify(join(temporaryFolder(), "l.db"))} })`,
      post
    ],
    ["Ledger.layer in memory", () => `Ledger.layer({ filename: ":memory:" })`, post],
    [
      "Corpus.layer",
      () => `Corpus.layer({ root: ${JSON.stringify(temporaryFolder())} })`,
      "Corpus.use((corpus) => corpus.index())"
    ],
    [
      "Corpus.layer with lines",
      () => `Corpus.layer({ root: ${JSON.stringify(temporaryFolder())}, cache: "jsonl" })`,
      "Corpus.use((corpus) => corpus.cacheStats)"
    ],
    ["Network.layer", () => network("local"), query],
    ["Network.layer with a process for each cassette", () => network("external"), query],
    [
      "Network.layer with an embedder's process",
      () =>
        network(
          "local",
          `indexing: {embedder: command, command: ["${process.execPath}", "${embeddingProgram}"], dimensions: 3}\n`
        ),
      query
    ]
  ])("ends after %s", (_, layer, use) => {
    expect(endOf(layer(), use)).toEqual(ENDED)
  })
})
