// Joining words and vectors is never worse than the better of the two on real texts with real vectors.
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { hybridQuality } from "../testing/hybrid-quality.ts"

describe("words and vectors joined", () => {
  it("find texts on a subject as early as the better of both, on average", async () => {
    const { hybrid, lexical, vector } = await hybridQuality(temporaryFolder(), 1, 2)
    expect(lexical).toBeGreaterThan(0.3)
    expect(vector).toBeGreaterThan(0.3)
    expect(hybrid).toBeGreaterThanOrEqual(Math.max(lexical, vector) - 0.005)
  })
})
