// The thoughts of a task in pages, each with the place of its event.
import * as Effect from "effect/Effect"
import { isTimestamp } from "../../domain/canonical/timestamp.ts"
import { beginningOf } from "../../domain/history/bodies.ts"
import type { ThoughtItem } from "../../domain/inspection/answers.ts"
import type { ThoughtRow } from "../../domain/ledger/rows.ts"
import { LedgerReader } from "../ledger/reading/ledger-reader.ts"
import { PAGE_ROWS } from "./run-pages.ts"

/** How much of a thought a list shows (UTF-16 units). */
const LISTED_TEXT = 2_000

const thoughtItemOf = (row: ThoughtRow): ThoughtItem => {
  const text = beginningOf(row.content, LISTED_TEXT)
  return {
    id: row.id,
    type: row.type,
    task_id: row.task_id,
    agent_id: row.agent_id,
    at: isTimestamp(row.created_at) ? row.created_at : row.timestamp,
    position: row.event_position,
    content: { text, is_cut: text !== row.content }
  }
}

/** Thoughts of a task in the order of the log, behind a position. */
export const thoughtsOf = Effect.fnUntraced(function* (taskId: string, after: number | undefined) {
  const rows = yield* (yield* LedgerReader).thoughts({ task_id: taskId, after, limit: PAGE_ROWS })
  return {
    items: rows.map(thoughtItemOf),
    next: rows.length < PAGE_ROWS ? null : (rows.at(-1)?.event_position ?? null)
  }
})
