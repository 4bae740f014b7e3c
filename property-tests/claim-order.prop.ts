// The order of claims: after any posts at any times, by clocks that jump, and any requeues, a claim gives the
// waiting step with the oldest message, then the lowest job, then the lowest step; and the ids sort the same way. A claim in
// any run goes round and round over the runs that have one, in the order of their ids' code points.

import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { propParameters } from "./support/configuration.ts"
import { byCodePoints, inOrder, type Tables, wantedStep } from "../interfaces/test-kit/laws/claim-order.ts"
import { anyJump } from "../interfaces/test-kit/ledger-commands.ts"
import type { OneCommand } from "../interfaces/test-kit/ledger-model.ts"
import { LedgerSystem } from "./support/ledger-system.ts"

// The last three stand in another order by UTF-16 than by code points, and at the ends of the surrogates and of all.
const RUNS = [
  "run-a",
  "run-b",
  "run-",
  "run",
  "run-\ud7ff",
  "run-\u{1f600}",
  "run-\uff5e",
  "run-\u{10fffd}"
] as const

type Deed =
  | {
      readonly do: "post"
      readonly run: string
      readonly jobs: ReadonlyArray<number>
      readonly key: string | null
    }
  | { readonly do: "claim"; readonly run: string; readonly job: number | null }
  | { readonly do: "claimAny"; readonly after: string | undefined; readonly prefix: string | undefined }
  | { readonly do: "requeue"; readonly which: number }
  | { readonly do: "jump"; readonly millis: number }

const run = fc.constantFrom(...RUNS)
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("post" as const),
      run,
      jobs: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 }),
      key: fc.option(fc.uuid())
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("claim" as const), run, job: fc.option(fc.nat()) })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("claimAny" as const),
      after: fc.option(fc.constantFrom(...RUNS, "a", "run-a\u0021", "z"), { nil: undefined }),
      // Every beginning of a run's id, and one of none.
      prefix: fc.option(
        fc.oneof(
          fc
            .tuple(run, fc.integer({ min: 1, max: 5 }))
            .map(([id, length]) => Array.from(id).slice(0, length).join("")),
          fc.constantFrom("run-ab", "run-\u{1f601}")
        ),
        { nil: undefined }
      )
    })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("requeue" as const), which: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("jump" as const),
      // More than a year back would only stop all writing.
      millis: anyJump.filter((millis) => Math.abs(millis) < 30 * 86_400_000)
    })
  }
)

const commandOf = (deed: Exclude<Deed, { do: "jump" }>, tables: Tables): OneCommand | undefined => {
  switch (deed.do) {
    case "post": {
      const jobs = deed.jobs.map((count, index) => ({
        intent: `job ${index}`,
        steps: Array.from({ length: count }, (_, n) => ({ n }))
      }))
      return { kind: "post", run_id: deed.run, source: "USER", payload: {}, idempotency_key: deed.key, jobs }
    }
    case "claim": {
      const job = deed.job === null ? undefined : tables.jobs[deed.job % Math.max(1, tables.jobs.length)]
      return { kind: "claim", run_id: deed.run, worker_id: "w", job_id: job?.job_id, ttl_seconds: 60 }
    }
    case "claimAny":
      return { kind: "claimAny", worker_id: "w", ttl_seconds: 60, after_run: deed.after, prefix: deed.prefix }
    case "requeue": {
      const leased = tables.steps.filter(({ status }) => status === "LEASED")
      const step = leased[deed.which % Math.max(1, leased.length)]
      return (
        step && {
          kind: "requeue",
          run_id: step.run_id,
          step_id: step.step_id,
          reason: "x",
          lease: undefined,
          force: true
        }
      )
    }
  }
}

const tablesOf = async (system: LedgerSystem): Promise<Tables> => {
  const { position } = await system.run(system.ledger.head)
  return system.run(system.ledger.stateAt({ position }))
}

const play = async (system: LedgerSystem, deeds: ReadonlyArray<Deed>): Promise<void> => {
  for (const deed of deeds) {
    if (deed.do === "jump") {
      system.clock.set(system.clock.now() + deed.millis)
      continue
    }
    const before = await tablesOf(system)
    const command = commandOf(deed, before)
    if (command === undefined) continue
    const [answer] = await system.perform([command])
    if (command.kind !== "claim" && command.kind !== "claimAny") {
      expect(answer?.tag).toBe("done")
      continue
    }
    const oldest = wantedStep(before, command)
    if (oldest === undefined) expect(answer?.tag).toBe("NoPendingStep")
    else {
      const { ordinal, run_id, step_id } = oldest
      expect(answer?.["reply"]).toMatchObject({ step_id, ordinal, lease: { run_id, step_id } })
    }
  }
  const after = await tablesOf(system)
  const ids = inOrder(after).map(({ step_id }) => step_id)
  expect(ids.toSorted(byCodePoints)).toStrictEqual(ids)
}

describe("claims", () => {
  it("come in the order of message, job and step", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 10, maxLength: 40, size: "max" }), async (deeds) => {
        const system = new LedgerSystem()
        await system.open()
        try {
          await play(system, deeds)
        } finally {
          await system.close()
        }
      }),
      propParameters(0.5)
    )
  })

  it("in any run, each behind the run before, come to every run in its turn", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(run, { minLength: 1 }),
        fc.integer({ min: 1, max: 4 }),
        async (runs, rounds) => {
          const system = new LedgerSystem()
          await system.open()
          try {
            const steps = Array.from({ length: rounds }, (_, n) => ({ n }))
            const jobs = [{ intent: "", steps }]
            await system.perform(
              runs.map((run_id) => ({
                kind: "post",
                run_id,
                source: "USER",
                payload: {},
                idempotency_key: null,
                jobs
              }))
            )
            let after_run: string | undefined
            const came: Array<string> = []
            for (let turn = 0; turn < runs.length * rounds; turn++) {
              const [answer] = await system.perform([
                { kind: "claimAny", worker_id: "w", ttl_seconds: 60, after_run, prefix: undefined }
              ])
              const reply = answer?.["reply"] as { lease: { run_id: string } } | undefined
              after_run = reply?.lease.run_id
              came.push(after_run ?? "none")
            }
            const inTurn = runs.toSorted(byCodePoints)
            expect(came).toStrictEqual(Array.from({ length: rounds }, () => inTurn).flat())
          } finally {
            await system.close()
          }
        }
      ),
      propParameters(0.2)
    )
  })
})
