// What indexing reports: how many files it found in which state, and what it left out and why. Reasons are stable words;
// some are a person's choice, others mean that a file could not be taken.
import * as Schema from "effect/Schema"
import { Skipped, type SkipReason } from "../foundation/root-files.ts"

/** What indexing found and changed below the paths that it was given. */
export const IndexReport = Schema.Struct({
  /** Files that are in the index now. */
  files: Schema.Int,
  added: Schema.Int,
  changed: Schema.Int,
  /** Files of which the index held something else than what was indexed, made again from their texts. */
  repaired: Schema.Int,
  unchanged: Schema.Int,
  removed: Schema.Int,
  /** What was not indexed, in order of path; `skipped_left_off` more are only counted. */
  skipped: Schema.Array(Skipped),
  skipped_left_off: Schema.Int,
  /** How many were skipped for each reason that occurred. */
  skipped_counts: Schema.Record(Schema.String, Schema.Int),
  /** Markdown files that are too large for their headings to be looked for. */
  headings_left_out: Schema.Array(Schema.String)
})
export type IndexReport = typeof IndexReport.Type

/** Reasons that no person chose: such a file was meant to be indexed and could not be. */
const refusals: ReadonlySet<string> = new Set<SkipReason>([
  "LINK_OUTSIDE_ROOT",
  "TOO_LARGE",
  "CHANGED",
  "UNREADABLE"
])

/** True for what should have been indexed and could not be. */
export const isRefused = ({ reason }: Skipped): boolean => refusals.has(reason)

/** How many files should have been indexed and could not be, those that are not listed included. */
export const refusedCount = ({ skipped_counts }: IndexReport): number =>
  Object.entries(skipped_counts).reduce(
    (sum, [reason, count]) => (refusals.has(reason) ? sum + count : sum),
    0
  )
