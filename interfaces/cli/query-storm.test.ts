// Two questions by short processes beside writers of every kind; property-tests/query-storm.prop.ts asks many.
import { afterAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "./testing/in-process.ts"
import { queryStorm, stormFaults } from "./testing/query-storm.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

describe("questions beside a saving server, a watch and index runs", () => {
  it("are all answered by every cassette", async () => {
    const { answers, indexRuns, saves } = await queryStorm(folder, 2, 2)
    expect(answers.flatMap(stormFaults)).toEqual([])
    expect(answers).toHaveLength(2)
    expect(Math.min(indexRuns, saves)).toBeGreaterThan(0)
  })
})
