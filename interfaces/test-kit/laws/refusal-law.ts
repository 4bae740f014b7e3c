// What is accepted makes its events and nothing else: a command that is refused leaves the log and every row as they were.
import * as Effect from "effect/Effect"
import { assertSame } from "../../../domain/foundation/given-when-then.ts"
import type { LedgerShape } from "../../../application/ledger/ledger.ts"
import { anyPlan } from "../ledger-commands.ts"
import { broken, type Law, leaseIn, type One, oneByOne, MOST_TOGETHER } from "../law.ts"
import { RUNS } from "../ledger-model.ts"

/** How many events an answer says that there are more. */
const eventsOf = (one: One): number => {
  if (one.answer.tag !== "done") return 0
  if (one.command.kind !== "post") return 1
  const { created } = one.answer["reply"] as { readonly created: boolean }
  return (created ? 1 : 0) + (leaseIn(one) === undefined ? 0 : 1)
}

const standing = (ledger: LedgerShape) =>
  Effect.gen(function* () {
    const head = yield* ledger.head
    const steps = yield* Effect.forEach(RUNS, (run_id) => ledger.steps({ run_id }))
    return { head, steps: steps.flat() }
  })

export const refusalLaw: Law = {
  name: "a refused command leaves nothing, and an accepted one leaves its events",
  plans: anyPlan,
  together: MOST_TOGETHER,
  jumps: true,
  reopens: false,
  watch: async (real) => {
    let before = await real.run(standing(real.ledger))
    return {
      see: async (given) => {
        const after = await real.run(standing(real.ledger))
        const wanted = oneByOne(given).reduce((sum, one) => sum + eventsOf(one), 0)
        const came = after.head.position - before.head.position
        if (came !== wanted) broken(`the answers tell of ${wanted} events, and the log has ${came} more`)
        if (wanted === 0) assertSame("What stands after refusals", before, after, false)
        before = after
      }
    }
  }
}
