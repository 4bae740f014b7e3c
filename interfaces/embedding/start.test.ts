// What a program loads before it needs it: the entry points are imported, and the packages that each leads to are listed. Parsers, grammars, globs and the stemmer belong to what uses them, and a ledger needs none. Kysely
// wrote the statements and runs nowhere.
import { beforeAll, describe, expect, it } from "vitest"
import { loadedPackages, packagesOfEach } from "../../infrastructure/testing/programs/loaded-packages.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"

const repository = new URL("../../", import.meta.url)

/** The packages that a program of the repository loads. */
const packagesOf = (program: string): ReadonlyArray<string> =>
  loadedPackages(["--input-type=module", "--eval", program])

const urlOf = (file: string): string => new URL(file, repository).href
const at = (file: string): string => JSON.stringify(urlOf(file))

const ledger = ["better-sqlite3", "effect"]

const entryPoints: ReadonlyArray<readonly [file: string, packages: ReadonlyArray<string>]> = [
  ["application/index.ts", ["effect"]],
  ["domain/index.ts", ["effect"]],
  // The packages of the hosts are types alone.
  ["interfaces/agents/ai-sdk.ts", ["effect"]],
  ["interfaces/agents/claude-agent-sdk.ts", ["effect"]],
  ["interfaces/agents/openai-agents.ts", ["effect"]],
  // LangGraph's savers share a base, which is loaded with what it needs.
  [
    "interfaces/agents/langgraph.ts",
    "@cfworker/json-schema @langchain/core @langchain/langgraph-checkpoint base64-js effect eventemitter3 js-tiktoken langsmith mustache p-finally p-queue p-timeout zod".split(
      " "
    )
  ],
  ["interfaces/bundle/index.ts", ["effect"]],
  ["interfaces/embedding/index.ts", ledger],
  ["interfaces/embedding/network.ts", ["effect"]],
  ["interfaces/dossier/index.ts", ["effect"]],
  ["interfaces/promise/index.ts", ledger],
  ["interfaces/workflow/index.ts", ledger],
  // `ledgerLaws` brings the test runner and fast-check with what they load; the rest needs neither.
  [
    "interfaces/test-kit/index.ts",
    ["chai", "effect", "expect-type", "fast-check", "pure-rand", "tinybench", "vite", "vitest"]
  ],
  ["interfaces/test-kit/memory-ledger.ts", ["effect"]]
]

describe("an entry point", () => {
  let loaded: ReadonlyMap<string, ReadonlyArray<string>>
  beforeAll(() => {
    loaded = packagesOfEach(entryPoints.map(([file]) => urlOf(file)))
  })
  it.each(entryPoints)("importing %s loads %j", (file, packages) => {
    expect(loaded.get(urlOf(file))).toEqual(packages)
  })
})

const OPENING = {
  ledger: `
    import { openLedger } from ${at("interfaces/promise/index.ts")}
    await using ledger = await openLedger({ filename: process.env.FOLDER + "/l.db" })
    await ledger.postMessage({ run_id: "r", source: "USER", payload: { intent: "greet" } })
    const step = await ledger.claimStep({ run_id: "r", worker_id: "w" })
    await ledger.completeStep({ ...step.lease, receipt_payload: {}, outcome: "SUCCESS" })`,
  corpus: `
    import * as Effect from "effect/Effect"
    import { Corpus } from ${at("interfaces/embedding/index.ts")}
    await Effect.runPromise(Effect.scoped(Effect.provide(Effect.void, Corpus.layer({ root: process.env.FOLDER }))))`
}

const inFolder = (program: string): string =>
  program.replaceAll("process.env.FOLDER", JSON.stringify(temporaryFolder()))

it("a ledger's first step loads no more", () => {
  expect(packagesOf(inFolder(OPENING.ledger))).toEqual(ledger)
})

it("a corpus that is opened brings the parsers, and so the list would show them", () => {
  expect(packagesOf(inFolder(OPENING.corpus))).toEqual(
    expect.arrayContaining([...ledger, "markdown-it", "picomatch"])
  )
})
