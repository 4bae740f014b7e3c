/**
 * Well-formed events that say what the ledger does not allow: a claim out of order, a receipt without a lease, a
 * message under a used key. Each is tried with every conflict word, which is how a simpler projection was broken.
 */
import type { Attack } from "../attack.ts"
import { insertEvent, rowAfter, type Fact } from "../ledger.ts"
import {
  at,
  facts,
  head,
  jobs,
  key,
  leaseEnd,
  leaseEnded,
  legal,
  messages,
  nextPosition,
  now,
  otherRun,
  steps
} from "../states.ts"
import { verbs } from "./tables.ts"

const but = (fact: Fact, changes: object, more: Partial<Fact> = {}): Fact => ({
  ...fact,
  data: { ...(fact.data as object), ...changes },
  ...more
})

const {
  claimJob,
  claimRun,
  complete,
  post,
  postPlanned,
  renew,
  requeueExpired,
  requeueForced,
  requeueReleased
} = legal

const unknownStep = steps.fresh.replace(".00001", ".00009")
const inOtherRun = { stream_id: `run:${otherRun}` }
const id = (tail: string) => `msg_${tail}`
const here = String(nextPosition).padStart(13, "0")

const messageIds = {
  "of an older message": messages.last,
  "of another position": id(`${String(nextPosition + 1).padStart(13, "0")}_${"a".repeat(16)}`),
  "with a short position": id(`${nextPosition}_${"a".repeat(16)}`),
  "with a long position": id(`0${here}_${"a".repeat(16)}`),
  "with a short hash": id(`${here}_${"a".repeat(15)}`),
  "with a long hash": id(`${here}_${"a".repeat(17)}`),
  "in upper case": id(`${here}_${"A".repeat(16)}`),
  "with no hex": id(`${here}_${"z".repeat(16)}`),
  // The neighbours of the digits, and only one of them at the beginning or the end.
  ...Object.fromEntries(
    ["/", ":", "`", "g"].flatMap((char) => [
      [`with "${char}" for its first digit`, id(`${here}_${char}${"a".repeat(15)}`)],
      [`with "${char}" for its last digit`, id(`${here}_${"a".repeat(15)}${char}`)]
    ])
  ),
  "with U+0000 behind it": `${id(`${here}_${"a".repeat(16)}`)}\u0000`,
  "with U+0000 in it": id(`${here}_${"a".repeat(8)}\u0000${"a".repeat(7)}`),
  "with a quote at its end": id(`${here}_${"a".repeat(15)}"`),
  "of another kind": `job_${here}_${"a".repeat(16)}`
}

const step = (job: unknown, payload: unknown = {}) => ({ job, payload })

const lists: Readonly<Record<string, readonly [unknown, unknown]>> = {
  "no jobs": [[], [step(1)]],
  "no steps": [["a"], []],
  neither: [[], []],
  "a job without a step": [["a", "b"], [step(1)]],
  "a first job without a step": [["a", "b"], [step(2)]],
  "a gap": [
    ["a", "b", "c"],
    [step(1), step(3)]
  ],
  "a step back": [
    ["a", "b"],
    [step(1), step(2), step(1), step(2)]
  ],
  "a long step back": [
    ["a", "b", "c"],
    [step(1), step(2), step(3), step(1), step(2), step(3)]
  ],
  "jobs from 0": [
    ["a", "b"],
    [step(0), step(1)]
  ],
  "jobs from 0 to the last": [["a"], [step(0), step(1)]],
  "a job below 0": [["a"], [step(-1), step(0), step(1)]],
  "a job too many": [["a"], [step(1), step(2)]],
  "a job number in a text": [["a"], [step("1")]],
  "a job number with a fraction": [["a"], [step(1.5)]],
  "a job number beyond all integers": [["a"], [step(1e300)]],
  "no job number": [["a"], [{ payload: {} }]],
  "no payload": [["a"], [{ job: 1 }]],
  "a payload in a text": [["a"], [step(1, "{}")]],
  "a list for a payload": [["a"], [step(1, [])]],
  "one key more": [["a"], [{ ...step(1), more: 1 }]],
  "one key more in front": [["a"], [{ a: 1, ...step(1) }]],
  "a step that is a number": [["a"], [1]],
  "a step that is null": [["a"], [null]],
  "a step that is a list": [["a"], [[step(1)]]],
  "a step that is the text of one": [["a"], ['{"job":1,"payload":{}}']],
  "a second step that is null": [["a"], [step(1), null]],
  "a job that is a number": [[1], [step(1)]],
  "a job that is null": [[null], [step(1)]],
  "a job that is an object": [[{ intent: "a" }], [step(1)]],
  "a job with U+0000": [["a\u0000b"], [step(1)]],
  "jobs that are null": [null, null],
  "jobs that are objects": [{ a: "a" }, { a: step(1) }],
  "ten thousand jobs": [
    Array.from({ length: 10_000 }, () => ""),
    Array.from({ length: 10_000 }, (_, n) => step(n + 1))
  ]
}

const posts: ReadonlyArray<readonly [string, Fact]> = [
  ["a message under a used key", but(post, { idempotency_key: key })],
  ["planned work under a used key", but(postPlanned, { idempotency_key: key })],
  ["a message under an empty key", but(post, { idempotency_key: "" })],
  ["a message of an unknown source", but(post, { source: "ROBOT" })],
  ["planned work of an unknown source", but(postPlanned, { source: "user" })],
  ["an intent with U+0000", but(post, { payload: { intent: "a\u0000b" } })],
  ["an intent with U+0000 behind a backslash", but(post, { payload: { intent: "\\\u0000" } })],
  ["steps without jobs", but(post, { steps: [step(1)] })],
  ["jobs without steps", but(post, { jobs: ["a"] })],
  ...Object.entries(messageIds).flatMap(([name, message_id]) => [
    [`a message id ${name}`, but(post, { message_id })] as const,
    [`planned work with a message id ${name}`, but(postPlanned, { message_id })] as const
  ]),
  ...Object.entries(lists).map(
    ([name, [intents, planned]]) =>
      [`planned work with ${name}`, but(postPlanned, { jobs: intents, steps: planned })] as const
  )
]

const claims: ReadonlyArray<readonly [string, Fact]> = [
  ...[-1, 0, 1, 3, 99, 2 ** 53, 1e20, 1e300].map(
    (fencing_token) => [`a claim with token ${fencing_token}`, but(claimRun, { fencing_token })] as const
  ),
  ...Object.entries({ ...steps, unknown: unknownStep, none: "", job: steps.fresh.slice(0, 40) })
    .filter(([, step_id]) => step_id !== steps.requeued)
    .map(
      ([name, step_id]) =>
        [`a claim by run of the step ${name}`, but(claimRun, { step_id, fencing_token: 1 })] as const
    ),
  ...Object.entries({
    committed: steps.committed,
    leased: steps.leased,
    expired: steps.expired,
    elsewhere: steps.elsewhere,
    unknownStep
  }).map(([name, step_id]) => [`a claim by job of the step ${name}`, but(claimJob, { step_id })] as const),
  ["a claim in another run's stream", but(claimRun, {}, inOtherRun)],
  ["a claim of a leased step with its next token", but(claimRun, { step_id: steps.leased })],
  ["a claim by nobody", but(claimRun, { worker_id: "" })],
  ["a claim in no scope", but(claimRun, { scope: "all" })],
  ["a claim in a scope in capitals", but(claimRun, { scope: "RUN" })],
  ...[
    "",
    "tomorrow",
    now,
    at(59),
    at(1),
    "2026-02-30T00:00:00.000Z",
    "2099-01-01",
    "2099-01-01T00:00:00Z",
    "-4712-01-01T00:00:00.000Z"
  ].map(
    (lease_expires_at) => [`a claim until ${lease_expires_at}`, but(claimRun, { lease_expires_at })] as const
  )
].filter(([name]) => name !== "a claim with a token beyond all integers") as ReadonlyArray<
  readonly [string, Fact]
>

const completions: ReadonlyArray<readonly [string, Fact]> = [
  ["a receipt by another worker", but(complete, { worker_id: "w2" })],
  ["a receipt by nobody", but(complete, { worker_id: "" })],
  ...[-1, 0, 2].map(
    (fencing_token) => [`a receipt with token ${fencing_token}`, but(complete, { fencing_token })] as const
  ),
  ["a receipt with an unknown outcome", but(complete, { outcome: "MAYBE" })],
  ["a receipt with an outcome in small letters", but(complete, { outcome: "success" })],
  ...Object.entries({ ...steps, unknownStep })
    .filter(([, step_id]) => step_id !== steps.leased)
    .map(([name, step_id]) => [`a receipt of the step ${name}`, but(complete, { step_id })] as const),
  [
    "a receipt at the instant its lease ends",
    but(complete, { step_id: steps.leased }, { recorded_at: at(3600) })
  ],
  ["a receipt after its lease", but(complete, {}, { recorded_at: at(3601) })],
  ["a receipt in another run's stream", but(complete, {}, inOtherRun)],
  ["a second receipt", { ...(facts[7] as Fact), recorded_at: now }]
]

const requeues: ReadonlyArray<readonly [string, Fact]> = [
  ["a requeue of a live lease as expired", but(requeueExpired, { step_id: steps.leased })],
  [
    "a requeue one millisecond early",
    but(
      requeueExpired,
      { step_id: steps.leased },
      { recorded_at: new Date(Date.parse(at(3600)) - 1).toISOString() }
    )
  ],
  ["a release of another worker's lease", but(requeueReleased, { worker_id: "w2", requested_by: "w2" })],
  ["a forced requeue without a reason", but(requeueForced, { reason: "" })],
  ["a requeue that nobody asked for", but(requeueExpired, { requested_by: "" })],
  ["a requeue without a cause", but(requeueExpired, { cause: "" })],
  ["a requeue for another cause", but(requeueExpired, { cause: "bored" })],
  ["a requeue with an old token", but(requeueForced, { fencing_token: 0 })],
  ["a requeue with the next token", but(requeueForced, { fencing_token: 2 })],
  ...Object.entries({ ...steps, unknownStep })
    .filter(([, step_id]) => step_id !== steps.leased && step_id !== steps.expired)
    .map(
      ([name, step_id]) => [`a forced requeue of the step ${name}`, but(requeueForced, { step_id })] as const
    ),
  ["a requeue in another run's stream", but(requeueForced, {}, inOtherRun)]
]

const beforeEnd = new Date(Date.parse(leaseEnd) - 1).toISOString()

const renewals: ReadonlyArray<readonly [string, Fact]> = [
  ["a renewal by another worker", but(renew, { worker_id: "w2" })],
  ["a renewal by nobody", but(renew, { worker_id: "" })],
  ...[-1, 0, 2, 3, 99, 2 ** 53].flatMap((previous_token) => [
    [`a renewal of token ${previous_token}`, but(renew, { previous_token })] as const,
    [
      `a renewal of token ${previous_token} for the one behind it`,
      but(renew, { previous_token, fencing_token: previous_token + 1 })
    ] as const
  ]),
  ...[-1, 0, 1, 3, 99, 2 ** 53, 1e300].map(
    (fencing_token) => [`a renewal for token ${fencing_token}`, but(renew, { fencing_token })] as const
  ),
  ...Object.entries({ ...steps, unknownStep, none: "", job: jobs.leased })
    .filter(([, step_id]) => step_id !== steps.leased)
    .flatMap(([name, step_id]) => [
      [`a renewal of the step ${name}`, but(renew, { step_id })] as const,
      [
        `a renewal of the step ${name} as if it had never been leased`,
        but(renew, { step_id, previous_token: 0, fencing_token: 1 })
      ] as const
    ]),
  ["a renewal at the instant its lease ends", but(renew, {}, { recorded_at: leaseEnd })],
  ["a renewal after its lease", but(renew, {}, { recorded_at: at(3601) })],
  ["a renewal of a lease that ended before", but(renew, { step_id: steps.expired })],
  ["a renewal in another run's stream", but(renew, {}, inOtherRun)],
  ["a renewal in a task's stream", but(renew, {}, { stream_id: "task:task-1" })],
  // Before the old lease's end, and yet over before it begins.
  [
    "a renewal until it begins, just before its lease ends",
    but(renew, { lease_expires_at: beforeEnd }, { recorded_at: beforeEnd })
  ],
  ...[
    "",
    "tomorrow",
    now,
    at(59),
    leaseEnded,
    "2026-02-30T00:00:00.000Z",
    "2099-01-01",
    "2099-01-01T00:00:00Z",
    "-4712-01-01T00:00:00.000Z"
  ].map(
    (lease_expires_at) => [`a renewal until ${lease_expires_at}`, but(renew, { lease_expires_at })] as const
  )
]

// A second lease, and then an event that would be right if it meant that one.
const otherLeases: ReadonlyArray<readonly [string, Fact, Fact]> = [
  [
    "a requeue that names the lease of another step",
    claimRun,
    but(requeueForced, { worker_id: "w2", fencing_token: 2 })
  ],
  [
    "a renewal that names the lease of another step",
    claimRun,
    but(renew, { worker_id: "w2", previous_token: 2 })
  ],
  ["a renewal of a step that is committed before its lease's end", complete, renew],
  ["a renewal of a lease that was given back", requeueReleased, renew],
  ["a renewal of a lease that was taken back by force", requeueForced, renew],
  ["a second renewal of the same token", renew, renew],
  ["a second renewal of the same token for the next", renew, but(renew, { fencing_token: 3 })],
  ["a receipt with the token before a renewal", renew, complete],
  ["a release with the token before a renewal", renew, requeueReleased],
  ["a forced requeue with the token before a renewal", renew, requeueForced],
  [
    "a claim of a step whose lease was renewed",
    renew,
    but(claimRun, { step_id: steps.leased, fencing_token: 3 })
  ],
  [
    "a requeue as expired, at the end of the lease before a renewal",
    renew,
    but(requeueExpired, { step_id: steps.leased, fencing_token: 2 }, { recorded_at: leaseEnd })
  ],
  [
    "a receipt after the end of a shorter lease that a renewal gave",
    but(renew, { lease_expires_at: at(61) }),
    but(complete, { fencing_token: 2 }, { recorded_at: at(61) })
  ],
  ...[complete, requeueForced, renew].map(
    (fact) =>
      [
        `${fact.type} in the stream of the first run, of a step that is leased in another`,
        but(claimRun, { step_id: steps.elsewhere, fencing_token: 1 }, inOtherRun),
        but(fact, { step_id: steps.elsewhere, worker_id: "w2" })
      ] as const
  )
]

const afterLease = ([name, lease, fact]: readonly [string, Fact, Fact]): Attack => {
  const first = rowAfter(head, lease)
  return {
    name,
    state: "ledger",
    setup: insertEvent(first),
    sql: insertEvent(rowAfter({ size: nextPosition, hash: String(first.hash) }, fact))
  }
}

/** All of them, each with every conflict word. */
export const claimAttacks: ReadonlyArray<Attack> = [
  ...[...posts, ...claims, ...completions, ...requeues, ...renewals].flatMap(([name, fact]) =>
    // The one huge event is tried once.
    (name.includes("ten thousand") ? ["INSERT OR REPLACE"] : verbs).map((verb) => ({
      name: `${name}, ${verb}`,
      state: "ledger" as const,
      sql: insertEvent(rowAfter(head, fact), verb)
    }))
  ),
  ...otherLeases.map(afterLease)
]
