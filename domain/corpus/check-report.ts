// What a check of the corpus reports: a verdict, findings with stable codes, and counts. It has the form that every
// verification of this program reports in.
import * as Schema from "effect/Schema"
import { appendTo } from "../foundation/appending.ts"
import { MAX_FINDINGS, Verdict } from "../foundation/finding.ts"

export const CheckFinding = Schema.Struct({
  code: Schema.String,
  /** What the finding is about: a symbol, a line of a file. */
  where: Schema.String,
  message: Schema.String
})
export type CheckFinding = typeof CheckFinding.Type

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

/** Collects findings up to the report's limit, counts the rest, and gives the report. */
export class CheckList {
  readonly #findings: Array<CheckFinding> = []
  readonly #warnings: Array<string> = []
  #leftOff = 0

  /** Adds one finding. */
  add(finding: CheckFinding): void {
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push(finding)
    else this.#leftOff += 1
  }

  /** Adds facts that are no fault. */
  warn(warnings: ReadonlyArray<string>): void {
    appendTo(this.#warnings, warnings)
  }

  /** Adds what another check has found. */
  addAll({ findings, findings_left_off, warnings }: CheckReport): void {
    this.warn(warnings)
    for (const finding of findings) this.add(finding)
    this.#leftOff += findings_left_off
  }

  /** The report over everything that was added. */
  report(counts: CheckReport["counts"]): CheckReport {
    return {
      verdict: this.#findings.length + this.#leftOff === 0 ? "PASS" : "FAIL",
      findings: this.#findings,
      findings_left_off: this.#leftOff,
      warnings: this.#warnings,
      counts
    }
  }
}
