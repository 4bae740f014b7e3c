// What a check of the corpus reports: a verdict, findings with stable codes, and counts. It has the form that every
// verification of this program reports in.
import * as Schema from "effect/Schema"
import { appendTo } from "../foundation/appending.ts"
import { Verdict } from "../foundation/finding.ts"
import { Findings } from "../foundation/findings.ts"

/** One thing that is wrong, where, and what to do. */
export const CheckFinding = Schema.Struct({
  code: Schema.String,
  /** What the finding is about: a symbol, a line of a file. */
  where: Schema.String,
  message: Schema.String
})
export type CheckFinding = typeof CheckFinding.Type

/** A verdict over symbols or a corpus, with its findings; `findings_left_off` counts those beyond the list. */
export const CheckReport = Schema.Struct({
  verdict: Verdict,
  findings: Schema.Array(CheckFinding),
  /** More findings than are listed, when the list was cut. */
  findings_left_off: Schema.Int,
  /** Facts that are no fault: another tool keeps tables in the database. */
  warnings: Schema.Array(Schema.String),
  counts: Schema.Record(Schema.String, Schema.Int)
})
export type CheckReport = typeof CheckReport.Type

/** The findings and the warnings of a check. */
export class CheckFindings extends Findings {
  readonly #warnings: Array<string> = []

  /** Adds facts that are no fault. */
  warn(warnings: ReadonlyArray<string>): void {
    appendTo(this.#warnings, warnings)
  }

  /** Adds what another check has found. */
  include({ findings, findings_left_off, warnings }: CheckReport): void {
    this.warn(warnings)
    this.addAll(findings)
    this.leftOff += findings_left_off
  }

  /** The report over everything that was added. */
  reportOver(counts: CheckReport["counts"]): CheckReport {
    return { ...this.report, warnings: this.#warnings, counts }
  }
}
