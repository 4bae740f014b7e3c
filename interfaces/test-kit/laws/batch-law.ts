// A batch is its commands in order: a second ledger is given the same commands one by one, and both must answer and stand the same.
import * as Effect from "effect/Effect"
import { assertSame } from "../../../domain/foundation/given-when-then.ts"
import type { DrivenLedger } from "../driven-ledger.ts"
import { aBatch } from "../ledger-commands.ts"
import type { Law } from "../law.ts"
import { type Answer, RUNS } from "../ledger-model.ts"

const stepsOf = (real: DrivenLedger) =>
  real.run(Effect.forEach(RUNS, (run_id) => real.ledger.stepStates(run_id)))

export const batchLaw: Law = {
  name: "a batch does what its commands do one after the other",
  plans: aBatch,
  together: 1,
  jumps: true,
  reopens: false,
  watch: async (real, another) => {
    const twin = await another()
    return {
      see: async (given) => {
        for (const { answer, command } of given) {
          // A batch that is refused as a whole did nothing.
          if (command.kind !== "batch" || answer.tag !== "done") continue
          twin.clock.set(real.clock.now())
          const answers: Array<Answer> = []
          for (const one of command.commands) answers.push(...(await twin.perform([one])))
          // Alone, a claim that finds nothing tells of the leases too.
          assertSame("What a batch answers", answer["reply"], answers, true)
        }
        assertSame("What stands after batches", await stepsOf(twin), await stepsOf(real), false)
      }
    }
  }
}
