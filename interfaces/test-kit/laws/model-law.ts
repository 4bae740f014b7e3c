// The model: for all commands, the replies, the steps and the lists are those of a second, much simpler ledger that shares no
// code with the first.
import * as Effect from "effect/Effect"
import { assertSame } from "../../../domain/foundation/given-when-then.ts"
import type { DrivenLedger } from "../driven-ledger.ts"
import { anyPlan } from "../ledger-commands.ts"
import { type Law, MOST_TOGETHER } from "../law.ts"
import { type Command, type LedgerModel, RUNS } from "../ledger-model.ts"

const isoTime = (millis: number) => new Date(millis).toISOString()

const stepsOfModel = (model: LedgerModel, run: string) =>
  model.steps
    .filter((step) => step.run === run)
    .map(({ expires, id, owner, status, token }) => ({
      step_id: id,
      status,
      lease_owner: owner,
      lease_expires_at: owner === null ? null : isoTime(expires),
      fencing_token: token
    }))

/** The lists over all runs, by the model. */
const listsOfModel = (model: LedgerModel) => {
  const inOrder = <Row>(rows: ReadonlyArray<Row>) =>
    rows.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
  return {
    leases: inOrder(
      model.steps
        .filter(({ status }) => status === "LEASED")
        .map(({ expires, id, owner, run, token }) => ({
          lease_expires_at: isoTime(expires),
          step_id: id,
          run_id: run,
          worker_id: owner,
          fencing_token: token,
          expired: expires <= model.now
        }))
    ),
    waiting: inOrder(
      model.steps
        .filter(({ status }) => status === "PENDING")
        .map(({ id, run, token }) => ({ run_id: run, step_id: id, fencing_token: token }))
    )
  }
}

const listsOf = (real: DrivenLedger) =>
  real.run(Effect.all({ leases: real.ledger.leases(), waiting: real.ledger.waiting() }))

/** What a claim alone says of the leases where it found nothing. */
const countsOf = (model: LedgerModel, command: Command): object => {
  if (command.kind === "claim") {
    return model.leaseCounts(({ job, run }) => run === command.run_id && (command.job_id ?? job) === job)
  }
  return command.kind === "claimAny"
    ? model.leaseCounts(({ run }) => run.startsWith(command.prefix ?? ""))
    : {}
}

/** The head, the steps of some runs and the lists are the model's. */
const compare = async (model: LedgerModel, real: DrivenLedger): Promise<void> => {
  assertSame("The head's position", model.position, (await real.run(real.ledger.head)).position, false)
  for (const run_id of RUNS) {
    const steps = await real.run(real.ledger.steps({ run_id }))
    assertSame(`The steps of ${run_id}`, stepsOfModel(model, run_id), steps, true)
  }
  assertSame("The lists", listsOfModel(model), await listsOf(real), true)
}

export const modelLaw: Law = {
  name: "replies, steps and lists are those of the model",
  plans: anyPlan,
  together: MOST_TOGETHER,
  jumps: true,
  reopens: false,
  watch: (real) => ({
    see: async (given, model) => {
      for (const { answer, expected } of given) assertSame("The reply", expected, answer, true)
      const [only] = given
      if (only !== undefined && given.length === 1 && only.answer.tag === "NoPendingStep") {
        assertSame("The refused claim", countsOf(model, only.command), only.answer, true)
      }
      await compare(model, real)
    }
  })
}
