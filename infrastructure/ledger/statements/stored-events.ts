// Reading the log: pages that hold so many events and so much text, and every cell as what it is. Anyone who builds upon
// events reads them here and is refused by the first cell that is not what its column promises; verification takes
// such cells as findings and goes on.
import { corrupt } from "../../../application/ledger/commands/head-check.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { cellFindings, isItsBytes, pageLength } from "../../sqlite/checks/stored-cells.ts"
import type { EventsMentioning } from "../../../application/ledger/reading/ledger-reader.ts"
import type { TextRange } from "../../../domain/ledger/run-range.ts"
import type { SqlHost, SqlValue } from "../../sqlite/connection/sql-host.ts"
import { storedEvents } from "./ledger-tables.ts"
import {
  selectEventsAfter,
  selectEventsBefore,
  selectStreamAfter,
  selectStreamBefore,
  selectStreamMentioning,
  selectStreamRangeAfter
} from "./compiled/ledger-statements.ts"
import { endOf } from "./ledger-lookups.ts"

/** Which events: those behind a position, at most `limit`, of one stream, of a range of streams or of all. */
export interface EventsAfter {
  readonly after: number
  readonly limit: number
  readonly stream_id?: string | undefined
  readonly streams?: TextRange | undefined
}

/** The next events as they come from the database; fewer than `limit` when they hold much text, none only at the end. */
export const rawEventPage = (
  host: SqlHost,
  { after, limit, stream_id, streams }: EventsAfter
): ReadonlyArray<EventEnvelope> => {
  const within = (filter: string, parameters: ReadonlyArray<SqlValue>): number => {
    if (limit <= 1) return limit
    const from = `events WHERE ${filter} ORDER BY position LIMIT ?`
    return pageLength(host, ["data"], from, ["position"], [...parameters, limit]).length
  }
  // Most pages of one that follows the log are empty: where nothing is to be read, nothing is asked a second time.
  const page = (length: number, read: (limit: number) => ReadonlyArray<EventEnvelope>) =>
    length === 0 ? [] : read(length)
  if (streams !== undefined) {
    const { from } = streams
    const before = endOf(streams)
    const filter = "position > ? AND +stream_id >= ? AND +stream_id < ?"
    return page(within(filter, [after, from, before]), (limit) =>
      selectStreamRangeAfter.all(host, { after, from, before, limit })
    )
  }
  return stream_id === undefined
    ? page(within("position > ?", [after]), (limit) => selectEventsAfter.all(host, { after, limit }))
    : page(within("stream_id = ? AND position > ?", [stream_id, after]), (limit) =>
        selectStreamAfter.all(host, { after, stream_id, limit })
      )
}

/** True for an event whose cells are all what their columns promise: nearly every one, told without looking twice. */
export const isPlainEvent = (event: EventEnvelope): boolean =>
  Number.isSafeInteger(event.position) &&
  Number.isSafeInteger(event.schema_version) &&
  isItsBytes(event.type) &&
  isItsBytes(event.stream_id) &&
  isItsBytes(event.data) &&
  isItsBytes(event.recorded_at) &&
  isItsBytes(event.prev_hash) &&
  isItsBytes(event.hash)

const honest = (host: SqlHost, events: ReadonlyArray<EventEnvelope>): ReadonlyArray<EventEnvelope> => {
  for (const event of events) {
    if (isPlainEvent(event)) continue
    const [finding] = cellFindings(host, storedEvents, { ...event })
    if (finding !== undefined) throw corrupt(finding)
  }
  return events
}

/** The next events; the first cell that is not what its column promises is thrown as `StoreCorrupt` with its place. */
export const eventPage = (host: SqlHost, range: EventsAfter): ReadonlyArray<EventEnvelope> =>
  honest(host, rawEventPage(host, range))

/** As `eventPage`, against the order of the log, of one stream or of all. */
export const eventPageBefore = (
  host: SqlHost,
  before: number,
  limit: number,
  stream_id?: string
): ReadonlyArray<EventEnvelope> => {
  const filter = stream_id === undefined ? "position < ?" : "stream_id = ? AND position < ?"
  const parameters = stream_id === undefined ? [before, limit] : [stream_id, before, limit]
  const from = `events WHERE ${filter} ORDER BY position DESC LIMIT ?`
  const { length } = pageLength(host, ["data"], from, ["position DESC"], parameters)
  return honest(
    host,
    stream_id === undefined
      ? selectEventsBefore.all(host, { before, limit: length })
      : selectStreamBefore.all(host, { stream_id, before, limit: length })
  )
}

/** The newest events of a stream whose data holds a text. */
export const eventPageMentioning = (
  host: SqlHost,
  { after, before, limit, stream_id, text }: EventsMentioning
): ReadonlyArray<EventEnvelope> => {
  const filter = "stream_id = ? AND position > ? AND position < ? AND instr(data, ?) > 0"
  const from = `events WHERE ${filter} ORDER BY position DESC LIMIT ?`
  const { length } = pageLength(
    host,
    ["data"],
    from,
    ["position DESC"],
    [stream_id, after, before, text, limit]
  )
  return honest(host, selectStreamMentioning.all(host, { stream_id, after, before, text, limit: length }))
}
