// Payloads and receipts of workflows: what is written is read back, and what no engine wrote is not taken for it.
import { describe, expect, it } from "vitest"
import {
  ABANDONED,
  dismissed,
  readAttemptReceipt,
  readTurnReceipt,
  type TurnReceipt,
  turnReceipt
} from "./receipts.ts"
import {
  attemptPayload,
  clockPayload,
  isExplicit,
  readAttempt,
  readClock,
  readWake,
  type Wake,
  wakePayload
} from "./wakes.ts"

const name = { workflow: "Order", execution: "1" }

const wakes: ReadonlyArray<Wake> = [
  { kind: "execute", ...name, payload: { n: 1 }, parent: undefined },
  { kind: "execute", ...name, payload: null, parent: { workflow: "Day", execution: "2" } },
  { kind: "deferred", name: "gate", exit: { _tag: "Success" } },
  { kind: "interrupt" },
  { kind: "interrupt-unsafe" },
  { kind: "resume" },
  { kind: "child", ...name }
]

const receipts: ReadonlyArray<TurnReceipt> = [
  { turn: "complete", wake: "execute", result: {}, unused: ["charge/1"] },
  { turn: "suspended", wake: "deferred", result: {}, waits: ["gate"], failed: true, seen: 7 },
  { turn: "died", wake: "resume", cause: [] },
  { turn: "merged", wake: "child" },
  { turn: "late", wake: null },
  { turn: "early", wake: "deferred" },
  { turn: "ignored", wake: "child" }
]

describe("payloads", () => {
  it("are read back", () => {
    for (const wake of wakes) expect(readWake(wakePayload(wake))).toEqual(wake)
    const clock = { name: "c", deferred: "DurableClock/c", due: 5 }
    expect(readClock(clockPayload(clock))).toEqual(clock)
    for (const isHeld of [true, false]) {
      const attempt = { name: "charge", attempt: 2, isHeld }
      expect(readAttempt(attemptPayload(attempt))).toEqual(attempt)
    }
  })

  it("of others are not taken for them", () => {
    const others = [
      {},
      { intent: "execute" },
      { intent: "deferred", name: 1, exit: {} },
      { intent: "child" },
      { intent: "x" }
    ]
    for (const payload of others) expect(readWake(payload)).toBeUndefined()
    expect(readClock({ intent: "sleep", name: "c" })).toBeUndefined()
    expect(readAttempt({ intent: "charge" })).toBeUndefined()
  })

  it("say which wake a person asked for", () => {
    expect(wakes.filter(isExplicit).map(({ kind }) => kind)).toEqual([
      "execute",
      "execute",
      "interrupt",
      "interrupt-unsafe",
      "resume"
    ])
  })
})

describe("receipts", () => {
  it("are read back", () => {
    for (const receipt of receipts) expect(readTurnReceipt(turnReceipt(receipt))).toEqual(receipt)
    expect(readAttemptReceipt({ exit: { _tag: "Success" } })).toEqual({ exit: { _tag: "Success" } })
    expect(readAttemptReceipt(ABANDONED.receipt)).toEqual({ abandoned: true })
    expect(dismissed("late", { kind: "resume" })).toEqual({
      outcome: "SUCCESS",
      receipt: { turn: "late", wake: "resume" }
    })
  })

  it("of others are not taken for them", () => {
    for (const receipt of [
      {},
      { turn: "complete" },
      { turn: "suspended" },
      { turn: "died" },
      { turn: "x" }
    ]) {
      expect(readTurnReceipt(receipt)).toBeUndefined()
    }
    expect(readAttemptReceipt({ exit: 1 })).toBeUndefined()
  })
})
