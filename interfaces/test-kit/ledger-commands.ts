// Random commands for the model and the ledger. A command that speaks of a step or job picks it by number from
// what the model holds at that moment, so that sequences stay meaningful when fast-check shrinks them.

import * as fc from "fast-check"
import {
  type Command,
  type Jobs,
  type Json,
  type LedgerModel,
  type OneCommand,
  RUNS,
  WORKERS
} from "./ledger-model.ts"

/** A command before it is known which steps and jobs there are. */
export type Plan = (model: LedgerModel) => Command

export type OnePlan = (model: LedgerModel) => OneCommand

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

const ttl = fc.constantFrom(1, 60, 300, 86_400)

/** Mostly the right thing, sometimes another. */
const sometimes = <A>(other: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: other })

const trace = sometimes(
  fc.constantFrom(
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "fe-00000000000000000000000000000001-8000000000000000-ff"
  )
)
const wanted = sometimes(fc.record({ worker_id: worker, ttl_seconds: ttl }))

const fresh = fc
  .record({
    claim: wanted,
    traceparent: trace,
    run,
    source: fc.constantFrom("USER", "PLANNER", "SYSTEM", "WORKER"),
    payload: fc.constantFrom(...payloads),
    jobs: fc.constantFrom(...jobLists)
  })
  .map(({ claim, jobs, payload, run, source, traceparent }): OnePlan => () => ({
    kind: "post",
    claim,
    traceparent,
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

/** A message under one of few keys, mostly one that was used before. */
export const keyedPost = fc
  .record({
    run,
    which: fc.nat({ max: keyedPosts.length - 1 }),
    otherwise,
    claim: wanted,
    traceparent: trace
  })
  .map(({ claim, otherwise, run, traceparent, which }): OnePlan => () => ({
    kind: "post",
    claim,
    traceparent,
    run_id: run,
    idempotency_key: `key ${which}`,
    ...keyedPosts[which]!,
    ...otherwise
  }))

const claim = fc
  .record({ run, worker, ttl, traceparent: trace })
  .map(({ run, traceparent, ttl, worker }): OnePlan => () => ({
    kind: "claim",
    traceparent,
    run_id: run,
    worker_id: worker,
    job_id: undefined,
    ttl_seconds: ttl
  }))

const claimOfJob = fc
  .record({ which: fc.nat(), run: fc.option(run), worker, ttl })
  .map(({ run, ttl, which, worker }): OnePlan => (model) => {
    const job = pick(model.jobs, which)
    return {
      kind: "claim",
      run_id: run ?? job?.run ?? RUNS[0],
      worker_id: worker,
      job_id: job?.id ?? "job_0000000000099_0123456789abcdef.0001",
      ttl_seconds: ttl
    }
  })

const claimAny = fc
  .record({
    worker,
    ttl,
    after: fc.option(fc.constantFrom(...RUNS, "run", "run-a\u{10ffff}", "z"), { nil: undefined }),
    prefix: sometimes(fc.constantFrom("run-", "run-b", "run-ab", "x"))
  })
  .map(({ after, prefix, ttl, worker }): OnePlan => () => ({
    kind: "claimAny",
    worker_id: worker,
    ttl_seconds: ttl,
    after_run: after,
    prefix
  }))

const noStep = {
  run: RUNS[0],
  id: "step_0000000000099_0123456789abcdef.0001.00001",
  owner: WORKERS[0],
  token: 1
}

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

interface Who {
  readonly which: number
  readonly leased: boolean
  readonly run: string | undefined
  readonly worker: string | undefined
  readonly shift: number | undefined
}

const heldBy = (model: LedgerModel, { leased, run, shift, which, worker }: Who) => {
  const step = stepOf(model, which, leased)
  return {
    run_id: run ?? step.run,
    step_id: step.id,
    worker_id: worker ?? step.owner ?? WORKERS[0],
    fencing_token: Math.max(1, step.token + (shift ?? 0))
  }
}

const renew = fc.record({ ...whichStep, ...otherHolder, ttl }).map(({ ttl, ...who }): OnePlan => (model) => ({
  kind: "renew",
  ...heldBy(model, who),
  ttl_seconds: ttl
}))

const complete = fc
  .record({
    ...whichStep,
    ...otherHolder,
    outcome: fc.constantFrom("SUCCESS", "SUCCESS", "SUCCESS", "FAILURE", "ABORTED", "DONE"),
    traceparent: trace
  })
  .map(({ outcome, traceparent, which, ...who }): OnePlan => (model) => {
    return {
      kind: "complete",
      ...heldBy(model, { which, ...who }),
      traceparent,
      outcome,
      receipt_payload: { by: which % 3, ok: true }
    }
  })

const requeue = fc
  .record({ ...whichStep, ...otherHolder, way: fc.constantFrom("expired", "released", "forced") })
  .map(({ leased, run, shift, way, which, worker }): OnePlan => (model) => {
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

/** One command, with the weight of each kind in a normal life. */
export const onePlan: fc.Arbitrary<OnePlan> = fc.oneof(
  { weight: 3, arbitrary: fresh },
  { weight: 2, arbitrary: keyedPost },
  { weight: 4, arbitrary: claim },
  { weight: 2, arbitrary: claimOfJob },
  { weight: 2, arbitrary: claimAny },
  { weight: 5, arbitrary: complete },
  { weight: 3, arbitrary: renew },
  { weight: 4, arbitrary: requeue }
)

/** Each command of a batch is planned on what stood before the batch. */
export const aBatch = fc.array(onePlan, { minLength: 1, maxLength: 5 }).map((plans): Plan => (model) => ({
  kind: "batch",
  commands: plans.map((plan) => plan(model))
}))

/** Any command, and now and then several in one batch. */
export const anyPlan: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 9, arbitrary: onePlan },
  { weight: 1, arbitrary: aBatch }
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
