// The vocabulary of verification: stable finding codes, where a finding was made, and the report that all
// interfaces show. A code is never renamed or reused; docs/spec/ledger.md lists them for other implementations.
import * as Schema from "effect/Schema"
import { databaseFindingCodes, findingWith, Verdict } from "../foundation/finding.ts"

/** Every finding code with what it means, grouped by the rung of verification that makes it. */
export const findingCodes = {
  ...databaseFindingCodes,
  HEAD_MISMATCH: "the head is not the newest event",
  CHAIN_BROKEN: "an event does not fit the hash chain",
  EVENT_INVALID: "an event has an unknown type or version, or says what no command may write",
  DATA_NOT_CANONICAL: "the stored text of an event is not in canonical form",
  MESSAGE_ID_FORGED: "a message id does not follow from its run, key and position",
  THOUGHT_CHAIN_BROKEN: "a thought does not follow the record before it in its task",
  THOUGHT_HASH_MISMATCH: "a thought's hash is not the hash of its six fields",
  FOLD_IMPOSSIBLE: "an event cannot follow from the events before it",
  ROW_MISSING: "a row that the events demand is not in the table",
  ROW_EXTRA: "a table has a row that no event made",
  ROW_DIFFERS: "a row has a value that does not follow from the events",
  JSON_INVALID: "a column that must hold JSON does not",
  RECEIPT_MISSING: "a committed step has no receipt",
  RECEIPT_UNEXPECTED: "a receipt belongs to no committed step",
  RECEIPT_DISAGREES: "a receipt and its step name different leases",
  LEASE_EXPIRED: "a leased step's lease has ended: requeue it",
  HISTORY_REWRITTEN: "an event, or a root over events, that was noted elsewhere does not stand any more"
} as const

/** What is wrong with a ledger; `findingCodes` says what each means. */
export type FindingCode = keyof typeof findingCodes

/** A finding; `where` is `event 12`, `cassette_steps step_… status`. */
export const Finding = findingWith(findingCodes)
export type Finding = typeof Finding.Type

/**
 * The position and hash of an event, noted elsewhere when it was the newest: the one hash stands for all events before
 * it. Position 0 with 64 zeros is the beginning.
 */
export const TrustedPoint = Schema.Struct({
  position: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  hash: Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "64 lower-case hexadecimal digits" })
  )
})
export type TrustedPoint = typeof TrustedPoint.Type

/** One rung that was climbed, and what it was narrowed to; it is whole where both are null. */
export const RungReport = Schema.Struct({
  name: Schema.String,
  /** How many findings it made. */
  findings: Schema.Int,
  /** Only what came after this position, with the streams that have an event after it. */
  since: Schema.NullOr(Schema.Int),
  /** Only this run. */
  run_id: Schema.NullOr(Schema.String)
})
export type RungReport = typeof RungReport.Type

/** The verdict over a ledger, what was checked (`rungs`), and what is wrong (`findings`). */
export const VerificationReport = Schema.Struct({
  verdict: Verdict,
  /** The rungs in the order in which they were climbed. */
  rungs: Schema.Array(RungReport),
  findings: Schema.Array(Finding),
  /** More findings than are listed, when the list was cut. */
  findings_left_off: Schema.Int,
  /** Facts that are no fault: the clock is behind the newest event, a copy was examined. */
  warnings: Schema.Array(Schema.String),
  counts: Schema.Record(Schema.String, Schema.Int),
  head: Schema.Struct({ position: Schema.Int, hash: Schema.String }),
  /** The digest of every projected table (`jcs/1` lines, SHA-256); of what was narrowed by position there is none. */
  digests: Schema.Record(Schema.String, Schema.String)
})
export type VerificationReport = typeof VerificationReport.Type
