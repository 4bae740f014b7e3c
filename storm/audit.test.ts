/**
 * The audit can fail: an honest history with its answers passes, and each way of doctoring the one or the other is
 * found under its own code.
 */
import { assert, describe, it } from "@effect/vitest"
import { answersIn, type Acknowledged, type Life } from "./acknowledgement.ts"
import { type Audit, audit } from "./audit.ts"
import type { HistoryEvent, HistoryReceipt } from "./history.ts"

interface Story {
  readonly events: Array<HistoryEvent>
  readonly receipts: Array<HistoryReceipt>
  readonly committedSteps: Array<string>
  readonly lives: Array<{ worker: string; answers: Array<Acknowledged> }>
}

const timeOf = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`

/** An event at a second of the minute; its place is given later. */
const event = (
  type: string,
  second: number,
  data: HistoryEvent["data"],
  stream_id = "run:r"
): HistoryEvent => ({
  position: 0,
  type,
  stream_id,
  recorded_at: timeOf(second),
  data
})

const placed = (events: ReadonlyArray<HistoryEvent>): Array<HistoryEvent> =>
  events.map((event, index) => ({ ...event, position: index + 1 }))

const claimed = (second: number, step_id: string, worker_id: string, fencing_token: number, until: number) =>
  event("StepClaimed", second, { step_id, worker_id, fencing_token, lease_expires_at: timeOf(until) })

const renewed = (second: number, step_id: string, worker_id: string, previous_token: number, until: number) =>
  event("LeaseRenewed", second, {
    step_id,
    worker_id,
    previous_token,
    fencing_token: previous_token + 1,
    lease_expires_at: timeOf(until)
  })

/** Two workers: the first is stopped with a step, the second takes it back and finishes it. */
const honest = (): Story => ({
  events: placed([
    event("LedgerCreated", 0, { ledger_id: "l" }, "ledger"),
    event("MessagePosted", 1, { idempotency_key: "k", message_id: "m" }),
    claimed(2, "s", "a", 1, 3),
    event("StepRequeued", 4, {
      step_id: "s",
      worker_id: "a",
      fencing_token: 1,
      cause: "expired",
      requested_by: "b"
    }),
    claimed(5, "s", "b", 2, 9),
    event("StepCompleted", 6, { step_id: "s", worker_id: "b", fencing_token: 2 }),
    event("ThoughtRecorded", 7, { id: "t", hash: "h" }, "task:x")
  ]),
  receipts: [{ receipt_id: "r", step_id: "s", worker_id: "b", fencing_token: 2 }],
  committedSteps: ["s"],
  lives: [
    {
      worker: "a",
      answers: [
        { did: "post", run_id: "r", key: "k", message_id: "m" },
        { did: "claim", step_id: "s", fencing_token: 1 },
        {
          did: "refused",
          command: "complete",
          tag: "StaleFencingToken",
          step_id: "s",
          fencing_token: 1,
          late: true
        }
      ]
    },
    {
      worker: "b",
      answers: [
        { did: "post", run_id: "r", key: "k", message_id: "m" },
        { did: "requeue", step_id: "s", fencing_token: 1 },
        { did: "claim", step_id: "s", fencing_token: 2 },
        { did: "complete", step_id: "s", fencing_token: 2, receipt_id: "r" },
        { did: "refused", command: "repeat", tag: "NotLeased", step_id: "s", fencing_token: 2, late: false },
        { did: "thought", id: "t", hash: "h" }
      ]
    }
  ]
})

const audited = ({ lives, ...history }: Story): Audit => audit(history, lives as ReadonlyArray<Life>)

const codesOf = (story: Story): ReadonlyArray<string> => audited(story).findings.map(({ code }) => code)

/** The event at a position, as something else. */
const altered = (story: Story, position: number, change: Partial<HistoryEvent>): Story => ({
  ...story,
  events: story.events.map((event) => (event.position === position ? { ...event, ...change } : event))
})

const withData = (story: Story, position: number, data: HistoryEvent["data"]): Story =>
  altered(story, position, { data: { ...story.events[position - 1]?.data, ...data } })

const without = (story: Story, position: number): Story => ({
  ...story,
  events: placed(story.events.filter((event) => event.position !== position))
})

const more = (story: Story, ...events: ReadonlyArray<HistoryEvent>): Story => ({
  ...story,
  events: placed([...story.events, ...events])
})

const told = (story: Story, answer: Acknowledged): Story => ({
  ...story,
  lives: [...story.lives, { worker: "c", answers: [answer] }]
})

describe("an honest history", () => {
  it("has no findings, and everything in it is counted", () => {
    const { acknowledged, events, findings, late, refused } = audited(honest())
    assert.deepStrictEqual(findings, [])
    assert.deepStrictEqual(acknowledged, { post: 2, claim: 2, requeue: 1, complete: 1, thought: 1 })
    assert.deepStrictEqual(refused, { "complete StaleFencingToken": 1, "repeat NotLeased": 1 })
    assert.strictEqual(events, 7)
    assert.strictEqual(late, 1)
  })
})

/** The honest story, and then a step that its worker and a twin of the same name renew; the twin finishes it. */
const withRenewals = (): Story => {
  const story = honest()
  return {
    ...story,
    events: placed([
      ...story.events,
      event("MessagePosted", 10, { idempotency_key: "k2", message_id: "msg_2", payload: { claimed: true } }),
      claimed(10, "step_2.0001.00001", "a", 1, 15),
      renewed(12, "step_2.0001.00001", "a", 1, 17),
      renewed(14, "step_2.0001.00001", "a", 2, 19),
      event("StepCompleted", 18, { step_id: "step_2.0001.00001", worker_id: "a", fencing_token: 3 }),
      event("MessagePosted", 20, {
        idempotency_key: "b0",
        message_id: "msg_b0",
        payload: { batch: "b", of: 2 }
      }),
      event("MessagePosted", 20, {
        idempotency_key: "b1",
        message_id: "msg_b1",
        payload: { batch: "b", of: 2 }
      })
    ]),
    receipts: [
      ...story.receipts,
      { receipt_id: "r2", step_id: "step_2.0001.00001", worker_id: "a", fencing_token: 3 }
    ],
    committedSteps: [...story.committedSteps, "step_2.0001.00001"],
    lives: [
      ...story.lives,
      {
        worker: "a",
        answers: [
          { did: "post", run_id: "r", key: "k2", message_id: "msg_2" },
          { did: "claim", step_id: "step_2.0001.00001", fencing_token: 1 },
          { did: "renew", step_id: "step_2.0001.00001", fencing_token: 2, previous_token: 1 },
          {
            did: "refused",
            command: "complete",
            tag: "StaleFencingToken",
            step_id: "step_2.0001.00001",
            fencing_token: 2
          },
          {
            did: "refused",
            command: "renew",
            tag: "StaleFencingToken",
            step_id: "step_2.0001.00001",
            fencing_token: 1
          }
        ]
      },
      {
        worker: "d",
        answers: [
          { did: "renew", step_id: "step_2.0001.00001", fencing_token: 3, previous_token: 2, holder: "a" },
          { did: "complete", step_id: "step_2.0001.00001", fencing_token: 3, receipt_id: "r2", holder: "a" },
          { did: "post", run_id: "r", key: "b0", message_id: "msg_b0" },
          { did: "post", run_id: "r", key: "b1", message_id: "msg_b1" }
        ]
      }
    ]
  }
}

/** Where the renewals of that story stand. */
const [POSTED, CLAIMED, FIRST, SECOND, FINISHED, , LAST] = [8, 9, 10, 11, 12, 13, 14] as const

describe("a history with renewals", () => {
  it("has no findings, and the tokens that were tried too late are counted", () => {
    const { acknowledged, fenced, findings } = audited(withRenewals())
    assert.deepStrictEqual(findings, [])
    assert.deepInclude(acknowledged, { renew: 2, claim: 3, complete: 2 })
    assert.strictEqual(fenced, 2)
  })

  const doctored: Readonly<Record<string, readonly [code: string, doctor: (story: Story) => Story]>> = {
    "a renewal by another worker": [
      "STALE_TOKEN_ACCEPTED",
      (story) => withData(story, FIRST, { worker_id: "b" })
    ],
    "a renewal of the token before": [
      "STALE_TOKEN_ACCEPTED",
      (story) => withData(story, SECOND, { previous_token: 1 })
    ],
    "a renewal of a token to come": [
      "STALE_TOKEN_ACCEPTED",
      (story) => withData(story, FIRST, { previous_token: 2 })
    ],
    "a renewal at the lease's end": [
      "STALE_TOKEN_ACCEPTED",
      (story) => altered(story, FIRST, { recorded_at: timeOf(15) })
    ],
    "a renewal that counts from the first lease's end": [
      "STALE_TOKEN_ACCEPTED",
      (story) =>
        withData(altered(story, SECOND, { recorded_at: timeOf(14) }), FIRST, { lease_expires_at: timeOf(13) })
    ],
    "a renewal of a step that is not leased": ["STALE_TOKEN_ACCEPTED", (story) => without(story, CLAIMED)],
    "a renewal after the end": [
      "STALE_TOKEN_ACCEPTED",
      (story) => more(story, renewed(21, "step_2.0001.00001", "a", 3, 30))
    ],
    "a renewal that gives the same token": [
      "TOKEN_TWICE",
      (story) => withData(story, FIRST, { fencing_token: 1 })
    ],
    "a renewal that leaves a token out": [
      "TOKEN_SKIPPED",
      (story) => withData(story, SECOND, { fencing_token: 4 })
    ],
    "a renewal that ends when it begins": [
      "LEASE_WITHOUT_TIME",
      (story) => withData(story, FIRST, { lease_expires_at: timeOf(12) })
    ],
    "a claim that ends before it begins": [
      "LEASE_WITHOUT_TIME",
      (story) => withData(story, CLAIMED, { lease_expires_at: timeOf(9) })
    ],
    "a completion with the token before a renewal": [
      "STALE_TOKEN_ACCEPTED",
      (story) => withData(story, FINISHED, { fencing_token: 2 })
    ],
    "a claim of a step that is renewed": [
      "STEP_LEASED_TWICE",
      (story) => altered(story, SECOND, { type: "StepClaimed" })
    ],
    "a message without the claim that came with it": ["TORN_COMMIT", (story) => without(story, CLAIMED)],
    "a message whose claim takes another step": [
      "TORN_COMMIT",
      (story) => withData(story, CLAIMED, { step_id: "step_2.0001.00002" })
    ],
    "a message at the end without its claim": [
      "TORN_COMMIT",
      (story) => ({ ...story, events: story.events.slice(0, POSTED) })
    ],
    "a batch with one of its messages": ["TORN_COMMIT", (story) => without(story, LAST)]
  }
  for (const [what, [code, doctor]] of Object.entries(doctored)) {
    it(`is found wrong: ${what}`, () => {
      assert.include(codesOf(doctor(withRenewals())), code)
    })
  }

  it("is found lost: a renewal that is not there, of another token or under another name", () => {
    const renewal = { did: "renew", step_id: "step_2.0001.00001" } as const
    for (const answer of [
      { ...renewal, fencing_token: 4, previous_token: 3, holder: "a" },
      { ...renewal, fencing_token: 3, previous_token: 1, holder: "a" },
      { ...renewal, fencing_token: 3, previous_token: 2 },
      { ...renewal, fencing_token: 3, previous_token: 2, holder: "b" }
    ]) {
      assert.include(codesOf(told(withRenewals(), answer)), "ACKNOWLEDGED_BUT_LOST", JSON.stringify(answer))
    }
  })

  it("is found told twice: a token by two renewals, or by a claim and a renewal", () => {
    const step_id = "step_2.0001.00001"
    for (const answer of [
      { did: "renew", step_id, fencing_token: 3, previous_token: 2, holder: "a" },
      { did: "claim", step_id, fencing_token: 2 }
    ] as const) {
      assert.include(codesOf(told(withRenewals(), answer)), "ACKNOWLEDGED_TWICE")
    }
  })

  it("is found done although a twin was refused", () => {
    const answer = {
      did: "refused",
      command: "complete",
      tag: "StaleFencingToken",
      fencing_token: 3
    } as const
    const story = told(withRenewals(), { ...answer, step_id: "step_2.0001.00001", holder: "a" })
    assert.deepStrictEqual(codesOf(story), ["REFUSED_BUT_DONE"])
  })
})

describe("what was acknowledged", () => {
  const lost: Readonly<Record<string, (story: Story) => Story>> = {
    "a message that is not there": (story) => withData(story, 2, { idempotency_key: null }),
    "a message under another id": (story) => withData(story, 2, { message_id: "other" }),
    "a message of another run": (story) => altered(story, 2, { stream_id: "run:other" }),
    "a thought that is not there": (story) => without(story, 7),
    "a thought with another hash": (story) => withData(story, 7, { hash: "other" }),
    "a claim that is not there": (story) => told(story, { did: "claim", step_id: "s", fencing_token: 3 }),
    "a requeue that is not there": (story) => told(story, { did: "requeue", step_id: "s", fencing_token: 2 }),
    "a requeue by another": (story) => withData(story, 4, { requested_by: "operator" }),
    "a receipt under another id": (story) => ({
      ...story,
      receipts: story.receipts.map((receipt) => ({ ...receipt, receipt_id: "other" }))
    }),
    "a completion that is not there": (story) =>
      told(story, { did: "complete", step_id: "other", fencing_token: 1, receipt_id: "r" })
  }
  for (const [what, doctor] of Object.entries(lost)) {
    it(`is found lost: ${what}`, () => {
      assert.include(codesOf(doctor(honest())), "ACKNOWLEDGED_BUT_LOST")
    })
  }

  it("is found told twice", () => {
    const claim = told(honest(), { did: "claim", step_id: "s", fencing_token: 2 })
    const completion = told(honest(), { did: "complete", step_id: "s", fencing_token: 2, receipt_id: "r" })
    for (const story of [claim, completion]) assert.include(codesOf(story), "ACKNOWLEDGED_TWICE")
  })

  it("is found done although it was refused", () => {
    const story = honest()
    story.lives[1]?.answers.push({
      did: "refused",
      command: "complete",
      tag: "LeaseExpired",
      step_id: "s",
      fencing_token: 2,
      late: true
    })
    assert.deepStrictEqual(codesOf(story), ["REFUSED_BUT_DONE"])
  })

  it("is not found where a wrong clock refused a completion that was tried again", () => {
    const story = honest()
    story.lives[1]?.answers.splice(3, 0, {
      did: "refused",
      command: "complete",
      tag: "ClockFarBehindHead",
      step_id: "s",
      fencing_token: 2,
      late: false
    })
    assert.deepStrictEqual(codesOf(story), [])
  })
})

describe("what was committed", () => {
  const late = (cause: string, second: number) =>
    event("StepRequeued", second, {
      step_id: "s2",
      worker_id: "a",
      fencing_token: 1,
      cause,
      requested_by: "b"
    })

  const doctored: Readonly<Record<string, readonly [code: string, doctor: (story: Story) => Story]>> = {
    "a position that is left out": ["POSITION_GAP", (story) => altered(story, 7, { position: 8 })],
    "a key that made two messages": [
      "KEY_USED_TWICE",
      (story) => more(story, event("MessagePosted", 8, { idempotency_key: "k", message_id: "m2" }))
    ],
    "a token that is given twice": ["TOKEN_TWICE", (story) => withData(story, 5, { fencing_token: 1 })],
    "a token that is left out": ["TOKEN_SKIPPED", (story) => withData(story, 5, { fencing_token: 3 })],
    "a step that is leased twice at once": ["STEP_LEASED_TWICE", (story) => without(story, 4)],
    "a step that is claimed after its end": [
      "STEP_LEASED_TWICE",
      (story) => more(story, claimed(8, "s", "a", 3, 9))
    ],
    "a completion by the worker before": [
      "STALE_TOKEN_ACCEPTED",
      (story) => withData(story, 6, { worker_id: "a" })
    ],
    "a completion with the token before": [
      "STALE_TOKEN_ACCEPTED",
      (story) => withData(story, 6, { fencing_token: 1 })
    ],
    "a completion at the lease's end": [
      "STALE_TOKEN_ACCEPTED",
      (story) => altered(story, 6, { recorded_at: timeOf(9) })
    ],
    "a completion without a lease": ["STALE_TOKEN_ACCEPTED", (story) => without(story, 5)],
    "a lease called expired that stands": [
      "STALE_TOKEN_ACCEPTED",
      (story) => more(story, claimed(8, "s2", "a", 1, 20), late("expired", 19))
    ],
    "a receipt without a completion": [
      "RECEIPT_WITHOUT_COMPLETION",
      (story) => ({ ...story, receipts: story.receipts.map((receipt) => ({ ...receipt, worker_id: "a" })) })
    ],
    "no receipt": ["NOT_ONE_RECEIPT", (story) => ({ ...story, receipts: [] })],
    "two receipts": [
      "NOT_ONE_RECEIPT",
      (story) => ({ ...story, receipts: [...story.receipts, ...story.receipts] })
    ],
    "a completed step that is not COMMITTED": [
      "NOT_ONE_RECEIPT",
      (story) => ({ ...story, committedSteps: [] })
    ],
    "a COMMITTED step that was not completed": [
      "NOT_ONE_RECEIPT",
      (story) => ({ ...story, committedSteps: ["s", "other"] })
    ]
  }
  for (const [what, [code, doctor]] of Object.entries(doctored)) {
    it(`is found wrong: ${what}`, () => {
      assert.include(codesOf(doctor(honest())), code)
    })
  }

  it("may give a standing lease back, and take it by force", () => {
    for (const cause of ["released", "forced"]) {
      assert.deepStrictEqual(codesOf(more(honest(), claimed(8, "s2", "a", 1, 20), late(cause, 19))), [])
    }
  })
})

describe("a log", () => {
  it("that is torn at any byte gives the whole answers before", () => {
    const answers = honest().lives.flatMap((life) => life.answers)
    const lines = answers.map((answer) => `${JSON.stringify(answer)}\n`)
    const text = lines.join("")
    for (let length = 0; length <= text.length; length++) {
      const torn = text.slice(0, length)
      const whole = torn.split("\n").length - 1
      assert.deepStrictEqual(answersIn(torn), answers.slice(0, whole))
    }
  })
})
