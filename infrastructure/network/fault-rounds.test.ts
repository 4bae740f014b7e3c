// Of eight cassettes one hangs and one is damaged, round after round: the others answer, both are told, no process is
// left, and both are back when the causes are gone. FAULT_ROUNDS and ORPHAN_ROUNDS set how many rounds there are.
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { faultRounds, orphanRounds } from "./testing/fault-rounds.ts"

const rounds = Number(process.env["FAULT_ROUNDS"] ?? 3)
const orphans = Number(process.env["ORPHAN_ROUNDS"] ?? 2)

describe("a hung and a damaged cassette of eight", () => {
  it(
    "are statuses in every round, leave no process behind, and come back",
    async () => {
      const outcome = await faultRounds(temporaryFolder(), rounds, 1_000)
      expect(outcome.answers).toHaveLength(rounds)
      for (const answers of outcome.answers) {
        const statuses = Object.fromEntries(Object.entries(answers).map(([id, { status }]) => [id, status]))
        expect(statuses).toEqual({
          hung: "timeout",
          one: "ok",
          two: "ok",
          three: "ok",
          four: "ok",
          five: "ok",
          six: "ok",
          corrupt: "error"
        })
      }
      expect(outcome.hits).toEqual(outcome.answers.map(() => 6))
      // Every hung child was ended, so each round had another one.
      expect(new Set(outcome.children).size).toBeGreaterThan(rounds)
      expect(outcome.left).toEqual([])
      expect(Object.values(outcome.repaired).map(({ status }) => status)).toEqual(Array(8).fill("ok"))
    },
    240_000 + rounds * 15_000
  )

  it(
    "leave no child behind when their parent is killed",
    async () => {
      expect(await orphanRounds(orphans)).toEqual([])
    },
    240_000 + orphans * 15_000
  )
})
