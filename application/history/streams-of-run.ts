// The streams of the log that a run's history is told from: the run itself, and the thoughts of the task of its name. An execution of a
// workflow has three runs: its turns, its activities and its clocks.
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { runsOfExecution } from "../../domain/workflow/execution-view.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import type { ReadPage } from "./merged-events.ts"

/** A stream that is read from its beginning or from its end. */
export interface ReadStream {
  readonly page: ReadPage<InvalidInput | ReadError>
  /** A page before a position, the newest in front. */
  readonly pageBefore: ReadPage<InvalidInput | ReadError>
}

const streamOf = (
  ledger: LedgerShape,
  of: { readonly run_id?: string; readonly task_id?: string }
): ReadStream => ({
  page: (after, limit) => ledger.eventsAfter({ ...of, after, limit }),
  pageBefore: (before, limit) => ledger.eventsBefore({ ...of, before, limit })
})

/** The streams of a run, or the one log of all. */
export const streamsOfRun = (ledger: LedgerShape, run_id: string | undefined): ReadonlyArray<ReadStream> =>
  run_id === undefined
    ? [streamOf(ledger, {})]
    : [
        ...runsOfExecution(run_id).map((run) => streamOf(ledger, { run_id: run })),
        streamOf(ledger, { task_id: run_id })
      ]
