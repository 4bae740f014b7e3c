/**
 * Events that are allowed, one for each thing that a rule lets through: every word of a list, a text that only looks
 * as if it had U+0000, the first thought of a task. A guard that is made stricter refuses one of them. None of them
 * may depend on another.
 */
import { thoughtFact, type Fact } from "./ledger.ts"
import { facts, legal, now, thoughts, type State } from "./states.ts"

const but = (fact: Fact, changes: object): Fact => ({
  ...fact,
  data: { ...(fact.data as object), ...changes }
})

const zeros = "0".repeat(64)
const nul = "\u0000"
// In JSON this has an escaped backslash before its u0000.
const lookalike = "\\u0000"

const { next } = thoughts
const elsewhere = { ...next, task_id: "task-9", prev_hash: zeros }
const planned = (payload: object) => ({ jobs: ["a"], steps: [{ job: 1, payload }] })

const first = facts[0] as Fact

/** Each with the state that it can be added to. */
export const honestEvents: ReadonlyArray<readonly [State, Fact]> = [
  ["empty", first],
  ["empty", but(first, { ledger_id: lookalike })],
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
