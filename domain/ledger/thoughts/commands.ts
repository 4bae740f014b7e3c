// What callers may ask of the thoughts, as Schemas that are decoded strictly. Ids and times that the caller left out
// are filled in before decoding, so that a generated id is held to the same rules as a given one.
import * as Schema from "effect/Schema"
import { Identifier, textOfAtMost } from "../../canonical/text.ts"
import { MAX_THOUGHT_BYTES } from "../limits.ts"
import { ThoughtType, THOUGHT_TYPES, ZonedTime } from "./thought-record.ts"

/** What is thought. */
export const Content = textOfAtMost(MAX_THOUGHT_BYTES)

/** Appends a record to its task's chain. */
export const RecordThought = Schema.Struct({
  id: Identifier,
  type: ThoughtType.annotate({ message: `Invalid type: use ${THOUGHT_TYPES.join(", ")}` }),
  task_id: Identifier,
  agent_id: Identifier,
  content: Content,
  timestamp: ZonedTime
})
export type RecordThought = typeof RecordThought.Type

/** The command as callers give it: the id and the time may be left to the ledger. */
export type ThoughtInput = Omit<RecordThought, "id" | "timestamp"> & {
  readonly id?: string | undefined
  readonly timestamp?: string | undefined
}

/** How many records a list has at most. */
export const Limit = Schema.Int.check(
  Schema.isGreaterThanOrEqualTo(1, { expected: "a whole number from 1 on" })
)

/** Which records to list: of one task or all, oldest first by their place in the log. */
export const ListThoughts = Schema.Struct({
  task_id: Schema.optional(Identifier),
  limit: Schema.optional(Limit),
  /** The id of a record: only those that follow it, in the direction of the list. */
  after: Schema.optional(Identifier),
  descending: Schema.optional(Schema.Boolean)
})
export type ListThoughts = typeof ListThoughts.Type

/** Which chains to verify. */
export const VerifyThoughts = Schema.Struct({ task_id: Schema.optional(Identifier) })
export type VerifyThoughts = typeof VerifyThoughts.Type

/** The id of one record. */
export const ThoughtId = Identifier
