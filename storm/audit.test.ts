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
