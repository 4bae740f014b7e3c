// Many runs with a ledger each, in workerd: every step is claimed once, by 32 workers at a time through the directory. So many runs as
// PROP_RUNS says, five steps each. The clock says only how long it took.
import { expect, it } from "vitest"
import { claimAll, postSteps } from "../examples/durable-objects/testing/claiming.ts"
import { describeInWorkerd } from "../interfaces/durable-objects/testing/describe-workerd.ts"
import { propRuns } from "./support/configuration.ts"

const STEPS = 5
const WORKERS = 32

describeInWorkerd(
  "runs with a ledger each",
  (running) => {
    it("give each of their steps to one of 32 workers", async () => {
      const { address } = running.workerd()
      const runs = Array.from({ length: propRuns }, (_, n) => `run-${n}`)
      let next = 0
      const poster = async () => {
        for (let run_id = runs[next++]; run_id !== undefined; run_id = runs[next++]) {
          expect((await postSteps(address, run_id, STEPS)).ok).toBe(true)
        }
      }
      await Promise.all(Array.from({ length: WORKERS }, poster))
      const began = Date.now()
      const claimed = await claimAll(address, WORKERS)
      const seconds = (Date.now() - began) / 1_000
      console.log(
        `${claimed.length} steps of ${runs.length} runs claimed and finished in ${seconds.toFixed(1)} s by ${WORKERS} workers`
      )
      expect(claimed.length).toBe(runs.length * STEPS)
      expect(new Set(claimed).size).toBe(claimed.length)
    })
  },
  "../../../examples/durable-objects/testing/worker.ts",
  ["Run", "Directory", "Fleet"]
)
