// The log is the truth: its hashes chain, it folds without a fault, and a ledger that is folded from it answers every query as the
// one whose log it is.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assertSame } from "../../../domain/foundation/given-when-then.ts"
import { InvariantViolation } from "../../../domain/foundation/errors.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { sha256 } from "../../../infrastructure/hashing/node-hashing.ts"
import { allAnswers, allEvents } from "../all-answers.ts"
import { anyPlan } from "../ledger-commands.ts"
import { broken, type Law, MOST_TOGETHER } from "../law.ts"
import { MemoryLedger } from "../../../application/ledger/memory/memory-ledger.ts"
import { layerOfMemory } from "../memory-ledger.ts"

/** The ledger that a log folds to. */
const folded = (events: ReadonlyArray<EventEnvelope>): MemoryLedger => {
  const ledger = new MemoryLedger(sha256)
  for (const event of events) {
    const appended = Result.try({
      try: () => ledger.append(event),
      catch: (error) => (error instanceof InvariantViolation ? error : broken(String(error)))
    })
    if (Result.isFailure(appended))
      broken(`event ${event.position} does not follow: ${appended.failure.message}`)
  }
  return ledger
}

export const logLaw: Law = {
  name: "the log is a chain of hashes that folds to what every query answers",
  plans: anyPlan,
  together: MOST_TOGETHER,
  jumps: true,
  reopens: false,
  watch: (real) => ({
    end: async () => {
      const ledger = folded(await real.run(allEvents(real.ledger)))
      const answers = Ledger.use(allAnswers).pipe(Effect.provide(layerOfMemory(ledger, "folded")))
      assertSame("What is answered", await real.run(answers), await real.run(allAnswers(real.ledger)), false)
      const { findings } = await real.run(real.ledger.verifyCassette({ pure: true }))
      assertSame("What verification finds", [], findings, false)
    }
  })
}
