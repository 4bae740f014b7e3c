// The laws of ledgers on SQLite in memory, in a file that is opened again and again, and in memory without SQLite; and after every
// command both projections agree. The laws, the model and the lives are those that users of the library are given.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { Ledger } from "../interfaces/embedding/ledger.ts"
import type { Law } from "../interfaces/test-kit/law.ts"
import { ledgerLaws } from "../interfaces/test-kit/ledger-laws.ts"
import { tryLaw } from "../interfaces/test-kit/ledger-life.ts"
import { modelLaw } from "../interfaces/test-kit/laws/model-law.ts"
import { memoryLedgerLayer } from "../interfaces/test-kit/memory-ledger.ts"
import { propParameters, propRuns } from "./support/configuration.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-model-"))

/** How many commands this process compared with the model: for the line at the end. */
const given = { commands: 0 }

const onSqlite = () => Ledger.layer({ filename: ":memory:", durability: "normal" })
const inFile = (name: string) => Ledger.layer({ filename: join(folder, `${name}.db`), durability: "normal" })

const MANY = propRuns > 1_000

/** With very many runs both projections are compared after every so many commands. */
const PROJECTIONS_EVERY = MANY ? 32 : 1

/** As the law of the model, in lives in which the ledger is opened again, too; both projections agree after every command. */
const projectionLaw: Law = {
  ...modelLaw,
  // With very many runs more of them wait together, so that a million takes minutes.
  together: MANY ? 40 : modelLaw.together,
  reopens: true,
  watch: async (real, another) => {
    const { see } = await modelLaw.watch(real, another)
    return {
      see: async (commands, model) => {
        await see?.(commands, model)
        given.commands += commands.length
        if (given.commands % PROJECTIONS_EVERY !== 0) return
        const report = await real.run(real.ledger.verifyCassette({ pure: true, rungs: ["projections"] }))
        expect(report.findings).toStrictEqual([])
      },
      around: async (reopen) => {
        await reopen()
        expect(real.ledger.fault).toBeUndefined()
      }
    }
  }
}

const start = performance.now()
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  const seconds = (performance.now() - start) / 1_000
  console.log(`${given.commands} commands against the model in ${seconds.toFixed(1)} s`)
})

/** The same start and as many runs as every property of this process. */
const optionsOf = (scale: number) => {
  const { numRuns, seed } = propParameters(scale)
  return { runs: numRuns, seed, timeout: 1_800_000, command: "pnpm prop" }
}

ledgerLaws("a ledger on SQLite", onSqlite, optionsOf(0.5))
ledgerLaws("a ledger in a file", inFile, { ...optionsOf(0.1), persists: true })
ledgerLaws("a ledger in memory", () => memoryLedgerLayer, optionsOf(0.5))

describe("a ledger's life", () => {
  it("is the model's, and both projections agree after every command", async () => {
    expect(await tryLaw({ ...projectionLaw, reopens: false }, onSqlite, propParameters())).toBeUndefined()
  })

  it("is the model's in a file that is opened again and again", async () => {
    expect(await tryLaw(projectionLaw, inFile, propParameters(0.1))).toBeUndefined()
  })
})
