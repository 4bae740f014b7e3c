// A program that never disposes of its runtime ends by itself when it has nothing more to do: no timer, no process and
// no pipe of a layer keeps it alive.
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { cassetteWith } from "../../infrastructure/network/testing/cassettes.ts"
import { PROGRAM_MILLIS } from "../../infrastructure/testing/programs/process-end.ts"
import { programOf } from "../../infrastructure/testing/programs/program.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const embeddingProgram = join(repository, "infrastructure/network/testing/embedding-program.ts")

const program = programOf("interfaces/embedding/testing/one-use.ts")

/** The end of a program that uses a layer once and says so: its output and its exit code. */
const endOf = (layer: string, place: string) => {
  const { signal, status, stderr, stdout } = spawnSync(process.execPath, [program, layer, place], {
    encoding: "utf8",
    timeout: PROGRAM_MILLIS
  })
  return { signal, status, stderr, stdout }
}

const ENDED = { signal: null, status: 0, stderr: "", stdout: "done\n" }

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

const embedder = `indexing: {embedder: command, command: ["${process.execPath}", "${embeddingProgram}"], dimensions: 3}\n`

describe("a program without an end of its own", () => {
  it.each([
    ["Ledger.layer on a file", "ledger", () => join(temporaryFolder(), "l.db")],
    ["Ledger.layer in memory", "ledger", () => ":memory:"],
    ["Corpus.layer", "corpus", () => temporaryFolder()],
    ["Corpus.layer with lines", "lines", () => temporaryFolder()],
    ["Network.layer", "network", () => networkFile("local")],
    ["Network.layer with a process for each cassette", "network", () => networkFile("external")],
    ["Network.layer with an embedder's process", "network", () => networkFile("local", embedder)]
  ])("ends after %s", (_, layer, place) => {
    expect(endOf(layer, place())).toEqual(ENDED)
  })
})
