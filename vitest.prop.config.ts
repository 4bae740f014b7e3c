// The property suites, which `pnpm prop` runs: more runs and more time than the tests beside the code have.
// How often and from which start is set by PROP_RUNS and by its companion, see property-tests/support.
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { longestFirst } from "./property-tests/support/longest-first.ts"
import { Replays } from "./property-tests/support/replays.ts"
import { environment } from "./vitest.config.ts"

// One random start for all suites of a run, so that one line repeats each of them; workers inherit both.
process.env["PROP_SEED"] ||= String(Math.floor(Math.random() * 0x7fff_ffff))
process.env["PROP_RUNS"] ||= "200"

/** What takes longest. */
const LONGEST = ["guard-mutation", "object-attacks", "large-answers", "first-openers", "tampered-header"]

export default defineConfig({
  test: {
    include: ["property-tests/**/*.prop.ts"],
    sequence: { sequencer: longestFirst(LONGEST.map((name) => `property-tests/${name}.prop.ts`)) },
    globalSetup: ["interfaces/cli/testing/built-programs.ts"],
    // Ten times of what the longest takes; more runs than usual take more time than usual.
    testTimeout: Math.max(1_800_000, 600 * Number(process.env["PROP_RUNS"])),
    hookTimeout: 1_800_000,
    pool: "forks",
    // On two cores the default is one worker.
    maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
    env: environment,
    reporters: ["default", new Replays(process.env)]
  }
})
