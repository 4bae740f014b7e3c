// What a verification of thought chains answers. A record is broken when its hash, its link or its event does not
// fit, and also when its event is there and the record itself is gone.
import * as Schema from "effect/Schema"

const chain = {
  /** True when no record is broken. */
  valid: Schema.Boolean,
  /** Records that are stored. */
  record_count: Schema.Int,
  /** Records that are broken, missing ones included. */
  broken_count: Schema.Int,
  /** The id of the first broken record in the order of the log, or null. */
  first_broken_at: Schema.NullOr(Schema.String)
}

/** The chain of one task. */
export const TaskChainReport = Schema.Struct(chain)
export type TaskChainReport = typeof TaskChainReport.Type

/** One task's chain, or all of them with each task's own report. */
export const ThoughtChainReport = Schema.Struct({
  ...chain,
  by_task: Schema.optionalKey(Schema.Record(Schema.String, TaskChainReport))
})
export type ThoughtChainReport = typeof ThoughtChainReport.Type
