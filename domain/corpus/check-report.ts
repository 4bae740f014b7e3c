// What a check of the corpus reports: a verdict, findings with stable codes, and counts. It has the form that every
// verification of this program reports in.
import * as Schema from "effect/Schema"

export const CheckFinding = Schema.Struct({
  code: Schema.String,
  /** What the finding is about: a symbol, a line of a file. */
  where: Schema.String,
  message: Schema.String
})
export type CheckFinding = typeof CheckFinding.Type

export const CheckReport = Schema.Struct({
  verdict: Schema.Literals(["PASS", "FAIL"]),
  findings: Schema.Array(CheckFinding),
  counts: Schema.Record(Schema.String, Schema.Int)
})
export type CheckReport = typeof CheckReport.Type
