// What was acknowledged is there when the ledger is opened again.
import { assertSame } from "../../../domain/foundation/given-when-then.ts"
import { allAnswers } from "../all-answers.ts"
import { anyPlan } from "../ledger-commands.ts"
import { type Law, MOST_TOGETHER } from "../law.ts"

export const persistenceLaw: Law = {
  name: "an acknowledged command is there after the ledger is closed and opened again",
  plans: anyPlan,
  together: MOST_TOGETHER,
  jumps: false,
  reopens: true,
  watch: (real) => ({
    around: async (reopen) => {
      const before = await real.run(allAnswers(real.ledger))
      await reopen()
      assertSame(
        "What is answered after opening again",
        before,
        await real.run(allAnswers(real.ledger)),
        false
      )
    }
  })
}
