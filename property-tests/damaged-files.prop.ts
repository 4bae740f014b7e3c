// Damaged files: ledgers, corpus databases and cassettes are damaged in every way that a disk, a lost write, a copy or a
// person with the file can damage them. None may pass that another SQLite reports or whose content is another one, none
// may hang or end as a fault of the program, and what is acknowledged afterwards must be there. PROP_RUNS says how many;
// PROP_SEED with PROP_CASE repeats one.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPython } from "../infrastructure/network/testing/cartridges.ts"
import { propCase, propParameters, propSeed } from "./support/configuration.ts"
import { Lane, type Trial } from "./support/damage/damage-trial.ts"
import { type DamagedCase, makeCase } from "./support/damage/damaged-case.ts"
import { type HonestFile, makeHonestFiles, STORES } from "./support/damage/honest-files.ts"

/** Files that are judged at once, each in processes of its own. */
const LANES = 3

/** How long all of it may take: 20,000 files are the longest that is asked for; each has a limit of its own. */
const WHOLE_CAMPAIGN_MILLIS = 3 * 3_600_000
/** One file in so many is written to as well, and one in so many is given to the command line. */
const WRITES_EVERY = 5
const COMMANDS_EVERY = 151
/** After so many files a long campaign tells how far it is. */
const TOLD_EVERY = 1_000

const folder = mkdtempSync(join(tmpdir(), "cassette-damaged-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files: ReadonlyArray<HonestFile>
beforeAll(async () => {
  files = await makeHonestFiles(folder)
}, 120_000)

/** How often each outcome came of each kind in each store, as lines of a table. */
class Score {
  readonly #counts = new Map<string, Record<string, number>>()
  readonly broken: Array<string> = []
  tried = 0
  acknowledged = 0

  add({ honest, kind, number }: DamagedCase, { acknowledged, broken, outcome }: Trial): void {
    this.tried += 1
    if (acknowledged) this.acknowledged += 1
    const counts = this.#counts.get(kind) ?? {}
    const key = `${honest.store} ${outcome}`
    this.#counts.set(kind, { ...counts, [key]: (counts[key] ?? 0) + 1 })
    for (const rule of broken) {
      const told = `${kind}, ${honest.store} ${honest.shape}: ${rule}; PROP_SEED=${propSeed} PROP_CASE=${number}`
      this.broken.push(told)
      // A long campaign tells a fault when it is found, and may then be ended.
      console.log(told)
    }
    if (this.tried % TOLD_EVERY === 0)
      console.log(`${this.tried} damaged files, ${this.broken.length} faults so far`)
  }

  get lines(): ReadonlyArray<string> {
    const outcomes = ["found", "alarm", "same", "older"]
    const cells = (counts: Record<string, number>) =>
      STORES.map((store) =>
        outcomes.map((outcome) => `${counts[`${store} ${outcome}`] ?? 0}`.padStart(5)).join(" ")
      )
    return [
      `${"".padEnd(44)} ${STORES.map((store) => `${store}: ${outcomes.join(" ")}`).join(" | ")}`,
      ...[...this.#counts].map(([kind, counts]) => `${kind.padEnd(44)} ${cells(counts).join(" | ")}`)
    ]
  }
}

describe("a damaged file", () => {
  it(
    "never passes where another SQLite reports it or its content is another one, never hangs, never is a fault",
    async () => {
      const score = new Score()
      const { numRuns } = propParameters(10)
      const numbers =
        propCase === undefined
          ? Array.from({ length: numRuns }, (_, index) => index).values()
          : [propCase].values()
      const work = async (lane: Lane): Promise<void> => {
        for (const number of numbers) {
          const damaged = makeCase(files, propSeed, number)
          if (damaged === undefined) continue
          const repeated = propCase !== undefined
          score.add(
            damaged,
            await lane.try(damaged, {
              writes: repeated || number % WRITES_EVERY === 0,
              commands: repeated || number % COMMANDS_EVERY === 0
            })
          )
        }
      }
      const lanes = Array.from({ length: propCase === undefined ? LANES : 1 }, (_, index) => {
        const root = join(folder, `lane-${index}`)
        mkdirSync(root)
        return new Lane(root, hasPython)
      })
      try {
        await Promise.all(lanes.map(work))
      } finally {
        for (const lane of lanes) lane.end()
      }
      console.log(
        `${score.lines.join("\n")}\n${score.tried} damaged files, ${score.broken.length} faults, ${score.acknowledged} writes acknowledged, ${hasPython ? "held against Python's SQLite" : "no second SQLite here"} (seed ${propSeed})`
      )
      expect(score.broken).toEqual([])
      expect(score.tried).toBeGreaterThan(0)
    },
    WHOLE_CAMPAIGN_MILLIS
  )
})
