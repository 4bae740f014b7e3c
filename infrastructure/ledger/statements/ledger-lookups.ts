// The look-ups that take more than one statement or a value made for it: the head, the step that a claim takes, ranges of ids.
import { compareCodePoints } from "../../../domain/canonical/py.ts"
import type { ClaimPlace } from "../../../domain/ledger/commands.ts"
import type { WaitingStep } from "../../../domain/ledger/decide.ts"
import type { Head } from "../../../domain/ledger/event-envelope.ts"
import type { TextRange } from "../../../domain/ledger/run-range.ts"
import type { SqlHost, SqlValue } from "../../sqlite/connection/sql-host.ts"
import {
  selectHead,
  selectNextPendingBehind,
  selectNextPendingOfJob,
  selectNextPendingOfRun
} from "./compiled/ledger-statements.ts"

/** What is compared with the end of a range of texts that has none: SQLite puts every blob behind every text. Some hosts bind an empty one as NULL. */
const NO_END = Uint8Array.of(0)

/** The end of a range of texts as it is bound. */
export const endOf = ({ before }: TextRange): SqlValue => before ?? NO_END

/** The head as the chain knows it; a head that is not there is at position 0 and has no hash. */
export const readHead = (host: SqlHost): Head => {
  const row = selectHead.first(host, {})
  return { position: row?.position ?? 0, hash: row?.hash ?? "", recorded_at: row?.recorded_at ?? undefined }
}

/** The ids of everything below a message or job: `from` and `before` enclose exactly the ids with this prefix. */
export const idsBelow = (
  prefix: string,
  parentId: string
): { readonly from: string; readonly before: string } => {
  const stem = `${prefix}_${parentId.slice(parentId.indexOf("_") + 1)}`
  // "/" is the character after ".".
  return { from: `${stem}.`, before: `${stem}/` }
}

/** The next run with a waiting step behind `after_run`, else the first one, among the runs that begin with the prefix. */
const nextPendingOfAny = (host: SqlHost, after_run: string, prefix: string): WaitingStep | undefined => {
  const behind = (run: string) => {
    const step = selectNextPendingBehind.first(host, { after_run: run })
    return step?.run_id.startsWith(prefix) ? step : undefined
  }
  // A run whose id is the prefix itself stands right behind the text before it.
  const first = () =>
    prefix === "" ? behind("") : (selectNextPendingOfRun.first(host, { run_id: prefix }) ?? behind(prefix))
  return compareCodePoints(after_run, prefix) >= 0 ? (behind(after_run) ?? first()) : first()
}

/** The step that a claim takes. */
export const nextPendingStep = (host: SqlHost, place: ClaimPlace): WaitingStep | undefined => {
  if ("after_run" in place) return nextPendingOfAny(host, place.after_run, place.prefix)
  const { job_id, run_id } = place
  return job_id === undefined
    ? selectNextPendingOfRun.first(host, { run_id })
    : selectNextPendingOfJob.first(host, { run_id, job_id, ...idsBelow("step", job_id) })
}
