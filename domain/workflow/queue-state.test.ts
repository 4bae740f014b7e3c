// What a queue's run says of its elements: a state that begins with rows and follows events ends as one that follows all events.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { timestampFromMillis } from "../canonical/timestamp.ts"
import type { LedgerEvent } from "../ledger/events.ts"
import { jobIdOf, stepIdOf } from "../ledger/ids.ts"
import { QueueState } from "./queue-state.ts"

const messageOf = (n: number) => `msg_${String(n).padStart(13, "0")}_0123456789abcdef`
const jobOf = (n: number) => jobIdOf(messageOf(n), 1)
const leaseEnd = 1_000_000

/** The events of a queue's run: each number is an element, which goes on to its next standing each time that it comes up. */
const eventsOf = (elements: ReadonlyArray<number>): ReadonlyArray<LedgerEvent> => {
  const standing = new Map<number, number>()
  return elements.map((n, index): LedgerEvent => {
    const position = index + 1
    const place = { position, stream_id: "run:queue/q", recorded_at: timestampFromMillis(position) }
    const step_id = stepIdOf(jobOf(n), 1)
    const lease = { step_id, worker_id: "w", fencing_token: 1 }
    const at = standing.get(n) ?? 0
    standing.set(n, at + 1)
    const lease_expires_at = timestampFromMillis(leaseEnd + position)
    if (at === 0) {
      const payload = n % 2 === 0 ? {} : { due: 100 + n }
      const message = { message_id: messageOf(n), payload, idempotency_key: null, source: "SYSTEM" } as const
      return { ...place, type: "MessagePosted", data: message }
    }
    if (at === 1 || at === 4)
      return { ...place, type: "StepClaimed", data: { ...lease, lease_expires_at, scope: "job" } }
    if (at === 2)
      return { ...place, type: "LeaseRenewed", data: { ...lease, lease_expires_at, previous_token: 1 } }
    if (at === 3) {
      const data = { ...lease, cause: "released", reason: "r", requested_by: "w" } as const
      return { ...place, type: "StepRequeued", data }
    }
    return { ...place, type: "StepCompleted", data: { ...lease, outcome: "SUCCESS", receipt: {} } }
  })
}

/** Histories of up to five elements, none of which goes on after it is complete. */
const history = fc
  .shuffledSubarray(
    [0, 1, 2, 3, 4].flatMap((n) => [n, n, n, n, n, n]),
    { minLength: 0 }
  )
  .map(eventsOf)

const drained = (state: QueueState) => {
  const waiting: Array<string> = []
  for (let job = state.take(leaseEnd); job !== undefined; job = state.take(leaseEnd)) waiting.push(job)
  const leased: Array<string> = []
  for (let end = state.takeEnded(2 * leaseEnd); end !== undefined; end = state.takeEnded(2 * leaseEnd)) {
    leased.push(end.job_id)
  }
  return { waiting, leased, position: state.position }
}

const followed = (state: QueueState, events: ReadonlyArray<LedgerEvent>) => {
  for (const event of events) state.follow(event)
  return state
}

/** A state from the rows of the moment after these events, which says that it was opened at an earlier position. */
const opened = (events: ReadonlyArray<LedgerEvent>, position: number): QueueState => {
  const state = new QueueState(position)
  const last = new Map<string, LedgerEvent>()
  const posted = new Map<string, Extract<LedgerEvent, { readonly type: "MessagePosted" }>>()
  for (const event of events) {
    if (event.type === "MessagePosted") posted.set(jobIdOf(event.data.message_id, 1), event)
    const job = event.type === "MessagePosted" ? jobIdOf(event.data.message_id, 1) : jobOfStep(event)
    last.set(job, event)
  }
  for (const [job, event] of last) {
    const message = posted.get(job)
    if (message === undefined) continue
    if (event.type === "MessagePosted" || event.type === "StepRequeued")
      state.addWaiting(job, message.data.payload, message.recorded_at)
    if (event.type === "StepClaimed" || event.type === "LeaseRenewed")
      state.addLeased(job, event.data.lease_expires_at)
  }
  return state
}

const jobOfStep = (event: LedgerEvent): string =>
  "step_id" in event.data ? event.data.step_id.replace("step_", "job_").slice(0, -6) : ""

describe("the state of a queue", () => {
  it("is the same whether it begins with rows or with the first event", () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.nat(), (events, rows, earlier) => {
        const atRows = rows % (events.length + 1)
        const atHead = earlier % (atRows + 1)
        const state = followed(opened(events.slice(0, atRows), atHead), events.slice(atHead))
        for (const job of state.jobsToLookUp) {
          const message = events.find(
            (event) => event.type === "MessagePosted" && jobIdOf(event.data.message_id, 1) === job
          )
          if (message?.type === "MessagePosted") state.know(job, message.data.payload, message.recorded_at)
        }
        expect(drained(state)).toEqual(drained(followed(new QueueState(0), events)))
      })
    )
  })

  it("does not change by an event that it has read", () => {
    fc.assert(
      fc.property(history, (events) => {
        const once = followed(new QueueState(0), events)
        expect(drained(followed(once, events))).toEqual(drained(followed(new QueueState(0), events)))
      })
    )
  })

  it("gives out what is due, the longest due first, and what was put back", () => {
    const state = followed(new QueueState(0), eventsOf([3, 0, 1]))
    expect(state.nextVisible).toBe(2)
    expect(state.take(1)).toBeUndefined()
    expect(state.take(2)).toBe(jobOf(0))
    expect(state.take(101)).toBe(jobOf(1))
    state.putBack(jobOf(0))
    expect(state.take(200)).toBe(jobOf(0))
    expect(state.take(200)).toBe(jobOf(3))
    expect(state.nextVisible).toBe(Number.POSITIVE_INFINITY)
  })
})
