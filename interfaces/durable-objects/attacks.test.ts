// The guards in workerd: every prepared state is Node's to the last byte, and attacks on it leave no trace. Some of the suite are
// tried here; property-tests/object-attacks.prop.ts tries them all.
import { expect, it } from "vitest"
import { databaseIn, dump } from "../../migrations/testing/attack.ts"
import { attacks } from "../../migrations/testing/attacks/index.ts"
import { insertEvent, rowAfter } from "../../migrations/testing/ledger.ts"
import { head, legal, type State, states } from "../../migrations/testing/states.ts"
import { attackedIn, endsTransaction, successesOf } from "./testing/attacks.ts"
import { describeInWorkerd } from "./testing/describe-workerd.ts"

/** One attack of so many is tried. */
const STRIDE = 37

describeInWorkerd("in workerd", (running) => {
  it.each(Object.keys(states) as ReadonlyArray<State>)("the state %s is Node's, and keeps", async (state) => {
    const tried = attacks
      .filter((attack) => attack.state === state && !endsTransaction(attack))
      .filter((_, index) => index % STRIDE === 0)
    const { dump: found, outcomes } = await attackedIn(running.workerd(), state, tried)
    const database = databaseIn(state)
    expect(found).toBe(dump(database))
    database.close()
    expect(successesOf(tried, outcomes)).toEqual([])
  })

  it("an honest event is seen as a trace, and taken back", async () => {
    const honest = [
      { name: "a post", state: "ledger", sql: insertEvent(rowAfter(head, legal.post)) }
    ] as const
    for (let n = 0; n < 2; n++) {
      const { outcomes } = await attackedIn(running.workerd(), "ledger", honest)
      expect(successesOf(honest, outcomes)).toEqual(["a post: left a trace"])
    }
  })
})
