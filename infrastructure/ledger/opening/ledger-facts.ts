// How a ledger's log grows, for those who look after it: short questions to an open connection; nothing is judged here and
// nothing is changed.
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"

/** How many events the log has, and how many of them are of the last day and week. */
export interface LogGrowth {
  readonly events: number
  readonly last_day: number
  readonly last_week: number
  /** When the newest event was recorded; null in an empty log. */
  readonly newest: string | null
}

const recordedAt = (host: SqlHost, position: number): string =>
  host.all<{ recorded_at: string }>("SELECT recorded_at FROM events WHERE position = ?", [position])[0]
    ?.recorded_at ?? ""

/** How many of `size` events were recorded before `time`: they are in order of time, so that halving finds it. */
const countBefore = (host: SqlHost, size: number, time: string): number => {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    if (recordedAt(host, middle + 1) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** The log's size and its growth up to now; `dayAgo` and `weekAgo` are timestamps. */
export const logGrowth = (host: SqlHost, dayAgo: string, weekAgo: string): LogGrowth => {
  const events = host.all<{ size: number }>("SELECT size FROM head")[0]?.size ?? 0
  return {
    events,
    last_day: events - countBefore(host, events, dayAgo),
    last_week: events - countBefore(host, events, weekAgo),
    newest: events === 0 ? null : recordedAt(host, events)
  }
}
