// How reading the history is refused, as tagged data that carries what is needed to act.
import * as Schema from "effect/Schema"
import { TimelineEntry } from "./timeline.ts"

/** One of two ledgers, as far as it goes beyond what both have. */
const LedgerSide = Schema.Struct({
  ledger_id: Schema.NullOr(Schema.String),
  position: Schema.Int,
  hash: Schema.String,
  /** How many events it has that the other has not, and the first of them. */
  events_beyond: Schema.Int,
  first_beyond: Schema.Array(TimelineEntry)
})
export type LedgerSide = typeof LedgerSide.Type

/** How two logs stand to each other: `PARTED` where each has events that the other has not. */
const LedgerComparison = Schema.Struct({
  verdict: Schema.Literals(["SAME", "LEFT_HAS_MORE", "RIGHT_HAS_MORE", "PARTED"]),
  /** The newest event that both have; position 0 for none. */
  common: Schema.Struct({ position: Schema.Int, hash: Schema.NullOr(Schema.String) }),
  left: LedgerSide,
  right: LedgerSide
})
export type LedgerComparison = typeof LedgerComparison.Type

const DIFFERENCES = {
  SAME: "the logs are the same",
  LEFT_HAS_MORE: "the left one goes on where the right one ends",
  RIGHT_HAS_MORE: "the right one goes on where the left one ends",
  PARTED: "two different histories begin there"
} as const

/** The logs of two ledgers are not the same. */
export class LedgersDiffer extends Schema.TaggedError<LedgersDiffer>()(
  "LedgersDiffer",
  LedgerComparison.fields
) {
  override get message() {
    const { common, left, right, verdict } = this
    return `The ledgers have ${common.position} event(s) in common; ${DIFFERENCES[verdict]} (${left.events_beyond} more in the left one, ${right.events_beyond} in the right one)`
  }
}

/** Nothing in the ledger has this id, or an id that begins so. */
export class IdNotFound extends Schema.TaggedError<IdNotFound>()("IdNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `No id in this ledger is ${this.id} or begins with it: \`cortex cassette status\` lists runs, \`cortex timeline\` all that happened`
  }
}
