// The check of one task's chain, record by record in the order of the log. It remembers one hash, so a chain of any
// length is checked in the same memory; it judges what it is given and reads nothing.
import type { Sha256 } from "../../canonical/sha256.ts"
import { jcsText } from "../../canonical/jcs.ts"
import { type EventEnvelope, eventHash, taskStream } from "../event-envelope.ts"
import { ZERO_HASH } from "../limits.ts"
import type { ThoughtRow } from "../rows.ts"
import { computeHash } from "./thought-record.ts"

/**
 * `link`: it does not follow the record before it; `hash`: it is not under its own hash; `differs`: its event says
 * otherwise; `missing`: its event is there without it; `extra`: it is there without an event.
 */
export type ThoughtFaultKind = "link" | "hash" | "differs" | "missing" | "extra"

/** What is wrong with a thought or its chain. */
export interface ThoughtFault {
  readonly kind: ThoughtFaultKind
  readonly message: string
}

/** What is wrong with a stored record for itself and behind the record whose hash is `before`. */
export const recordFaults = (
  sha256: Sha256,
  before: string | undefined,
  row: ThoughtRow
): ReadonlyArray<ThoughtFault> => {
  const faults: Array<ThoughtFault> = []
  if (row.prev_hash !== (before ?? ZERO_HASH)) {
    faults.push({
      kind: "link",
      message:
        before === undefined
          ? "prev_hash of the task's first record is not 64 zeros"
          : "prev_hash is not the hash of the task's record before it"
    })
  }
  if (computeHash(sha256, row) !== row.hash) {
    faults.push({ kind: "hash", message: "hash is not the hash of this record's six fields" })
  }
  return faults
}

const dataOf = ({ agent_id, content, hash, id, prev_hash, timestamp, type }: ThoughtRow): string =>
  jcsText({ agent_id, content, hash, id, prev_hash, timestamp, type })

/** How a record and the event at its position differ; without one of the two, that it is not there. */
export const eventFault = (
  sha256: Sha256,
  row: ThoughtRow | undefined,
  event: EventEnvelope | undefined
): ThoughtFault | undefined => {
  if (event === undefined) return { kind: "extra", message: "no event made this record" }
  const { position } = event
  if (row === undefined) return { kind: "missing", message: `event ${position} demands this record` }
  if (event.hash !== eventHash(sha256, event)) {
    return { kind: "differs", message: `event ${position} was changed` }
  }
  const agrees =
    event.type === "ThoughtRecorded" &&
    event.stream_id === taskStream(row.task_id) &&
    event.recorded_at === row.created_at &&
    event.data === dataOf(row)
  return agrees ? undefined : { kind: "differs", message: `event ${position} says otherwise` }
}
