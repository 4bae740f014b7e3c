// Random workflows: what Effect's own engine in memory makes of them, ours does too, with the same results, bodies and
// compensations, also where it is closed and opened again in between.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { WorkflowEngine } from "effect/workflow"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { CassetteWorkflowEngine } from "../interfaces/workflow/index.ts"
import { propParameters } from "./support/configuration.ts"
import { type Cast, play, type Seen } from "./support/workflows/workflow-player.ts"
import { lonelyScenario, type Scenario, wideScenario } from "./support/workflows/workflow-programs.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-programs-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0

const onOurs = (scenario: Scenario, cast: Cast): Promise<Seen> => {
  const filename = cast === "one" ? ":memory:" : join(folder, `${(files += 1)}.db`)
  return play(scenario, CassetteWorkflowEngine.layer({ filename, durability: "normal" }), cast)
}

/** Closed and opened again where the scenario says so. */
const onOne = (scenario: Scenario): Promise<Seen> =>
  onOurs(scenario, scenario.deeds.some(({ kind }) => kind === "restart") ? "restarted" : "one")

const onEffects = (scenario: Scenario): Promise<Seen> => play(scenario, WorkflowEngine.layerMemory, "one")

/** What does not depend on the order in which things at once went on. */
const outcome = ({ bodies, states, undone, warnings }: Seen) => ({
  bodies,
  end: states.at(-1),
  undone: Object.fromEntries(Object.entries(undone).map(([place, all]) => [place, all.toSorted()])),
  warnings
})

describe("random workflows", () => {
  it("that do one thing after the other are at each moment as in Effect's own engine", async () => {
    await fc.assert(
      fc.asyncProperty(lonelyScenario, async (scenario) => {
        expect(await onOne(scenario)).toStrictEqual(await onEffects(scenario))
      }),
      propParameters(0.2)
    )
  })

  it("that do much at once end as in Effect's own engine", async () => {
    await fc.assert(
      fc.asyncProperty(wideScenario, async (scenario) => {
        expect(outcome(await onOne(scenario))).toStrictEqual(outcome(await onEffects(scenario)))
      }),
      propParameters(0.2)
    )
  })

  it("that two engines on one file are told of in turns are as on one", async () => {
    await fc.assert(
      fc.asyncProperty(lonelyScenario, async (scenario) => {
        expect(await onOurs(scenario, "two")).toStrictEqual(await onEffects(scenario))
      }),
      propParameters(0.05)
    )
  })
})
