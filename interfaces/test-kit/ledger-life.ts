// Random lives of a ledger in which a law is tried. A life that breaks the law is told by the moves that were made in it.
import type * as Layer from "effect/Layer"
import * as fc from "fast-check"
import type { Ledger } from "../../application/ledger/ledger.ts"
import { DrivenLedger, START } from "./driven-ledger.ts"
import type { Law, Watch } from "./law.ts"
import { anyJump, type Plan } from "./ledger-commands.ts"
import { LedgerModel } from "./ledger-model.ts"

/** A layer for a ledger of this name: a new ledger for a new name, the same one where it was opened before. */
export type MakeLayer = (name: string) => Layer.Layer<Ledger, unknown>

/** How many lives, from which random start. */
export interface Lives {
  readonly numRuns: number
  readonly seed: number
}

/** Most moves of a life. */
const MOST_MOVES = 40

interface Living {
  readonly real: DrivenLedger
  readonly watch: Watch
  readonly model: LedgerModel
}

/** One move of a life. */
interface Move {
  /** Makes it, and says first what it is. */
  readonly make: (living: Living, tell: (move: string) => void) => Promise<void>
}

/** One command, or several that are given at the same time. */
class Commanding implements Move {
  private readonly plans: ReadonlyArray<Plan>

  constructor(plans: ReadonlyArray<Plan>) {
    this.plans = plans
  }

  async make({ model, real, watch }: Living, tell: (move: string) => void): Promise<void> {
    const planned = this.plans.map((plan) => {
      const command = plan(model)
      return { command, expected: model.apply(command) }
    })
    const commands = planned.map(({ command }) => command)
    tell(JSON.stringify(commands.length === 1 ? commands[0] : commands))
    const answers = await real.perform(commands)
    const given = planned.map((each, index) =>
      Object.assign(each, { answer: answers[index] ?? { tag: "none" } })
    )
    await watch.see?.(given, model)
  }
}

class ClockJump implements Move {
  private readonly millis: number

  constructor(millis: number) {
    this.millis = millis
  }

  make({ model, real }: Living, tell: (move: string) => void): Promise<void> {
    tell(`clock ${this.millis >= 0 ? "+" : ""}${this.millis} ms`)
    model.now += this.millis
    real.clock.set(model.now)
    return Promise.resolve()
  }
}

class Reopening implements Move {
  async make({ real, watch }: Living, tell: (move: string) => void): Promise<void> {
    tell("the ledger is closed and opened again")
    const reopen = async () => {
      await real.close()
      await real.open()
    }
    await (watch.around === undefined ? reopen() : watch.around(reopen))
  }
}

const movesOf = ({ jumps, plans, reopens, together }: Law): fc.Arbitrary<ReadonlyArray<Move>> => {
  const one = plans.map((plan): Move => new Commanding([plan]))
  const several = fc
    .array(plans, { minLength: 1, maxLength: together, size: "max" })
    .map((plans): Move => new Commanding(plans))
  const jump = anyJump.map((millis): Move => new ClockJump(millis))
  const reopening = fc.constant(null).map((): Move => new Reopening())
  const move = fc.oneof(
    { weight: 6, arbitrary: one },
    { weight: together > 1 ? 2 : 0, arbitrary: several },
    { weight: jumps ? 2 : 0, arbitrary: jump },
    { weight: reopens ? 1 : 0, arbitrary: reopening }
  )
  return fc.array(move, { minLength: 1, maxLength: MOST_MOVES, size: "max" })
}

/** Lives of new ledgers, each named by a number that no life before had. */
class Births {
  private readonly makeLayer: MakeLayer
  private readonly name: string
  private born = 0

  constructor(makeLayer: MakeLayer, name: string) {
    this.makeLayer = makeLayer
    this.name = name
  }

  next(): DrivenLedger {
    this.born += 1
    const name = `${this.name}-${this.born}`
    return new DrivenLedger(() => this.makeLayer(name))
  }
}

/** How a law was broken: what was wrong, and the moves of the life in which it was. */
export class Breach extends Error {
  readonly moves: ReadonlyArray<string>

  constructor(error: unknown, moves: ReadonlyArray<string>) {
    super(error instanceof Error ? error.message : String(error), { cause: error })
    this.moves = moves
  }
}

/** Lives through the moves; what breaks the law is thrown as a `Breach`. */
const live = async (law: Law, births: Births, moves: ReadonlyArray<Move>): Promise<void> => {
  const all: Array<DrivenLedger> = []
  const born = async () => {
    const ledger = births.next()
    all.push(ledger)
    await ledger.open()
    return ledger
  }
  const made: Array<string> = []
  try {
    const real = await born()
    const watch = await law.watch(real, born)
    const model = new LedgerModel(START)
    for (const move of moves) await move.make({ real, watch, model }, (shown) => made.push(shown))
    await watch.end?.(model)
  } catch (error) {
    throw new Breach(error, made)
  } finally {
    for (const ledger of all) await ledger.close()
  }
}

/** Tries a law in random lives, and gives the shortest life that breaks it; undefined where it holds. `names` tells the ledgers of several tries apart. */
export const tryLaw = async (
  law: Law,
  makeLayer: MakeLayer,
  lives: Lives,
  names: string = "life"
): Promise<Breach | undefined> => {
  const births = new Births(makeLayer, names)
  const details = await fc.check(
    fc.asyncProperty(movesOf(law), (moves) => live(law, births, moves)),
    lives
  )
  if (!details.failed) return undefined
  const { errorInstance } = details
  return errorInstance instanceof Breach ? errorInstance : new Breach(errorInstance, [])
}
