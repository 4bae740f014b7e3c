// The whole suite of attacks on the guards, in workerd: none leaves a trace, and all refusals are said. Those that end a transaction
// are tried alone, since the platform ends the object that meets one; what is in it then is looked at by the next call. Nothing is
// drawn; with few PROP_RUNS every tenth is tried again on connections where a pragma takes something away.
import { expect, it } from "vitest"
import { type Attack, databaseIn, dump, refusalsIn } from "../migrations/testing/attack.ts"
import { CHECKS_OFF, MALFORMED_HASH, RECURSIVE_TRIGGERS } from "../migrations/testing/adversary.ts"
import { attacks } from "../migrations/testing/attacks/index.ts"
import { snapshot } from "../migrations/testing/ledger.ts"
import { type State, states } from "../migrations/testing/states.ts"
import {
  attackedIn,
  endsTransaction,
  refusalOf,
  successesOf,
  tracesOf
} from "../interfaces/durable-objects/testing/attacks.ts"
import { describeInWorkerd } from "../interfaces/durable-objects/testing/describe-workerd.ts"
import { propRuns } from "./support/configuration.ts"

/** Everything that is in a database that Node has made, after these statements. */
const dumpAfter = (state: State, setup: string): string => {
  const database = databaseIn(state)
  if (setup !== "") database.exec(setup)
  const everything = dump(database)
  database.close()
  return everything
}

const STRIDE = propRuns < 100 ? 10 : 1

/** The attacks on a state that are tried where a pragma takes something away. */
const weakened = (state: State): ReadonlyArray<Attack> =>
  attacks
    .filter((attack) => attack.state === state && !endsTransaction(attack))
    .filter((_, index) => index % STRIDE === 0)

const hasWord = ({ setup, sql }: Attack): boolean => setup !== undefined && /^\w+ OR \w+/.test(sql)

describeInWorkerd("in workerd", (running) => {
  const said = new Set<string | undefined>()
  const tried = new Set<Attack>()
  const names = Object.keys(states) as ReadonlyArray<State>
  const dumpOf = async (state: State, name: string) =>
    (await attackedIn(running.workerd(), state, [], { name })).dump

  it.each(names)("no attack on %s leaves a trace", async (state) => {
    const some = attacks.filter((attack) => attack.state === state && !endsTransaction(attack))
    const { outcomes } = await attackedIn(running.workerd(), state, some)
    expect(successesOf(some, outcomes)).toEqual([])
    for (const { error } of outcomes) said.add(error ?? undefined)
    for (const attack of some) tried.add(attack)
  })

  it("says all refusals", () => {
    const words = [...said].join("\n")
    expect(refusalsIn(snapshot).filter((message) => !words.includes(message))).toEqual([])
  })

  it.each(names)("no attack on %s that ends a transaction leaves a trace", async (state) => {
    const some = attacks.filter((attack) => attack.state === state && endsTransaction(attack))
    for (const [index, attack] of some.entries()) {
      const { name, setup = "", sql } = attack
      const object = setup === "" ? state : `${state} ${index}`
      const honest = dumpAfter(state, setup)
      await dumpOf(state, object)
      const prepared = setup === "" ? undefined : await refusalOf(running.workerd(), object, setup)
      const refusal = await refusalOf(running.workerd(), object, sql)
      const isHonest = (await dumpOf(state, object)) === honest
      expect({ name, prepared, isRefused: refusal !== undefined, isHonest }).toEqual({
        name,
        prepared: undefined,
        isRefused: true,
        isHonest: true
      })
      tried.add(attack)
    }
  })

  it("no word for conflicts leaves a trace of what stands behind a set-up in one call", async () => {
    const some = attacks.filter(hasWord)
    for (const [index, { name, setup = "", sql, state }] of some.entries()) {
      const object = `${state} at once ${index}`
      await dumpOf(state, object)
      await refusalOf(running.workerd(), object, `${setup};\n${sql}`)
      // The set-up alone may stand, or is taken back with what came after it.
      expect([dumpAfter(state, ""), dumpAfter(state, setup)], name).toContain(await dumpOf(state, object))
    }
    expect(some.length).toBeGreaterThan(100)
  })

  it("tries every attack that Node tries", () => {
    expect(attacks.filter((attack) => !tried.has(attack)).map(({ name }) => name)).toEqual([])
  })

  it.each(names)("with recursive triggers no attack on %s leaves a trace", async (state) => {
    const some = weakened(state)
    const connection = { name: `${state} recursive`, first: [RECURSIVE_TRIGGERS] }
    const { outcomes } = await attackedIn(running.workerd(), state, some, connection)
    expect(successesOf(some, outcomes)).toEqual([])
  })

  it.each(names)("with CHECKs off nothing gets into %s but a malformed hash", async (state) => {
    const some = weakened(state)
    const connection = { name: `${state} unchecked`, first: [CHECKS_OFF] }
    const { outcomes } = await attackedIn(running.workerd(), state, some, connection)
    expect(tracesOf(some, outcomes).filter((name) => !MALFORMED_HASH.test(name))).toEqual([])
  })
})
