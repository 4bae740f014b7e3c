// All twelve pairs of status and event, written out: four edges exist and eight do not.
import { describe, expect, it } from "vitest"
import {
  INITIAL_STEP_STATUS,
  nextStepStatus,
  type StepEventType,
  StepStatus,
  stepTransitions
} from "./step-state-machine.ts"

const table: ReadonlyArray<readonly [StepStatus, StepEventType, StepStatus | undefined]> = [
  ["PENDING", "StepClaimed", "LEASED"],
  ["PENDING", "StepCompleted", undefined],
  ["PENDING", "StepRequeued", undefined],
  ["PENDING", "LeaseRenewed", undefined],
  ["LEASED", "StepClaimed", undefined],
  ["LEASED", "StepCompleted", "COMMITTED"],
  ["LEASED", "StepRequeued", "PENDING"],
  ["LEASED", "LeaseRenewed", "LEASED"],
  ["COMMITTED", "StepClaimed", undefined],
  ["COMMITTED", "StepCompleted", undefined],
  ["COMMITTED", "StepRequeued", undefined],
  ["COMMITTED", "LeaseRenewed", undefined]
]

describe("the life of a step", () => {
  it.each(table)("%s and %s give %s", (from, event, to) => {
    expect(nextStepStatus(from, event)).toBe(to)
  })

  it("has no edge beyond the table", () => {
    const listed = table.flatMap(([from, event, to]) => (to === undefined ? [] : [{ from, event, to }]))
    expect(stepTransitions).toStrictEqual(listed)
  })

  it("begins PENDING, and every status can be reached from there", () => {
    const reached = new Set<StepStatus>([INITIAL_STEP_STATUS])
    for (const { from, to } of stepTransitions) if (reached.has(from)) reached.add(to)
    expect(INITIAL_STEP_STATUS).toBe("PENDING")
    expect([...reached].toSorted()).toStrictEqual([...StepStatus.literals].toSorted())
  })
})
