// The attempts at a step, as its events tell them.
import { assert, describe, it } from "@effect/vitest"
import { Attempts } from "./attempts.ts"
import type { LedgerEvent } from "./events.ts"

const STEP = "step_0000000000002_6bc3e907409fef01.0001.00001"

let position = 0
const event = <T extends LedgerEvent["type"]>(
  type: T,
  data: Extract<LedgerEvent, { type: T }>["data"]
): LedgerEvent =>
  ({
    type,
    data,
    position: ++position,
    stream_id: "run:r",
    recorded_at: `T${position}`
  }) as unknown as LedgerEvent

const claimed = (worker_id: string, fencing_token: number, lease_expires_at: string) =>
  event("StepClaimed", { fencing_token, lease_expires_at, scope: "run", step_id: STEP, worker_id })

const foldOf = (...events: ReadonlyArray<LedgerEvent>) => {
  const attempts = new Attempts()
  for (const each of events) attempts.add(each)
  return attempts.of(STEP)
}

describe("attempts", () => {
  it("are every lease in order, with how each ended", () => {
    position = 0
    const found = foldOf(
      claimed("ben", 1, "L1"),
      event("StepRequeued", {
        cause: "expired",
        fencing_token: 1,
        reason: "no answer",
        requested_by: "supervisor",
        step_id: STEP,
        worker_id: "ben"
      }),
      claimed("ada", 2, "L2"),
      event("LeaseRenewed", {
        fencing_token: 3,
        lease_expires_at: "L3",
        previous_token: 2,
        step_id: STEP,
        worker_id: "ada"
      }),
      event("StepCompleted", {
        fencing_token: 3,
        outcome: "SUCCESS",
        receipt: {},
        step_id: STEP,
        worker_id: "ada"
      })
    )
    assert.deepStrictEqual(found, [
      {
        worker_id: "ben",
        fencing_token: 1,
        lease_expires_at: "L1",
        claimed: { position: 1, at: "T1" },
        renewals: [],
        end: { position: 2, at: "T2", how: "expired", reason: "no answer", requested_by: "supervisor" }
      },
      {
        worker_id: "ada",
        fencing_token: 3,
        lease_expires_at: "L3",
        claimed: { position: 3, at: "T3" },
        renewals: [{ position: 4, at: "T4", fencing_token: 3, lease_expires_at: "L3" }],
        end: { position: 5, at: "T5", how: "SUCCESS" }
      }
    ])
  })

  it("say of a lease that is held that it has no end", () => {
    assert.isUndefined(foldOf(claimed("w", 1, "L1"))[0]?.end)
    assert.deepStrictEqual(foldOf(), [])
  })

  it("say of an end whose claim was not read what it tells itself", () => {
    position = 10
    const end = { fencing_token: 7, outcome: "FAILURE", receipt: {}, step_id: STEP, worker_id: "w" } as const
    assert.deepStrictEqual(foldOf(event("StepCompleted", end)), [
      {
        worker_id: "w",
        fencing_token: 7,
        claimed: undefined,
        lease_expires_at: undefined,
        renewals: [],
        end: { position: 11, at: "T11", how: "FAILURE" }
      }
    ])
  })
})
