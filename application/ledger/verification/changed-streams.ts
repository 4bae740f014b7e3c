// Which rows belong to the streams that have an event after a trusted position. A narrowed verification folds those
// streams from their beginning and compares their rows alone; what no event after the position can have touched is
// passed over, and a row that claims a later event is never passed over.
import { runOfStream, taskOfStream } from "../../../domain/ledger/event-envelope.ts"
import { type LedgerTable, ledgerTables } from "../../../domain/ledger/rows.ts"
import type { Cell } from "../../../domain/ledger/table-digest.ts"

/** The part of an id that all ids below one message share. */
const stemOf = (id: Cell): string | undefined => /^[a-z]+_([^.]*)/.exec(String(id))?.[1]

export interface ChangedStreams {
  readonly streams: ReadonlyArray<string>
  /** Whether a stored row belongs to one of the streams; `messages` are the keys of their folded messages. */
  readonly rowFilter: (messages: Iterable<Cell>) => (table: LedgerTable, row: ReadonlyArray<Cell>) => boolean
}

/** The streams as what they change. */
export const changedStreams = (since: number, streams: ReadonlyArray<string>): ChangedStreams => {
  const runs = new Set<Cell>(streams.flatMap((stream) => runOfStream(stream) ?? []))
  const tasks = new Set<Cell>(streams.flatMap((stream) => taskOfStream(stream) ?? []))
  return {
    streams,
    rowFilter: (messages) => {
      const stems = new Set(Array.from(messages, stemOf))
      return (table, row) => {
        const columns: ReadonlyArray<string> = ledgerTables[table].columns
        const cell = (column: string): Cell => row[columns.indexOf(column)] ?? null
        return (
          Number(cell("event_position")) > since ||
          runs.has(cell("run_id")) ||
          tasks.has(cell("task_id")) ||
          (table !== "thought_records" && stems.has(stemOf(row[0] ?? null)))
        )
      }
    }
  }
}
