// Facts of a ledger that nobody needs but anyone who looks after it: the lease that ends first, and how the log grows. Each
// is one short question to an open connection; nothing is judged here and nothing is changed.
import type { SqlHost } from "../sqlite/sql-host.ts"

/** The lease that ends, or has ended, before all others. */
export interface OldestLease {
  readonly run_id: string
  readonly step_id: string
  readonly lease_owner: string
  readonly lease_expires_at: string
}

/** How many events the log has, and how many of them are of the last day and week. */
export interface LogGrowth {
  readonly events: number
  readonly last_day: number
  readonly last_week: number
  /** When the newest event was recorded; null in an empty log. */
  readonly newest: string | null
}

/** The lease that ends first, or undefined when nothing is leased. */
export const oldestLease = (host: SqlHost): OldestLease | undefined =>
  host.all<OldestLease>(
    "SELECT run_id, step_id, lease_owner, lease_expires_at FROM cassette_steps WHERE status = 'LEASED' ORDER BY lease_expires_at, step_id LIMIT 1"
  )[0]

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
