// A run at a glance: how its work stands, what is held, what failed, and what happened last.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isJsonObject } from "../../domain/canonical/json.ts"
import { parseStoredJson } from "../../domain/canonical/stored-json.ts"
import { IdNotFound } from "../../domain/history/errors.ts"
import { gistOfReceipt } from "../../domain/history/gist.ts"
import {
  COUNTED_EVENTS,
  listed,
  MAX_LISTED,
  NEWEST_EVENTS,
  type ShownRun
} from "../../domain/history/shown.ts"
import type { FailedReceipt } from "../../domain/ledger/lists.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import { newestEntries } from "./newest-entries.ts"
import { placeOf, type ShowWith } from "./show-with.ts"

/** How many failures are listed: each may hold a mebibyte. */
const MOST_FAILURES = 20

const failure = ({ event_position, outcome, receipt_json, step_id, worker_id }: FailedReceipt) => {
  const receipt = Result.getOrUndefined(parseStoredJson(receipt_json))
  const reason = isJsonObject(receipt) ? gistOfReceipt(receipt, false) : ""
  return { step_id, outcome, worker_id, position: event_position, reason }
}

/** The counts of a run; a run without a message, whose tables were changed, has none. */
const workOf = (ledger: LedgerShape, run_id: string) =>
  Effect.map(ledger.runSummary(run_id), (summary) => {
    const {
      committed = 0,
      expired_leases = 0,
      jobs = 0,
      leased = 0,
      messages = 0,
      pending = 0
    } = summary ?? {}
    return { messages, jobs, pending, leased, committed, expired_leases }
  })

export const showRun = Effect.fnUntraced(function* ({ ledger }: ShowWith, run_id: string) {
  const [first] = yield* ledger.eventsAfter({ run_id, limit: 1 })
  if (first === undefined) return yield* new IdNotFound({ id: run_id })
  const events = yield* ledger.runLength(run_id)
  const work = events > COUNTED_EVENTS ? null : yield* workOf(ledger, run_id)
  const [oldest] = yield* ledger.waiting({ run_id, limit: 1 })
  const held = listed(yield* ledger.leases({ run_id, limit: MAX_LISTED + 1 }))
  const failures = yield* ledger.failures({ run_id, limit: MOST_FAILURES + 1 })
  const newest = yield* newestEntries(ledger, { run_id, limit: NEWEST_EVENTS + 1 })
  return {
    kind: "run",
    run_id,
    events,
    work,
    oldest_pending_step: oldest?.step_id ?? null,
    first: placeOf(first),
    newest: listed(newest, NEWEST_EVENTS),
    held: {
      ...held,
      items: held.items.map(({ expired, fencing_token, lease_expires_at, step_id, worker_id }) => ({
        step_id,
        worker_id,
        fencing_token,
        lease_expires_at,
        expired
      }))
    },
    failed: listed(failures.map(failure), MOST_FAILURES)
  } satisfies ShownRun
})
