// The whole suite of attacks on the guards, in workerd: none leaves a trace, and all refusals are said. Those that end a transaction
// are tried alone, since the platform ends the object that meets one; what is in it then is looked at by the next call.
import { expect, it } from "vitest"
import { databaseIn, dump, refusalsIn } from "../migrations/testing/attack.ts"
import { attacks } from "../migrations/testing/attacks/index.ts"
import { snapshot } from "../migrations/testing/ledger.ts"
import { type State, states } from "../migrations/testing/states.ts"
import { attackedIn, endsTransaction, successesOf } from "../interfaces/durable-objects/testing/attacks.ts"
import { describeInWorkerd } from "../interfaces/durable-objects/testing/describe-workerd.ts"

describeInWorkerd("in workerd", (running) => {
  const said = new Set<string | null>()
  const names = Object.keys(states) as ReadonlyArray<State>

  it.each(names)("no attack on %s leaves a trace", async (state) => {
    const tried = attacks.filter((attack) => attack.state === state && !endsTransaction(attack))
    const { outcomes } = await attackedIn(running.workerd(), state, tried)
    expect(successesOf(tried, outcomes)).toEqual([])
    for (const { error } of outcomes) said.add(error)
  })

  it("says all refusals", () => {
    const words = [...said].join("\n")
    expect(refusalsIn(snapshot).filter((message) => !words.includes(message))).toEqual([])
  })

  it.each(names)("no attack on %s that ends a transaction leaves a trace", async (state) => {
    const database = databaseIn(state)
    const honest = dump(database)
    database.close()
    const tried = attacks.filter(
      (attack) => attack.state === state && endsTransaction(attack) && attack.setup === undefined
    )
    for (const { name, sql } of tried) {
      const answer = await running
        .workerd()
        .ask<{ readonly error: string | null }>("ATTACKED", state, "plain", sql)
        .catch((error: Error) => ({ error: error.message }))
      const left = await attackedIn(running.workerd(), state, [])
      expect({ name, isRefused: answer.error !== null, isHonest: left.dump === honest }).toEqual({
        name,
        isRefused: true,
        isHonest: true
      })
    }
  })
})
