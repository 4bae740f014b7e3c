// Which step is the next turn of an execution, and which ones end without a turn.
import { describe, expect, it } from "vitest"
import { ExecutionJournal } from "./execution-journal.ts"
import { turnReceipt } from "./receipts.ts"
import { history } from "./testing/history.ts"
import { executionStatus, isHeldElsewhere, isWokenAgain, nextTurn } from "./turn-decision.ts"
import { type Wake, wakePayload } from "./wakes.ts"

const execute: Wake = { kind: "execute", workflow: "Order", execution: "1", payload: {}, parent: undefined }
const gate: Wake = { kind: "deferred", name: "gate", exit: {} }
const suspended = (failed = false) =>
  turnReceipt({ turn: "suspended", wake: "execute", result: {}, waits: ["gate"], failed })

/** A history with the journal that has read it. */
const execution = () => {
  const log = history()
  const journal = new ExecutionJournal()
  const read = () => {
    for (const event of log.events) journal.read(event)
    return journal
  }
  const wake = (what: Wake) => log.post(wakePayload(what))
  /** A turn that ended so. */
  const turn = (receipt = suspended()) => {
    const step = wake(execute)
    log.claim(step)
    log.complete(step, receipt)
  }
  const decide = (now = 0) => nextTurn(read(), now)
  return { ...log, read, wake, turn, decide }
}

describe("the next turn", () => {
  it("is the oldest step that waits", () => {
    const { decide, wake } = execution()
    expect(decide()).toEqual({ _tag: "Nothing" })
    const first = wake(execute)
    wake(gate)
    expect(decide()).toMatchObject({ _tag: "Turn", step: { step_id: first } })
  })

  it("waits for one that runs, until its lease ends", () => {
    const { claim, decide, read, wake } = execution()
    const step = wake(execute)
    claim(step, 1, "w1", 60_000)
    wake(gate)
    expect(decide(59_999)).toEqual({ _tag: "Running", until: 60_000 })
    expect(executionStatus(read())).toBe("running")
    expect(decide(60_000)).toMatchObject({ _tag: "Expired", step: { step_id: step } })
  })

  it("does not come before the execution was started, nor after it is complete", () => {
    const early = execution()
    early.wake(gate)
    expect(early.decide()).toMatchObject({ _tag: "Dismiss", as: "early", steps: [{}] })
    expect(executionStatus(early.read())).toBe("early")
    const late = execution()
    late.turn(turnReceipt({ turn: "complete", wake: "execute", result: {} }))
    late.wake(gate)
    expect(late.decide()).toMatchObject({ _tag: "Dismiss", as: "late", steps: [{}] })
    expect(executionStatus(late.read())).toBe("complete")
  })

  it("of an execution that stopped at a failure is one that a person asks for", () => {
    const { decide, read, turn, wake } = execution()
    turn(suspended(true))
    expect(executionStatus(read())).toBe("failed")
    wake(gate)
    expect(decide()).toMatchObject({ _tag: "Dismiss", as: "ignored", steps: [{}] })
    const resume = wake({ kind: "resume" })
    expect(decide()).toMatchObject({ _tag: "Turn", step: { step_id: resume } })
    expect(executionStatus(read())).toBe("ready")
  })

  it("is none that the last body had seen", () => {
    const { claim, complete, decide, wake } = execution()
    const step = wake(execute)
    claim(step)
    wake(gate)
    const seen = 4
    const receipt = {
      turn: "suspended",
      wake: "execute",
      result: {},
      waits: [],
      failed: false,
      seen
    } as const
    complete(step, turnReceipt(receipt))
    expect(decide()).toMatchObject({ _tag: "Dismiss", as: "merged", steps: [{}] })
  })

  it("of an execution that died is any", () => {
    const { decide, read, turn, wake } = execution()
    turn(turnReceipt({ turn: "died", wake: "execute", cause: [] }))
    expect(executionStatus(read())).toBe("died")
    const step = wake(gate)
    expect(decide()).toMatchObject({ _tag: "Turn", step: { step_id: step } })
  })
})

describe("of two turns that were claimed", () => {
  it("the earlier claim stands while its lease runs", () => {
    const { claim, read, wake } = execution()
    const [first, second] = [wake(execute), wake(gate)]
    claim(second, 1, "w2", 60_000)
    claim(first, 1, "w1", 60_000)
    const journal = read()
    const [one, two] = journal.openSteps()
    expect(isHeldElsewhere(journal, one!, 0)).toBe(true)
    expect(isHeldElsewhere(journal, two!, 0)).toBe(false)
    expect(isHeldElsewhere(journal, one!, 60_000)).toBe(false)
  })
})

describe("a body that suspended", () => {
  const none = new Set<string>()

  it("runs again when something woke it after it began", () => {
    const { read, turn, wake } = execution()
    turn()
    wake({ kind: "resume" })
    const startedAt = read().turns.position
    const body = { startedAt, failed: false, awaited: none, completed: none }
    expect(isWokenAgain(read(), body)).toBe(false)
    wake(gate)
    expect(isWokenAgain(read(), body)).toBe(true)
  })

  it("is woken by a deferred of its own only where it awaits it", () => {
    const { read, wake } = execution()
    wake(gate)
    const completed = new Set(["gate"])
    const body = { startedAt: 0, failed: false, awaited: none, completed }
    expect(isWokenAgain(read(), body)).toBe(false)
    expect(isWokenAgain(read(), { ...body, awaited: completed })).toBe(true)
  })

  it("and stopped at a failure is woken by a person alone", () => {
    const { read, wake } = execution()
    const body = { startedAt: 0, failed: true, awaited: none, completed: none }
    wake(gate)
    expect(isWokenAgain(read(), body)).toBe(false)
    wake({ kind: "interrupt" })
    expect(isWokenAgain(read(), body)).toBe(true)
  })
})
