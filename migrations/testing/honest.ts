/**
 * Events that are allowed, one for each thing that a rule lets through: every word of a list, a text that only looks
 * as if it had U+0000, the first thought of a task. A guard that is made stricter refuses one of them. None of them
 * may depend on another.
 */
import { thoughtFact, type Fact } from "./ledger.ts"
import {
  backslashWorker,
  facts,
  leaseEnd,
  legal,
  now,
  steps,
  thoughts,
  traceparent,
  type State
} from "./states.ts"

const but = (fact: Fact, changes: object): Fact => ({
  ...fact,
  data: { ...(fact.data as object), ...changes }
})

const moved = (time: string, millis: number) => new Date(Date.parse(time) + millis).toISOString()
const justBefore = (time: string) => moved(time, -1)
const justAfter = (time: string) => moved(time, 1)

const zeros = "0".repeat(64)
const nul = "\u0000"
const lookalike = backslashWorker

const { next } = thoughts
const elsewhere = { ...next, task_id: "task-9", prev_hash: zeros }
const planned = (payload: object) => ({ jobs: ["a"], steps: [{ job: 1, payload }] })

const first = facts[0] as Fact

// The ends of the alphabet, each beside its neighbour that a wrong range would take, and ids with one digit that is no zero.
const traceparents = [
  ["00", "0".repeat(31) + "1", "1" + "0".repeat(15), "00"],
  ["fe", "0".repeat(31) + "f", "f" + "0".repeat(15), "ff"],
  ["0f", "9" + "0".repeat(31), "0".repeat(15) + "9", "09"],
  ["99", "a" + "0".repeat(31), "0".repeat(15) + "a", "af"]
].map((parts) => parts.join("-"))

/** Each with the state that it can be added to. */
export const honestEvents: ReadonlyArray<readonly [State, Fact]> = [
  ["empty", first],
  ["empty", but(first, { ledger_id: lookalike })],
  [
    "claimedByBackslash",
    but(legal.renew, {
      fencing_token: 3,
      previous_token: 2,
      step_id: steps.requeued,
      worker_id: backslashWorker
    })
  ],
  ...[
    ...Object.values(legal),
    ...["PLANNER", "SYSTEM", "WORKER"].map((source) => but(legal.post, { source })),
    but(legal.post, { payload: { intent: lookalike, text: nul } }),
    but(legal.post, { payload: { intent: { text: nul } } }),
    but(legal.post, { payload: { intent: "read", text: nul } }),
    but(legal.post, { idempotency_key: lookalike }),
    but(legal.postPlanned, { idempotency_key: "k3" }),
    but(legal.postPlanned, { payload: { text: nul }, ...planned({ text: nul }) }),
    but(legal.postPlanned, { ...planned({}), jobs: [lookalike] }),
    but(legal.claimRun, { worker_id: lookalike }),
    ...["SUCCESS", "ABORTED"].map((outcome) => but(legal.complete, { outcome })),
    but(legal.complete, { receipt: { text: nul } }),
    but(legal.requeueForced, { reason: lookalike }),
    // One millisecond before the old lease ends, and after another lease for no longer than a millisecond.
    { ...legal.renew, recorded_at: justBefore(leaseEnd) },
    but(legal.renew, { lease_expires_at: justAfter(now) }),
    ...[legal.post, legal.postPlanned, legal.claimRun, legal.claimJob, legal.complete].flatMap((fact) =>
      traceparents.map((traceparent) => but(fact, { traceparent }))
    ),
    ...[legal.post, legal.postPlanned].map((fact) => but(fact, { idempotency_key: "k3", traceparent })),
    // The same text where it means nothing.
    but(legal.post, { payload: { traceparent: "ff" } }),
    but(legal.complete, { receipt: { traceparent: "ff" } }),
    ...[
      { type: "analysis" },
      { type: "decision" },
      { type: "reflection" },
      { timestamp: "2026-01-01T00:00:00.5+01:00" },
      { timestamp: "2026-01-01T00:00:00-12:30" },
      { content: lookalike },
      elsewhere
    ].map((changes) => thoughtFact({ ...next, ...changes }, now))
  ].map((fact) => ["ledger", fact] as const)
]
