// What a thought record is, and the one rule by which its hash is made. A record's hash covers six of its fields,
// so that a chain can be checked by anybody who has the records alone; who thought it and when it was stored are
// covered by the hash of its event. The rule never changes (docs/spec/thoughts.md, "Hash").
import * as Schema from "effect/Schema"
import { jcsText } from "../../canonical/jcs.ts"
import type { Sha256 } from "../../canonical/sha256.ts"
import { Identifier, WellFormedText } from "../../canonical/text.ts"
import { isTimestamp } from "../../canonical/timestamp.ts"

/** What a thought may be. */
export const THOUGHT_TYPES = ["plan", "analysis", "decision", "reflection"] as const
/** What kind of thought a record is. */
export const ThoughtType = Schema.Literals(THOUGHT_TYPES)
export type ThoughtType = typeof ThoughtType.Type

const zone = /(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
const fraction = /^(?:\.\d{1,9})?$/

/** True for a date and time of day with seconds and a zone: `2026-04-17T00:00:00Z`, `…T09:30:00.5+02:00`. */
export const isZonedTime = (text: string): boolean => {
  const found = zone.exec(text)
  return (
    found !== null &&
    fraction.test(text.slice(19, found.index)) &&
    found.index >= 19 &&
    isTimestamp(`${text.slice(0, 19)}.000Z`)
  )
}

/** The moment of a thought, kept as it was given: the one time in a ledger that has no fixed form. */
export const ZonedTime = Schema.String.check(
  Schema.makeFilter(isZonedTime, {
    expected: "a date and time with its zone such as 2026-04-17T00:00:00Z",
    toJsonSchema: () => ({ format: "date-time" })
  })
)

/** True for 64 lower-case hex digits. */
export const isHashText = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

const HashText = Schema.String.check(Schema.makeFilter(isHashText, { expected: "64 lower-case hex digits" }))

/** The data of the event that records a thought; its task stands in the stream, `task:<task_id>`. */
export const ThoughtRecorded = Schema.Struct({
  agent_id: Identifier,
  content: WellFormedText,
  hash: HashText,
  id: Identifier,
  prev_hash: HashText,
  timestamp: ZonedTime,
  type: ThoughtType
})

/** A thought as it is stored and shown. */
export interface ThoughtRecord {
  readonly id: string
  readonly type: ThoughtType
  readonly task_id: string
  readonly agent_id: string
  readonly content: string
  readonly timestamp: string
  /** The hash of the task's record before it; 64 zeros for the first. */
  readonly prev_hash: string
  readonly hash: string
}

/** The fields under a record's hash. */
export type HashedFields = Pick<
  ThoughtRecord,
  "id" | "type" | "task_id" | "content" | "timestamp" | "prev_hash"
>

/** The canonical text (`jcs/1`) of the six hashed fields; other fields of the object are left out. */
export const canonicalize = ({ content, id, prev_hash, task_id, timestamp, type }: HashedFields): string =>
  jcsText({ content, id, prev_hash, task_id, timestamp, type })

/** A record's hash: lower-case hex SHA-256 of its canonical text. */
export const computeHash = (sha256: Sha256, fields: HashedFields): string => sha256(canonicalize(fields))
