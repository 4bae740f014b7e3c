// The order of claims by the columns of the tables, with no look at ids: the oldest message, then the lowest job, then the lowest
// step; and of several runs, the next in the order of code points.
import type { JobRow, MessageRow, StepRow } from "../../../domain/ledger/rows.ts"
import type { LedgerShape } from "../../../application/ledger/ledger.ts"
import * as Effect from "effect/Effect"
import { onePlan } from "../ledger-commands.ts"
import { broken, type Law } from "../law.ts"
import { type OneCommand, RUNS } from "../ledger-model.ts"

export interface Tables {
  readonly messages: ReadonlyArray<MessageRow>
  readonly jobs: ReadonlyArray<JobRow>
  readonly steps: ReadonlyArray<StepRow>
}

type ClaimCommand = Extract<OneCommand, { kind: "claim" | "claimAny" }>

/** Where a step stands in the order, by its own columns and its parents'. */
const placeOf = (tables: Tables, step: StepRow): ReadonlyArray<string | number> => {
  const job = tables.jobs.find(({ job_id }) => job_id === step.job_id)
  const message = tables.messages.find(({ message_id }) => message_id === job?.message_id)
  return [message?.created_at ?? "", message?.event_position ?? 0, job?.ordinal ?? 0, step.ordinal]
}

/** The steps in the order in which claims must take them. */
export const inOrder = (tables: Tables): ReadonlyArray<StepRow> =>
  tables.steps
    .map((step) => ({ step, place: placeOf(tables, step) }))
    .sort((left, right) => {
      for (const [index, a] of left.place.entries()) {
        const b = right.place[index] ?? 0
        if (a !== b) return a < b ? -1 : 1
      }
      return 0
    })
    .map(({ step }) => step)

export const byCodePoints = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right))

/** The step that a claim must take: the oldest that waits in its run or job, or in the run whose turn it is. */
export const wantedStep = (tables: Tables, command: ClaimCommand): StepRow | undefined => {
  const waiting = inOrder(tables).filter(({ status }) => status === "PENDING")
  if (command.kind === "claim") {
    return waiting.find(
      ({ job_id, run_id }) => run_id === command.run_id && (command.job_id ?? job_id) === job_id
    )
  }
  const { after_run, prefix = "" } = command
  const runs = waiting
    .map(({ run_id }) => run_id)
    .filter((id) => id.startsWith(prefix))
    .toSorted(byCodePoints)
  const behind = after_run === undefined ? runs : runs.filter((id) => byCodePoints(id, after_run) > 0)
  return waiting.find(({ run_id }) => run_id === (behind[0] ?? runs[0]))
}

const tablesOf = (ledger: LedgerShape, known: ReadonlyArray<JobRow>): Effect.Effect<Tables, unknown> =>
  Effect.gen(function* () {
    const messages = yield* Effect.forEach(RUNS, (run) => ledger.messages(run))
    const steps = (yield* Effect.forEach(RUNS, (run_id) => ledger.steps({ run_id }))).flat()
    const unknown = new Set(steps.map(({ job_id }) => job_id))
    for (const { job_id } of known) unknown.delete(job_id)
    const jobs = yield* Effect.forEach([...unknown], ledger.jobStatus)
    return {
      messages: messages.flat(),
      jobs: [...known, ...jobs.flatMap((status) => status?.job ?? [])],
      steps
    }
  })

export const claimOrderLaw: Law = {
  name: "a claim takes the oldest waiting step of its job, its run, or the run whose turn it is",
  plans: onePlan,
  together: 1,
  jumps: true,
  reopens: false,
  watch: async (real) => {
    let tables = await real.run(tablesOf(real.ledger, []))
    return {
      see: async ([given]) => {
        const { answer, command } = given ?? broken("nothing was given")
        if (command.kind === "claim" || command.kind === "claimAny") {
          const wanted = wantedStep(tables, command)?.step_id
          const got =
            answer.tag === "done" ? (answer["reply"] as { readonly step_id: string }).step_id : answer.tag
          if (got !== (wanted ?? "NoPendingStep") && got !== "ClockFarBehindHead") {
            broken(`a claim was answered ${got}, and the oldest waiting step there is ${wanted ?? "none"}`)
          }
        }
        tables = await real.run(tablesOf(real.ledger, tables.jobs))
      }
    }
  }
}
