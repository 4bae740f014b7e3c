// The newest entries of a timeline. How long a lease was held is told where its claim is among them.
import * as Effect from "effect/Effect"
import { Timeline } from "../../domain/history/timeline.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import { streamsOfRun } from "./streams-of-run.ts"

/** Entries before a position, the newest in front. */
export const newestEntries = Effect.fnUntraced(function* (
  ledger: LedgerShape,
  {
    before = Number.MAX_SAFE_INTEGER,
    limit,
    run_id
  }: { readonly run_id: string | undefined; readonly before?: number | undefined; readonly limit: number }
) {
  const pages = yield* Effect.forEach(streamsOfRun(ledger, run_id), ({ pageBefore }) =>
    pageBefore(before, limit)
  )
  const events = pages
    .flat()
    .sort((left, right) => left.position - right.position)
    .slice(-limit)
  const timeline = new Timeline()
  return events.map((event) => timeline.entry(event)).toReversed()
})
