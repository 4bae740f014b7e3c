// Random commands for the model and the ledger. A command that speaks of a step or job picks it by number from
// what the model holds at that moment, so that sequences stay meaningful when fast-check shrinks them.

import * as fc from "fast-check"
import { type Command, type Jobs, type Json, type LedgerModel, RUNS, WORKERS } from "./ledger-model.ts"

/** A command before it is known which steps and jobs there are. */
export type Plan = (model: LedgerModel) => Command

const run = fc.constantFrom(...RUNS)
const worker = fc.constantFrom(...WORKERS)
const pick = <A>(list: ReadonlyArray<A>, number: number): A | undefined =>
  list[number % Math.max(1, list.length)]

const payloads: ReadonlyArray<Json> = [
  {},
  { intent: "read", n: 1 },
  { intent: 7 },
  { text: 'é\u007f\u2028😀"\\' },
  { steps: [{ n: 1 }, { n: 2 }] },
  { intent: "plan", steps: [{}] }
]
const jobLists: ReadonlyArray<Jobs | undefined> = [
  undefined,
  undefined,
  undefined,
  [{ intent: "", steps: [{}] }],
  [
    { intent: "first", steps: [{ n: 1 }, { n: 2 }] },
    { intent: "second", steps: [{ n: 3 }] }
  ]
]

const fresh = fc
  .record({
    run,
    source: fc.constantFrom("USER", "PLANNER", "SYSTEM", "WORKER"),
    payload: fc.constantFrom(...payloads),
    jobs: fc.constantFrom(...jobLists)
  })
  .map(({ jobs, payload, run, source }): Plan => () => ({
    kind: "post",
    run_id: run,
    source,
    payload,
    idempotency_key: null,
    jobs
  }))

// What a key is used for most of the time, and what it is used for otherwise.
const keyedPosts = [
  { source: "USER", payload: payloads[1]!, jobs: undefined },
  { source: "PLANNER", payload: {}, jobs: jobLists.at(-1) }
] as const
const otherwise = fc.constantFrom<Partial<Extract<Command, { kind: "post" }>>>(
  {},
  {},
  {},
  { source: "SYSTEM" },
  { payload: payloads[4]! },
  { jobs: jobLists.at(-2) }
)

const keyed = fc
  .record({ run, which: fc.nat({ max: keyedPosts.length - 1 }), otherwise })
  .map(({ otherwise, run, which }): Plan => () => ({
    kind: "post",
    run_id: run,
    idempotency_key: `key ${which}`,
    ...keyedPosts[which]!,
    ...otherwise
  }))

const ttl = fc.constantFrom(1, 60, 300, 86_400)

const claim = fc.record({ run, worker, ttl }).map(({ run, ttl, worker }): Plan => () => ({
  kind: "claim",
  run_id: run,
  worker_id: worker,
  job_id: undefined,
  ttl_seconds: ttl
}))

const claimOfJob = fc
  .record({ which: fc.nat(), run: fc.option(run), worker, ttl })
  .map(({ run, ttl, which, worker }): Plan => (model) => {
    const job = pick(model.jobs, which)
    return {
      kind: "claim",
      run_id: run ?? job?.run ?? RUNS[0],
      worker_id: worker,
      job_id: job?.id ?? "job_0000000000099_0123456789abcdef.0001",
      ttl_seconds: ttl
    }
  })

const noStep = {
  run: RUNS[0],
  id: "step_0000000000099_0123456789abcdef.0001.00001",
  owner: WORKERS[0],
  token: 1
}

/** Mostly the right thing, sometimes another. */
const sometimes = <A>(other: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: other })

/** A step with a lease is chosen more often than its share. */
const stepOf = (model: LedgerModel, which: number, leased: boolean) => {
  const candidates = leased ? model.steps.filter(({ status }) => status === "LEASED") : model.steps
  return pick(candidates.length > 0 ? candidates : model.steps, which) ?? noStep
}
const whichStep = { which: fc.nat(), leased: fc.oneof(fc.constant(true), fc.boolean()) }
const otherHolder = {
  run: sometimes(run),
  worker: sometimes(worker),
  shift: sometimes(fc.constantFrom(-1, 1, 5))
}

const complete = fc
  .record({
    ...whichStep,
    ...otherHolder,
    outcome: fc.constantFrom("SUCCESS", "SUCCESS", "SUCCESS", "FAILURE", "ABORTED", "DONE")
  })
  .map(({ leased, outcome, run, shift, which, worker }): Plan => (model) => {
    const step = stepOf(model, which, leased)
    return {
      kind: "complete",
      run_id: run ?? step.run,
      step_id: step.id,
      worker_id: worker ?? step.owner ?? WORKERS[0],
      fencing_token: Math.max(1, step.token + (shift ?? 0)),
      outcome,
      receipt_payload: { by: which % 3, ok: true }
    }
  })

const requeue = fc
  .record({ ...whichStep, ...otherHolder, way: fc.constantFrom("expired", "released", "forced") })
  .map(({ leased, run, shift, way, which, worker }): Plan => (model) => {
    const step = stepOf(model, which, leased)
    const lease = {
      worker_id: worker ?? step.owner ?? WORKERS[0],
      fencing_token: Math.max(1, step.token + (shift ?? 0))
    }
    return {
      kind: "requeue",
      run_id: run ?? step.run,
      step_id: step.id,
      reason: "again",
      lease: way === "released" ? lease : undefined,
      force: way === "forced"
    }
  })

/** Any command, with the weight of each kind in a normal life. */
export const anyPlan: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 3, arbitrary: fresh },
  { weight: 2, arbitrary: keyed },
  { weight: 4, arbitrary: claim },
  { weight: 2, arbitrary: claimOfJob },
  { weight: 5, arbitrary: complete },
  { weight: 4, arbitrary: requeue }
)

const SECOND = 1_000
const DAY = 86_400 * SECOND

/** How far the clock jumps, in milliseconds: both ways, from nothing to more than a year. */
export const anyJump: fc.Arbitrary<number> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      0,
      1,
      -1,
      SECOND,
      60 * SECOND,
      300 * SECOND,
      -SECOND,
      -3_600 * SECOND,
      DAY,
      -DAY
    )
  },
  { weight: 1, arbitrary: fc.constantFrom(-367 * DAY, 367 * DAY, -366 * DAY, 366 * DAY) }
)
