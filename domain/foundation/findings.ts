// The findings of one verification as its report lists them, in the order in which they were made: up to one limit for all
// reports, each text up to a length. What goes over the limit is counted, and counts for the verdict.
import { clippedText, type FindingOf, MAX_FINDINGS, type Verdict } from "./finding.ts"

/** What every report says of its findings. */
interface Listed<Code extends string> {
  readonly verdict: Verdict
  readonly findings: ReadonlyArray<FindingOf<Code>>
  readonly findings_left_off: number
}

export class Findings<Code extends string = string> {
  readonly listed: Array<FindingOf<Code>> = []
  leftOff = 0

  /** How many there are, with those that are not listed. */
  get total(): number {
    return this.listed.length + this.leftOff
  }

  get verdict(): Verdict {
    return this.total === 0 ? "PASS" : "FAIL"
  }

  add(code: Code, where: string, message: string): void {
    if (this.listed.length < MAX_FINDINGS)
      this.listed.push({ code, where: clippedText(where), message: clippedText(message) })
    else this.leftOff += 1
  }

  /** Adds what others found. */
  addAll(findings: Iterable<FindingOf<Code>>): void {
    for (const { code, message, where } of findings) this.add(code, where, message)
  }

  /** The part of a report that says what was found. */
  get report(): Listed<Code> {
    return { verdict: this.verdict, findings: this.listed, findings_left_off: this.leftOff }
  }
}

/**
 * The findings about something that was handed over. Some make it invalid and not merely fail: that is never lost, also behind
 * the limit of the list.
 */
export class HandedOverFindings<Code extends string> extends Findings<Code> {
  private readonly makesInvalid: (code: Code) => boolean
  private isInvalid = false

  constructor(makesInvalid: (code: Code) => boolean) {
    super()
    this.makesInvalid = makesInvalid
  }

  override add(code: Code, where: string, message: string): void {
    this.isInvalid ||= this.makesInvalid(code)
    super.add(code, where, message)
  }

  get handedOverVerdict(): Verdict | "INVALID" {
    return this.isInvalid ? "INVALID" : this.verdict
  }
}
