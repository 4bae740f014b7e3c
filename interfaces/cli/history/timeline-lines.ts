// The entries of a timeline as lines: position, time of day, the beginning of the hash, the sentence, and the trace that it was
// recorded in, if there is one. A day begins with its date.
import type { TimelineEntry } from "../../../domain/history/timeline.ts"
import { spanNameOf } from "../../../domain/canonical/traceparent.ts"
import { runOfStream } from "../../../domain/ledger/event-envelope.ts"
import { printable } from "../../shared/terminal-text.ts"

const dayOf = ({ recorded_at }: TimelineEntry): string => recorded_at.slice(0, 10)

/** One entry as one line; `withRun` names the run, or the stream of what belongs to none. */
export const timelineLine = (entry: TimelineEntry, withRun: boolean): string => {
  const { hash, position, recorded_at, sentence, stream_id, traceparent } = entry
  const span = traceparent === null ? undefined : spanNameOf(traceparent)
  const trace = span === undefined ? "" : `  trace ${span.traceId}`
  const run = withRun ? `${runOfStream(stream_id) ?? stream_id}  ` : ""
  return printable(
    `${String(position).padStart(7)}  ${recorded_at.slice(11, 23)}  ${hash.slice(0, 8)}  ${run}${sentence}${trace}`
  )
}

/** A function that gives the lines of the next entry: its own, behind that of a new day. */
export const timelineLines = (withRun: boolean) => {
  let day = ""
  return (entry: TimelineEntry): ReadonlyArray<string> => {
    const line = timelineLine(entry, withRun)
    if (dayOf(entry) === day) return [line]
    day = dayOf(entry)
    return [printable(day), line]
  }
}
