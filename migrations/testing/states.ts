/**
 * The databases that are attacked, each as the statements that make it from the snapshot: an empty one, a small
 * ledger with a step in every state, and that ledger with the gate held open, which no statement can do while the
 * triggers stand. Everything is fixed: the same statements, ids and hashes in every run and on every host.
 */
import {
  emptyDatabase,
  headOf,
  insertEvent,
  insertInto,
  jobIdOf,
  messageIdAt,
  rowAfter,
  stepIdOf,
  thoughtFact,
  thoughtHash,
  type Fact,
  type Head,
  type Thought
} from "./ledger.ts"

/** The time so many seconds after the first event. */
export const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()

/** The runs of the small ledger. */
export const run = "r1"
export const otherRun = "r2"

const postedAt = (position: number, inRun: string = run) => messageIdAt(position, inRun)

/** The messages of the small ledger. */
export const messages = {
  plain: postedAt(2),
  keyed: postedAt(3),
  planned: postedAt(4),
  elsewhere: postedAt(5, otherRun),
  last: postedAt(6)
}

/** Its steps, each named by its state. Every lease is held by `worker` with token 1. */
export const steps = {
  committed: stepIdOf(messages.plain, 1, 1),
  leased: stepIdOf(messages.keyed, 1, 1),
  expired: stepIdOf(messages.planned, 1, 1),
  requeued: stepIdOf(messages.planned, 1, 2),
  secondJob: stepIdOf(messages.planned, 2, 1),
  elsewhere: stepIdOf(messages.elsewhere, 1, 1),
  fresh: stepIdOf(messages.last, 1, 1)
}

/** The job of each message's first step, and the planned message's second job. */
export const jobs = {
  committed: jobIdOf(messages.plain, 1),
  leased: jobIdOf(messages.keyed, 1),
  planned: jobIdOf(messages.planned, 1)
}

export const worker = "w1"

/** A worker whose name only looks as if it had U+0000: in JSON it has an escaped backslash. */
export const backslashWorker = "\\u0000"

/** The traceparent of the specification's own example. */
export const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
export const key = "k1"

/** When the next event happens, when the live lease ends and would end once it is renewed, and when the expired one ended. */
export const now = at(60)
export const leaseEnd = at(3600)
const leaseRenewedEnd = at(7200)
export const leaseEnded = at(30)

const inRun = (type: string, data: object, recorded_at: string, stream: string = run): Fact => ({
  type,
  stream_id: `run:${stream}`,
  data,
  recorded_at
})

const posted = (message_id: string, seconds: number, more: object = {}, stream: string = run): Fact =>
  inRun(
    "MessagePosted",
    { idempotency_key: null, message_id, payload: { intent: "read", n: 1 }, source: "USER", ...more },
    at(seconds),
    stream
  )

const claimed = (step_id: string, seconds: number, lease_expires_at: string): Fact =>
  inRun(
    "StepClaimed",
    { fencing_token: 1, lease_expires_at, scope: "run", step_id, worker_id: worker },
    at(seconds)
  )

const zeros = "0".repeat(64)

const thought = (id: string, task_id: string, prev_hash: string): Thought => ({
  id,
  type: "plan",
  task_id,
  agent_id: "a1",
  content: "read",
  timestamp: "2026-01-01T00:00:00Z",
  prev_hash
})

/** The thoughts of the small ledger, and the one that comes next: two in one task, one in another. */
export const thoughts = (() => {
  const first = thought("t-1", "task-1", zeros)
  const second = thought("t-2", "task-1", thoughtHash(first))
  const elsewhere = thought("t-3", "task-2", zeros)
  const next = thought("t-4", "task-1", thoughtHash(second))
  return { first, second, elsewhere, next }
})()

/** The events of the small ledger. */
export const facts: ReadonlyArray<Fact> = [
  { type: "LedgerCreated", stream_id: "ledger", data: { ledger_id: "ledger-1" }, recorded_at: at(0) },
  posted(messages.plain, 1),
  posted(messages.keyed, 1, { idempotency_key: key, payload: { intent: 7 }, source: "PLANNER" }),
  posted(messages.planned, 2, {
    jobs: ["first", ""],
    source: "SYSTEM",
    steps: [
      { job: 1, payload: { n: 1 } },
      { job: 1, payload: {} },
      { job: 2, payload: { n: 3 } }
    ]
  }),
  posted(messages.elsewhere, 3, { source: "WORKER" }, otherRun),
  posted(messages.last, 3, { idempotency_key: "k2" }),
  claimed(steps.committed, 10, at(40)),
  inRun(
    "StepCompleted",
    {
      fencing_token: 1,
      outcome: "SUCCESS",
      receipt: { ok: true },
      step_id: steps.committed,
      worker_id: worker
    },
    at(11)
  ),
  claimed(steps.leased, 12, leaseEnd),
  claimed(steps.expired, 13, leaseEnded),
  claimed(steps.requeued, 14, leaseEnd),
  inRun(
    "StepRequeued",
    {
      cause: "released",
      fencing_token: 1,
      reason: "",
      requested_by: worker,
      step_id: steps.requeued,
      worker_id: worker
    },
    at(50)
  ),
  thoughtFact(thoughts.first, at(51)),
  thoughtFact(thoughts.second, at(51)),
  thoughtFact(thoughts.elsewhere, at(51))
]

/** One legal event of each kind that can come next in the small ledger. */
export const legal = (() => {
  const next = facts.length + 1
  const requeue = (cause: string, step_id: string, more: object = {}) =>
    inRun(
      "StepRequeued",
      {
        cause,
        fencing_token: 1,
        reason: "stuck",
        requested_by: "operator",
        step_id,
        worker_id: worker,
        ...more
      },
      now
    )
  const claim = (scope: string, step_id: string, fencing_token: number) =>
    inRun("StepClaimed", { fencing_token, lease_expires_at: leaseEnd, scope, step_id, worker_id: "w2" }, now)
  const traced = (fact: Fact): Fact => ({ ...fact, data: { ...(fact.data as object), traceparent } })
  const untraced = {
    post: { ...posted(postedAt(next), 60), recorded_at: now },
    postKeyed: posted(postedAt(next), 60, { idempotency_key: "k3" }),
    postPlanned: posted(postedAt(next), 60, {
      jobs: ["a", "b"],
      steps: [
        { job: 1, payload: { n: 1 } },
        { job: 2, payload: { n: 2 } },
        { job: 2, payload: { n: 3 } }
      ]
    }),
    claimRun: claim("run", steps.requeued, 2),
    claimJob: claim("job", steps.secondJob, 1),
    complete: inRun(
      "StepCompleted",
      {
        fencing_token: 1,
        outcome: "FAILURE",
        receipt: { ok: false },
        step_id: steps.leased,
        worker_id: worker
      },
      now
    ),
    renew: inRun(
      "LeaseRenewed",
      {
        fencing_token: 2,
        lease_expires_at: leaseRenewedEnd,
        previous_token: 1,
        step_id: steps.leased,
        worker_id: worker
      },
      now
    ),
    requeueExpired: requeue("expired", steps.expired),
    requeueReleased: requeue("released", steps.leased, { requested_by: worker }),
    requeueForced: requeue("forced", steps.leased),
    think: thoughtFact(thoughts.next, now)
  } satisfies Readonly<Record<string, Fact>>
  return {
    ...untraced,
    postTraced: traced(untraced.post),
    postPlannedTraced: traced(untraced.postPlanned),
    claimTraced: traced(untraced.claimRun),
    completeTraced: traced(untraced.complete)
  } satisfies Readonly<Record<string, Fact>>
})()

/** The position of the next event in the small ledger. */
export const nextPosition = facts.length + 1

const migrationsGuard = (() => {
  const database = emptyDatabase()
  const sql = database
    .prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'tr_migrations_append_only_insert'")
    .pluck()
    .get()
  database.close()
  return String(sql)
})()

// What the migration runner does inside its own transaction.
const migrated = [
  "BEGIN",
  "DROP TRIGGER tr_migrations_append_only_insert",
  insertInto("ledger_migrations", { version: 2, name: "0002-ledger", checksum: "0".repeat(64) }),
  migrationsGuard,
  "COMMIT"
]

const events = (() => {
  const database = emptyDatabase()
  const texts: Array<string> = []
  for (const fact of facts) {
    const text = insertEvent(rowAfter(headOf(database), fact))
    database.exec(text)
    texts.push(text)
  }
  const head = headOf(database)
  database.close()
  return { texts, head }
})()

/** The head of the small ledger. */
export const head: Head = events.head
const emptyHead: Head = { size: 0, hash: "0".repeat(64) }

const claimedByBackslash = rowAfter(head, {
  ...legal.claimRun,
  data: { ...(legal.claimRun.data as object), worker_id: backslashWorker }
})

const gateOpenBy = (fact: Fact) => [
  ...migrated,
  ...events.texts,
  "DROP TRIGGER tr_events_apply",
  insertEvent(rowAfter(head, fact))
]

/** The statements that make each state, to be run after the snapshot. */
export const states = {
  empty: [],
  ledger: [...migrated, ...events.texts],
  claimedByBackslash: [...migrated, ...events.texts, insertEvent(claimedByBackslash)],
  openByPost: gateOpenBy(legal.post),
  openByClaim: gateOpenBy(legal.claimRun),
  openByComplete: gateOpenBy(legal.complete),
  openByRequeue: gateOpenBy(legal.requeueExpired),
  openByRenewal: gateOpenBy(legal.renew),
  openByThought: gateOpenBy(legal.think)
} satisfies Readonly<Record<string, ReadonlyArray<string>>>

/** The name of a state. */
export type State = keyof typeof states

/** The head of a state to which events can be added. */
export const headIn = (state: State): Head => {
  if (state === "empty") return emptyHead
  return state === "claimedByBackslash"
    ? { size: head.size + 1, hash: String(claimedByBackslash.hash) }
    : head
}
