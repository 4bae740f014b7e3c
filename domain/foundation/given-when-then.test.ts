// The helper for examples of deciders fails where an example does not hold, and says where.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { EventDecider } from "./decider.ts"
import { givenEvents, givenState } from "./given-when-then.ts"

interface Moved {
  readonly type: "moved"
  readonly amount: number
}
class TooMuch extends Error {
  readonly _tag = "TooMuch"
  readonly balance: number
  constructor(balance: number) {
    super(`there are only ${balance}`)
    this.balance = balance
  }
}

/** An account that is never overdrawn. */
const account: EventDecider<number, number, Moved, { readonly events: ReadonlyArray<Moved> }, TooMuch> = {
  initialState: () => 0,
  evolve: (balance, { amount }) => balance + amount,
  decide: (amount, balance) => {
    if (balance + amount < 0) return Result.fail(new TooMuch(balance))
    return Result.succeed({ events: amount === 0 ? [] : [moved(amount)] })
  }
}
const moved = (amount: number): Moved => ({ type: "moved", amount })

const given = givenEvents(account)
const text = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return "nothing was thrown"
}

describe("an example that holds", () => {
  it("begins with events, or with a state", () => {
    given(moved(5), moved(-2))
      .when(-3)
      .thenDecides({ events: [moved(-3)] })
    given().when(0).thenDecides({ events: [] })
    given()
      .when(2)
      .thenDecidesPart({ events: [{ amount: 2 }] })
    givenState(account)(3).when(-4).thenRefuses({ _tag: "TooMuch", balance: 3 })
    given(moved(3)).when(-4).thenRefuses({ message: "there are only 3" })
  })

  it("gives outcome and refusal for a further look", () => {
    expect(given().when(1).outcome().events).toHaveLength(1)
    expect(given().when(-1).refusal()).toBeInstanceOf(TooMuch)
  })
})

describe("an example that does not hold", () => {
  it("names every place that differs", () => {
    expect(
      text(() =>
        given()
          .when(2)
          .thenDecides({ events: [moved(3), moved(4)] })
      )
    ).toBe(
      'The outcome is another:\n  events.0.amount: expected 3, got 2\n  events.1: expected {"type":"moved","amount":4}, got nothing'
    )
    expect(text(() => given().when(2).thenDecides({ events: [] }))).toContain("events.0: expected nothing")
    expect(
      text(() =>
        given()
          .when(2)
          .thenDecidesPart({ events: [{ amount: 3 }] })
      )
    ).toContain("got 2")
    expect(text(() => given().when(2).thenDecidesPart({ events: [] }))).toContain(
      "events.0: expected nothing"
    )
    expect(text(() => given().when(-1).thenRefuses({ balance: 7 }))).toBe(
      "The refusal is another:\n  balance: expected 7, got 0"
    )
    expect(text(() => given().when(-1).thenRefuses({ message: "no" }))).toContain('got "there are only 0"')
  })

  it("tells a refusal from an outcome", () => {
    expect(text(() => given().when(-1).thenDecides({ events: [] }))).toMatch(/^It was refused: .*"TooMuch"/)
    expect(text(() => given().when(1).thenRefuses({}))).toMatch(/^It was not refused: /)
  })

  it("lists twenty differences at most", () => {
    const many = Array.from({ length: 30 }, (_, n) => moved(n))
    const message = text(() => given().when(0).thenDecides({ events: many }))
    expect(message.split("\n")).toHaveLength(22)
    expect(message).toContain("and 10 more")
  })

  it.each([
    [new Uint8Array([1]), new Uint8Array([2])],
    [1n, 2n],
    [[1], { 0: 1 }],
    [new Uint8Array([1]), { 0: 1 }],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [new Set(["a"]), new Set(["b"])],
    [new Date(1), new Date(2)],
    [{ a: 1 }, { a: 1, b: 2 }],
    [NaN, 0],
    [null, undefined]
  ])("tells %o from %o", (expected, actual) => {
    const echo = givenState<null, unknown, unknown, never>({ decide: (command) => Result.succeed(command) })
    expect(text(() => echo(null).when(actual).thenDecides(expected))).toContain("The outcome is another")
    echo(null).when(expected).thenDecides(expected)
  })
})
