// Questions by short processes beside a saving MCP server, a `network watch` and one index run after another: none is empty and
// none is left without an answer of a cassette. A quarter of PROP_RUNS are asked; `PROP_RUNS=800` asks 200. The interleaving is the
// operating system's.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { queryStorm, stormFaults } from "../interfaces/cli/testing/query-storm.ts"
import { propRuns } from "./support/configuration.ts"

const questions = Math.max(10, Math.round(propRuns / 4))

const folder = mkdtempSync(join(tmpdir(), "cassette-storm-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("questions beside writers of every kind", () => {
  it(
    "are all answered by every cassette",
    async () => {
      const { answers, indexRuns, saves } = await queryStorm(folder, questions, 4)
      console.log(`${answers.length} questions beside ${saves} saves and ${indexRuns} index runs`)
      expect(answers.flatMap(stormFaults)).toEqual([])
      expect(answers).toHaveLength(questions)
      expect(Math.min(indexRuns, saves)).toBeGreaterThan(0)
      // A busy machine starts a process in seconds.
    },
    questions * 20_000
  )
})
