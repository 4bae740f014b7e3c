/**
 * What stands behind the gate. While the triggers stand no statement sees a pending event, so these conditions are
 * tried on ledgers whose gate is held open by a dropped trigger, with the pending event's position.
 */
import type { Attack } from "../attack.ts"
import { insertInto, literal, rowAfter, stepIdOf } from "../ledger.ts"
import {
  at,
  head,
  jobs,
  key,
  leaseEnd,
  legal,
  messages,
  nextPosition,
  now,
  otherRun,
  run,
  steps,
  worker,
  type State
} from "../states.ts"

const position = `event_position = ${nextPosition}`

const change = (state: State, step: string, name: string, set: string): Attack => ({
  name: `gate open: ${name}`,
  state,
  sql: `UPDATE cassette_steps SET ${set}, ${position} WHERE step_id = ${literal(step)}`
})

const lease = (owner: unknown, expires: unknown, token: string) =>
  `lease_owner = ${literal(owner)}, lease_expires_at = ${literal(expires)}, fencing_token = ${token}`

const grown = "fencing_token + 1"
const goodLease = lease("w2", leaseEnd, grown)

const transitions: ReadonlyArray<Attack> = [
  change("openByPost", steps.fresh, "PENDING -> COMMITTED", "status = 'COMMITTED'"),
  change("openByPost", steps.committed, "COMMITTED -> LEASED", `status = 'LEASED', ${goodLease}`),
  change("openByPost", steps.committed, "COMMITTED -> PENDING", "status = 'PENDING'"),
  change("openByPost", steps.committed, "COMMITTED -> COMMITTED", "status = 'COMMITTED'"),
  change("openByPost", steps.leased, "LEASED -> LEASED", "status = 'LEASED'"),
  change("openByPost", steps.fresh, "PENDING -> PENDING", "status = 'PENDING'"),
  ...["fresh", "leased", "committed"].map((state) =>
    change("openByPost", steps[state as keyof typeof steps], `${state} -> a fourth state`, "status = 'DONE'")
  ),
  change(
    "openByRenewal",
    steps.leased,
    "LEASED -> LEASED of the step that is renewed",
    `status = 'LEASED', ${lease(worker, at(7200), "fencing_token + 1")}`
  ),
  change(
    "openByRenewal",
    steps.leased,
    "a renewed lease set alone",
    lease(worker, at(7200), "fencing_token + 1")
  ),
  change(
    "openByRenewal",
    steps.leased,
    "the renewed lease's end set alone",
    `lease_expires_at = ${literal(at(7200))}`
  ),
  change("openByRenewal", steps.leased, "LEASED -> COMMITTED, openByRenewal", "status = 'COMMITTED'"),
  ...["openByPost", "openByClaim", "openByComplete", "openByRequeue", "openByRenewal"].map((state) =>
    change(
      state as State,
      state === "openByRenewal" ? steps.expired : steps.leased,
      `LEASED -> PENDING, ${state}`,
      "status = 'PENDING', lease_owner = NULL, lease_expires_at = NULL"
    )
  ),
  ...Object.entries(steps).flatMap(([state, step]) => [
    change("openByPost", step, `lease of a step that is ${state} set alone`, goodLease),
    change("openByPost", step, `token of a step that is ${state} set alone`, `fencing_token = ${grown}`),
    change(
      "openByPost",
      step,
      `expiry of a step that is ${state} set alone`,
      `lease_expires_at = ${literal(at(9999))}`
    ),
    change("openByPost", step, `owner of a step that is ${state} set alone`, "lease_owner = 'thief'")
  ])
]

const claims: ReadonlyArray<Attack> = [
  ["with token + 2", lease("w2", leaseEnd, "fencing_token + 2")],
  ["with the old token", lease("w2", leaseEnd, "fencing_token")],
  ["without an owner", lease(null, leaseEnd, grown)],
  ["with an empty owner", lease("", leaseEnd, grown)],
  ["without an expiry", lease("w2", null, grown)],
  ["that ends when it begins", lease("w2", now, grown)],
  ["that ends before it begins", lease("w2", at(59), grown)],
  ["with an expiry that is no time", lease("w2", "tomorrow", grown)],
  ["with an expiry on 30 February", lease("w2", "2026-02-30T00:00:00.000Z", grown)],
  ...[
    `step_id = ${literal(steps.fresh.replace(".00001", ".00002"))}, ordinal = 2`,
    `step_id = ${literal(steps.fresh.replace(".00001", ".00003"))}`,
    `job_id = ${literal(jobs.leased)}`,
    "ordinal = 2",
    "payload_json = '{}'",
    `created_at = ${literal(now)}`,
    `run_id = ${literal(otherRun)}`,
    "rowid = 999"
  ].map((set) => [`with ${set}`, `${goodLease}, ${set}`])
]
  .map(([name, set]) => change("openByClaim", steps.fresh, `a claim ${name}`, `status = 'LEASED', ${set}`))
  .concat({
    name: "gate open: a claim at another event's position",
    state: "openByClaim",
    sql: `UPDATE cassette_steps SET status = 'LEASED', ${goodLease}, event_position = ${head.size} WHERE step_id = ${literal(steps.fresh)}`
  })

const receipt = {
  receipt_id: `rcpt_${steps.leased.slice(5)}`,
  step_id: steps.leased,
  job_id: jobs.leased,
  worker_id: worker,
  fencing_token: 1,
  outcome: "SUCCESS",
  receipt_json: "{}",
  created_at: now,
  event_position: nextPosition
}

const receiptOf = (step_id: string) => ({
  ...receipt,
  receipt_id: `rcpt_${step_id.slice(5)}`,
  step_id,
  job_id: `job_${step_id.slice(5, 40)}`
})

const nowhere = stepIdOf(messages.plain, 1, 9)

const receipts: ReadonlyArray<Attack> = [
  { name: "of no step", row: receiptOf(nowhere) },
  { name: "of another job", row: { ...receipt, job_id: jobs.planned } },
  { name: "of a PENDING step", row: receiptOf(steps.fresh) },
  { name: "of a requeued step", row: receiptOf(steps.requeued) },
  { name: "that is the second", row: receiptOf(steps.committed) },
  { name: "by another worker", row: { ...receipt, worker_id: "w2" } },
  { name: "with another token", row: { ...receipt, fencing_token: 2 } },
  { name: "without a token", row: { ...receipt, fencing_token: null } },
  { name: "after the lease", row: receiptOf(steps.expired) },
  { name: "after the lease, dated before its end", row: { ...receiptOf(steps.expired), created_at: at(20) } },
  { name: "at another event's position", row: { ...receipt, event_position: head.size } },
  { name: "with an unknown outcome", row: { ...receipt, outcome: "MAYBE" } }
].flatMap(({ name, row }) =>
  ["INSERT", "INSERT OR REPLACE"].map((verb) => ({
    name: `gate open: a receipt ${name}, ${verb}`,
    state: "openByComplete" as const,
    sql: insertInto("cassette_receipts", row, verb)
  }))
)

const commit = (name: string, setup: string, set: string): Attack => ({
  ...change("openByComplete", steps.leased, `a commit ${name}`, `status = 'COMMITTED'${set}`),
  setup
})

const commits: ReadonlyArray<Attack> = [
  commit("without a receipt", "", ""),
  ...[
    "lease_owner = 'thief'",
    "lease_owner = NULL",
    `lease_expires_at = ${literal(at(9999))}`,
    "lease_expires_at = NULL",
    "fencing_token = 2"
  ].map((set) => commit(`that also says ${set}`, insertInto("cassette_receipts", receipt), `, ${set}`))
]

// The lease is alive still: that the step is COMMITTED is the only thing against it.
const secondReceipt: Attack = {
  name: "gate open: a receipt in the place of the first, while the lease lasts",
  state: "openByComplete",
  setup: `${insertInto("cassette_receipts", receipt)}; ${commit("", "", "").sql}`,
  sql: insertInto("cassette_receipts", { ...receipt, outcome: "FAILURE" }, "INSERT OR REPLACE")
}

const requeues: ReadonlyArray<Attack> = [
  ["that keeps the owner", "lease_expires_at = NULL"],
  ["that keeps the expiry", "lease_owner = NULL"],
  ["that changes the token", "lease_owner = NULL, lease_expires_at = NULL, fencing_token = 2"],
  ["that takes the token back", "lease_owner = NULL, lease_expires_at = NULL, fencing_token = 0"]
].flatMap(([name, set]) => [
  change("openByRequeue", steps.expired, `a requeue ${name}`, `status = 'PENDING', ${set}`),
  change("openByRenewal", steps.leased, `the first half of a renewal ${name}`, `status = 'PENDING', ${set}`)
])

const waitingAgain = change(
  "openByRenewal",
  steps.leased,
  "the first half of a renewal",
  "status = 'PENDING', lease_owner = NULL, lease_expires_at = NULL"
)

// The step waits again, by the one half of its renewal; the other must be a good lease.
const renewals: ReadonlyArray<Attack> = [
  ["with the old token", lease(worker, at(7200), "fencing_token")],
  ["with token + 2", lease(worker, at(7200), "fencing_token + 2")],
  ["without an owner", lease(null, at(7200), grown)],
  ["without an expiry", lease(worker, null, grown)],
  ["that ends when it begins", lease(worker, now, grown)]
].map(([name, set]) => {
  const half = change(
    "openByRenewal",
    steps.leased,
    `the second half of a renewal ${name}`,
    `status = 'LEASED', ${set}`
  )
  return Object.assign(half, { setup: waitingAgain.sql })
})

const tail = `${String(nextPosition).padStart(13, "0")}_${"a".repeat(16)}`

const message = {
  message_id: `msg_${tail}`,
  run_id: run,
  source: "USER",
  idempotency_key: null as string | null,
  payload_json: "{}",
  created_at: now,
  event_position: nextPosition
}

const job = {
  job_id: `job_${tail}.0001`,
  message_id: `msg_${tail}`,
  intent: "",
  ordinal: 1,
  created_at: now,
  event_position: nextPosition
}

const step = {
  step_id: `step_${tail}.0001.00001`,
  job_id: `job_${tail}.0001`,
  ordinal: 1,
  status: "PENDING",
  lease_owner: null as string | null,
  lease_expires_at: null as string | null,
  fencing_token: 0,
  payload_json: "{}",
  created_at: now,
  run_id: run,
  event_position: nextPosition
}

const rows: ReadonlyArray<Attack> = [
  ["cassette_messages", "of an unknown source", { ...message, source: "ROBOT" }],
  ["cassette_messages", "with an empty key", { ...message, idempotency_key: "" }],
  ["cassette_messages", "with a used key", { ...message, idempotency_key: key }],
  ["cassette_jobs", "without a message", job],
  [
    "cassette_jobs",
    "of an older message",
    { ...job, message_id: messages.last, job_id: `job_${messages.last.slice(4)}.0002`, ordinal: 2 }
  ],
  ["cassette_steps", "without a job", step],
  [
    "cassette_steps",
    "of an older job",
    { ...step, job_id: jobs.leased, step_id: `${steps.leased.slice(0, -1)}2`, ordinal: 2 }
  ]
].map(([table, name, row]) => ({
  name: `gate open: a row of ${String(table)} ${String(name)}`,
  state: "openByPost" as const,
  sql: insertInto(String(table), row as Record<string, unknown>)
}))

// The rows above it are there and CHECKs are off, so that only the trigger can refuse.
const withParents = (
  name: string,
  table: "cassette_jobs" | "cassette_steps",
  row: object,
  inRun: string = run
): Attack => ({
  name: `gate open: ${name}`,
  state: "openByPost",
  setup: [
    insertInto("cassette_messages", { ...message, run_id: inRun }),
    ...(table === "cassette_steps" ? [insertInto("cassette_jobs", job)] : []),
    "PRAGMA ignore_check_constraints = ON"
  ].join(";\n"),
  sql: insertInto(table, { ...row })
})

const born: ReadonlyArray<Attack> = [
  withParents("a job of an older message beside the pending event's own", "cassette_jobs", {
    ...job,
    job_id: `job_${messages.last.slice(4)}.0002`,
    message_id: messages.last,
    ordinal: 2
  }),
  withParents("a job numbered 0", "cassette_jobs", { ...job, ordinal: 0 }),
  withParents("a job numbered 10000", "cassette_jobs", { ...job, ordinal: 10_000 }),
  withParents("a step numbered 0", "cassette_steps", { ...step, ordinal: 0 }),
  withParents("a step numbered 100000", "cassette_steps", { ...step, ordinal: 100_000 }),
  withParents("a step of another run", "cassette_steps", { ...step, run_id: otherRun }),
  withParents("a step of the run of older messages", "cassette_steps", step, otherRun),
  withParents("a step of no job, beside a job of the pending event", "cassette_steps", {
    ...step,
    job_id: `job_${tail}.0002`,
    step_id: `step_${tail}.0002.00001`
  }),
  withParents("a step born LEASED", "cassette_steps", { ...step, status: "LEASED" }),
  withParents("a step born COMMITTED", "cassette_steps", { ...step, status: "COMMITTED" }),
  withParents("a step born with a token", "cassette_steps", { ...step, fencing_token: 1 }),
  withParents("a step born with a token below 0", "cassette_steps", { ...step, fencing_token: -1 }),
  withParents("a step born with an owner", "cassette_steps", { ...step, lease_owner: "w2" }),
  withParents("a step born with an expiry", "cassette_steps", { ...step, lease_expires_at: leaseEnd })
]

const heads: ReadonlyArray<Attack> = [
  ["to an invented hash", `size = ${nextPosition}, hash = ${literal("f".repeat(64))}`],
  ["two events on", `size = ${nextPosition + 1}`],
  // The hash alone does not tell how far the head may go.
  [
    "two events on, with the pending event's hash",
    `size = ${nextPosition + 1}, hash = ${literal(rowAfter(head, legal.post).hash)}`
  ],
  ["back", "size = 0"],
  ["to no hash", `size = ${nextPosition}, hash = NULL`],
  ["to no size", "size = NULL"]
].map(([name, set]) => ({
  name: `gate open: head ${name}`,
  state: "openByPost" as const,
  sql: `UPDATE head SET ${set}`
}))

/** Conditions behind the gate, one fault each. */
export const gateAttacks: ReadonlyArray<Attack> = [
  ...transitions,
  ...claims,
  ...receipts,
  ...commits,
  secondReceipt,
  ...requeues,
  ...renewals,
  ...rows,
  ...born,
  ...heads
]
