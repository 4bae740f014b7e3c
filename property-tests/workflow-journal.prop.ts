// The journal of an execution against its state machine, in random lives: messages come, processes take turns, some of them stale,
// turns end in each way, leases end, are renewed and given back. A model of a few lines says after each event how the execution
// stands and what comes next. No wake is lost, no two turns stand, and an end is an end.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { LedgerEvent } from "../domain/ledger/events.ts"
import { ExecutionJournal } from "../domain/workflow/execution-journal.ts"
import { type Dismissal, dismissed, turnReceipt } from "../domain/workflow/receipts.ts"
import { history } from "../domain/workflow/testing/history.ts"
import { executionStatus, isHeldElsewhere, nextTurn } from "../domain/workflow/turn-decision.ts"
import { isExplicit, type Wake, wakePayload } from "../domain/workflow/wakes.ts"
import { propParameters } from "./support/configuration.ts"

const LEASE_MILLIS = 60_000

type Ending = "complete" | "died" | "failed" | "suspended"

/** One thing that happens. */
type Move =
  | { readonly kind: "clock"; readonly millis: number }
  | { readonly kind: "end"; readonly how: Ending }
  | { readonly kind: "giveBack" }
  | { readonly kind: "post"; readonly wake: Wake }
  | { readonly kind: "renew" }
  /** A process claims the n-th step that waits without having looked whether another turn runs. */
  | { readonly kind: "stale"; readonly which: number }
  | { readonly kind: "take" }

const wake: fc.Arbitrary<Wake> = fc.oneof(
  fc.constant<Wake>({ kind: "execute", workflow: "W", execution: "1", payload: { n: 1 }, parent: undefined }),
  fc
    .record({ name: fc.constantFrom("a", "b"), exit: fc.nat({ max: 3 }) })
    .map(({ exit, name }): Wake => ({ kind: "deferred", name, exit })),
  fc.constantFrom<Wake>({ kind: "resume" }, { kind: "interrupt" }, { kind: "interrupt-unsafe" }),
  fc.constant<Wake>({ kind: "child", workflow: "W", execution: "2" })
)

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: wake.map((wake): Move => ({ kind: "post", wake })) },
  { weight: 5, arbitrary: fc.constant<Move>({ kind: "take" }) },
  { weight: 1, arbitrary: fc.nat({ max: 3 }).map((which): Move => ({ kind: "stale", which })) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom<Ending>("suspended", "suspended", "suspended", "failed", "failed", "died", "complete")
      .map((how): Move => ({ kind: "end", how }))
  },
  { weight: 1, arbitrary: fc.constantFrom<Move>({ kind: "giveBack" }, { kind: "renew" }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(1_000, 59_000, 61_000).map((millis): Move => ({ kind: "clock", millis }))
  }
)

interface ModelStep {
  readonly id: string
  readonly wake: Wake
  state: "leased" | "open" | "over"
  token: number
  ends: number
  /** The order of claims. */
  claimed: number
}

/** What the state machine says, from the moves alone. */
class Model {
  now = 0
  claims = 0
  started = false
  last: Ending | undefined
  readonly values = new Map<string, number>()
  readonly steps: Array<ModelStep> = []

  open = () => this.steps.filter(({ state }) => state !== "over")
  leased = () => this.steps.filter(({ state }) => state === "leased")
  alive = () => this.leased().filter(({ ends }) => ends > this.now)
  waiting = () => this.steps.filter(({ state }) => state === "open")

  /** The steps that may be the next turn: after a failure those alone that a person asked for. */
  turns = () =>
    this.last === "failed" ? this.waiting().filter(({ wake }) => isExplicit(wake)) : this.waiting()

  status(): string {
    if (this.last === "complete") return "complete"
    if (!this.started) return "early"
    if (this.leased().length > 0) return "running"
    if (this.turns().length > 0) return "ready"
    return this.last ?? "suspended"
  }

  next(): string {
    if (this.leased().length > this.alive().length) return "Expired"
    if (this.alive().length > 0) return "Running"
    if (this.waiting().length === 0) return "Nothing"
    if (this.last === "complete") return "Dismiss late"
    if (!this.started) return "Dismiss early"
    return this.turns().length > 0 ? "Turn" : "Dismiss ignored"
  }
}

/** A life: the model, the events of the moves, and the journal that reads them. */
class Life {
  readonly model = new Model()
  readonly history = history()
  readonly journal = new ExecutionJournal()

  private read(): void {
    for (const event of this.history.events) this.journal.read(event)
  }

  private claim(step: ModelStep): void {
    const { model } = this
    Object.assign(step, { state: "leased", token: step.token + 1, ends: model.now + LEASE_MILLIS })
    step.claimed = model.claims += 1
    this.history.claim(step.id, step.token, `w${step.claimed}`, step.ends)
  }

  private finish(step: ModelStep, receipt: ReturnType<typeof turnReceipt>): void {
    step.state = "over"
    this.history.complete(step.id, receipt, "SUCCESS", step.token)
  }

  private end(step: ModelStep, how: Ending): void {
    const wake = step.wake.kind
    if (how === "complete") this.finish(step, turnReceipt({ turn: "complete", wake, result: step.claimed }))
    else if (how === "died") this.finish(step, turnReceipt({ turn: "died", wake, cause: "broken" }))
    else {
      const failed = how === "failed"
      this.finish(step, turnReceipt({ turn: "suspended", wake, result: {}, waits: [], failed }))
    }
    if (this.model.last !== "complete") this.model.last = how
  }

  private byId(id: string): ModelStep {
    const found = this.model.steps.find((step) => step.id === id)
    if (found === undefined) throw new Error(`the model has no step ${id}`)
    return found
  }

  /** What an engine does with an execution that it looks at. */
  private take(): void {
    const next = nextTurn(this.journal, this.model.now)
    switch (next._tag) {
      case "Expired": {
        const step = this.byId(next.step.step_id)
        step.state = "open"
        return void this.history.requeue(step.id, step.token)
      }
      case "Dismiss":
        for (const { step_id } of next.steps) {
          const step = this.byId(step_id)
          this.claim(step)
          this.finish(step, dismissed(next.as satisfies Dismissal, step.wake).receipt)
        }
        return
      case "Turn":
        return this.claim(this.byId(next.step.step_id))
      default:
    }
  }

  make(move: Move): void {
    const { history, model } = this
    // The ledger takes a completion while its lease runs.
    const [holder] = model.alive().toSorted((a, b) => a.claimed - b.claimed)
    switch (move.kind) {
      case "post": {
        const id = history.post(wakePayload(move.wake))
        model.steps.push({ id, wake: move.wake, state: "open", token: 0, ends: 0, claimed: 0 })
        if (move.wake.kind === "execute") model.started = true
        if (move.wake.kind === "deferred" && !model.values.has(move.wake.name)) {
          model.values.set(move.wake.name, Number(move.wake.exit))
        }
        break
      }
      case "take":
        this.take()
        break
      case "stale": {
        const step = model.waiting()[move.which]
        if (step !== undefined) this.claim(step)
        break
      }
      case "end":
        // A turn of what was never started has no body to end.
        if (holder !== undefined && model.started) this.end(holder, move.how)
        break
      case "giveBack":
        if (holder !== undefined) {
          holder.state = "open"
          history.requeue(holder.id, holder.token)
        }
        break
      case "renew":
        if (holder !== undefined) {
          holder.token += 1
          holder.ends = model.now + LEASE_MILLIS
          history.renew(holder.id, holder.token, `w${holder.claimed}`, holder.ends)
        }
        break
      case "clock":
        model.now += move.millis
    }
    this.read()
  }

  /** The journal says what the model says. */
  check(move: string): void {
    const { journal, model } = this
    expect(executionStatus(journal), move).toBe(model.status())
    const next = nextTurn(journal, model.now)
    expect(`${next._tag}${next._tag === "Dismiss" ? ` ${next.as}` : ""}`, move).toBe(model.next())
    if (next._tag === "Turn") expect(next.step.step_id, move).toBe(model.turns()[0]?.id)
    expect([...journal.deferreds], move).toStrictEqual([...model.values])
    expect(
      journal.openSteps().map(({ step_id }) => step_id),
      move
    ).toStrictEqual(model.open().map(({ id }) => id))
    // Of several turns that were claimed, the earliest claim stands.
    const standing = model.alive().filter(({ id }) => {
      const step = journal.turns.steps.get(id)
      return step !== undefined && !isHeldElsewhere(journal, step, model.now)
    })
    const [earliest] = model.alive().toSorted((a, b) => a.claimed - b.claimed)
    expect(
      standing.map(({ id }) => id),
      move
    ).toStrictEqual(earliest === undefined ? [] : [earliest.id])
  }
}

const readAll = (parts: ReadonlyArray<ReadonlyArray<LedgerEvent>>): ExecutionJournal => {
  const journal = new ExecutionJournal()
  for (const part of parts) for (const event of part) journal.read(event)
  return journal
}

/** How an execution stands, as a value. */
const told = (journal: ExecutionJournal, now: number): string =>
  JSON.stringify([
    executionStatus(journal),
    nextTurn(journal, now),
    journal.result,
    [...journal.deferreds],
    journal.interrupted,
    journal.openSteps()
  ])

describe("the journal of an execution", () => {
  it("is its state machine after each event", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60, size: "max" }), (moves) => {
        const life = new Life()
        let result: unknown
        for (const [index, move] of moves.entries()) {
          life.make(move)
          life.check(`${index}: ${JSON.stringify(move)}`)
          if (result === undefined) result = life.journal.result
          else expect(life.journal.result, "an end stays").toStrictEqual(result)
        }
      }),
      propParameters(5)
    )
  })

  it("loses no wake: engines that take and end turns come to where nothing waits", () => {
    fc.assert(
      fc.property(
        fc.array(move, { maxLength: 40, size: "max" }),
        fc.constantFrom<Ending>("complete", "died", "failed", "suspended"),
        (moves, how) => {
          const life = new Life()
          for (const move of moves) life.make(move)
          const most = 3 * life.model.steps.length + 3
          for (let rounds = 0; life.model.open().length > 0; rounds++) {
            expect(rounds, "each round deals with a step").toBeLessThan(most)
            life.make({ kind: "clock", millis: 61_000 })
            life.make({ kind: "take" })
            life.make({ kind: "end", how })
            life.check(`round ${rounds}`)
          }
          expect(nextTurn(life.journal, life.model.now)._tag).toBe("Nothing")
        }
      ),
      propParameters(5)
    )
  })

  it("is the same however its events are read: all at once, in parts, some twice", () => {
    fc.assert(
      fc.property(
        fc.array(move, { maxLength: 40, size: "max" }),
        fc.nat(),
        fc.nat(),
        (moves, first, second) => {
          const life = new Life()
          for (const move of moves) life.make(move)
          const { events } = life.history
          const whole = told(readAll([events]), life.model.now)
          const cuts = [first, second]
            .map((cut) => (events.length === 0 ? 0 : cut % events.length))
            .toSorted((a, b) => a - b)
          const parts = [events.slice(0, cuts[1]), events.slice(cuts[0])]
          expect(told(readAll(parts), life.model.now)).toBe(whole)
          expect(told(life.journal, life.model.now)).toBe(whole)
        }
      ),
      propParameters(5)
    )
  })
})
