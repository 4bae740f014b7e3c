// The fold of an execution's events: states of steps whichever way they are told, what messages say, how turns end.
import { describe, expect, it } from "vitest"
import type { LedgerEvent } from "../ledger/events.ts"
import { ExecutionJournal } from "./execution-journal.ts"
import { dismissed, turnReceipt } from "./receipts.ts"
import { RunJournal } from "./run-journal.ts"
import { history } from "./testing/history.ts"
import { wakePayload } from "./wakes.ts"

const execute = wakePayload({
  kind: "execute",
  workflow: "Order",
  execution: "1",
  payload: { n: 1 },
  parent: undefined
})
const complete = turnReceipt({ turn: "complete", wake: "execute", result: { _tag: "Complete" } })

const journalOf = (events: ReadonlyArray<LedgerEvent>): ExecutionJournal => {
  const journal = new ExecutionJournal()
  for (const event of events) journal.read(event)
  return journal
}

describe("the steps of a run", () => {
  it("come to the same state when each event is told before it is read", () => {
    const { claim, complete: end, events, post, renew, requeue } = history()
    const step = post({ intent: "work" }, "k")
    claim(step, 1)
    requeue(step, 1)
    claim(step, 2, "w2")
    renew(step, 3, "w2")
    end(step, { done: true }, "SUCCESS", 3)
    const read = new RunJournal()
    for (const event of events) read.read(event)
    for (let told = 0; told <= events.length; told++) {
      const journal = new RunJournal()
      for (const event of events.slice(0, told)) journal.read(event)
      const known = journal.withKey("k")
      if (known !== undefined && told > 1) {
        // Told by hand: the newest state, before its events are read.
        journal.lease(known, 3, "w2", 90_000)
        if (told > 3) journal.complete(known, "SUCCESS", { done: true })
      }
      for (const event of events.slice(told)) journal.read(event)
      expect(journal.withKey("k")?.standing).toEqual(read.withKey("k")?.standing)
    }
  })

  it("read no event twice", () => {
    const { claim, events, post, requeue } = history()
    const step = post({ intent: "work" })
    claim(step)
    requeue(step)
    const journal = new RunJournal()
    for (const event of [...events, ...events]) journal.read(event)
    expect(journal.waiting().map(({ step_id }) => step_id)).toEqual([step])
    expect(journal.position).toBe(events.length + 1)
  })

  it("keep where a lease was claimed while it is renewed", () => {
    const { claim, events, post, renew } = history()
    const step = post({ intent: "work" })
    const { position } = claim(step)
    renew(step, 2)
    const journal = new RunJournal()
    for (const event of events) journal.read(event)
    expect(journal.steps.get(step)?.standing).toEqual({
      _tag: "Leased",
      worker_id: "w1",
      ends: 90_000,
      claimed: position
    })
  })
})

describe("an execution", () => {
  it("knows what it was started with, the first value of a deferred, and who interrupts it", () => {
    const { events, post } = history()
    post(wakePayload({ kind: "deferred", name: "gate", exit: 1 }), "deferred/gate")
    post(execute, "execute")
    post(wakePayload({ kind: "deferred", name: "gate", exit: 2 }))
    post(wakePayload({ kind: "interrupt" }), "interrupt")
    post({ intent: "something else" })
    const journal = journalOf(events)
    expect(journal.start?.payload).toEqual({ n: 1 })
    expect([...journal.deferreds]).toEqual([["gate", 1]])
    expect(journal.interrupted).toBe("safe")
    expect(journal.openSteps()).toHaveLength(5)
    post(wakePayload({ kind: "interrupt-unsafe" }))
    post(wakePayload({ kind: "interrupt" }))
    for (const event of events) journal.read(event)
    expect(journal.interrupted).toBe("unsafe")
  })

  it("keeps its result", () => {
    const { claim, complete: end, events, post } = history()
    const step = post(execute, "execute")
    claim(step)
    end(step, complete)
    const late = post(wakePayload({ kind: "resume" }))
    claim(late)
    end(late, turnReceipt({ turn: "suspended", wake: "resume", result: {}, waits: [], failed: false }))
    const journal = journalOf(events)
    expect(journal.result).toEqual({ _tag: "Complete" })
    expect(journal.openSteps()).toEqual([])
  })

  it("takes no end without a turn for its last turn", () => {
    const { claim, complete: end, events, post } = history()
    const step = post(execute, "execute")
    claim(step)
    end(step, turnReceipt({ turn: "suspended", wake: "execute", result: {}, waits: ["gate"], failed: false }))
    const merged = post(wakePayload({ kind: "resume" }))
    claim(merged)
    end(merged, dismissed("merged", { kind: "resume" }).receipt)
    expect(journalOf(events).last).toMatchObject({ turn: "suspended", waits: ["gate"] })
  })
})
