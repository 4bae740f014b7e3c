// Which thoughts stand beside an attempt: those of its worker, in the task of the run's name, between claim and end. That is a
// convention of agents and no rule of the ledger, so it is called "during".
import type { Attempt } from "../ledger/attempts.ts"
import type { LedgerEvent } from "../ledger/events.ts"
import { lineOf } from "./gist.ts"
import type { ShownAttempt } from "./shown.ts"

export type ThoughtAt = Extract<LedgerEvent, { readonly type: "ThoughtRecorded" }>

/** Each attempt with the thoughts during it. */
export const withThoughts = (
  attempts: ReadonlyArray<Attempt>,
  thoughts: ReadonlyArray<ThoughtAt>
): ReadonlyArray<ShownAttempt> =>
  attempts.map((attempt) => {
    const { claimed, end, worker_id } = attempt
    const isDuring = ({ data, position }: ThoughtAt) =>
      data.agent_id === worker_id &&
      claimed !== undefined &&
      position > claimed.position &&
      position < (end?.position ?? Number.POSITIVE_INFINITY)
    return {
      ...attempt,
      thoughts: thoughts
        .filter(isDuring)
        .map(({ data: { content, id, type }, position }) => ({ id, position, type, gist: lineOf(content) }))
    }
  })
