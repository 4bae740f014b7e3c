// Whether joining words and vectors is worth it: how early a text on the subject is found on real texts with real
// vectors, against the better of the two lists. Anyone who changes the rule of joining may look at the even questions only;
// the odd ones count.
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { hybridQuality } from "../infrastructure/network/testing/hybrid-quality.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"

const HALVES = ["even questions", "odd questions"] as const

export const benchmark: Benchmark = {
  description: "words and vectors joined, against the better of the two, on real texts",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const lines = []
      for (const [half, name] of HALVES.entries()) {
        const { hybrid, lexical, vector } = await hybridQuality(
          mkdtempSync(join(folder, "half-")),
          half,
          HALVES.length
        )
        lines.push(
          line(
            `mean reciprocal rank of the first hit on the subject, ${name}`,
            "of 1",
            [hybrid],
            [Math.max(lexical, vector)],
            "not below the better list by more than 0.005"
          ),
          line(`the same by words alone, ${name}`, "of 1", [lexical]),
          line(`the same by vectors alone, ${name}`, "of 1", [vector])
        )
      }
      return { place, settings: { texts: 389 }, lines }
    })
}
