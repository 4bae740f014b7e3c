// The findings of a bundle's verification. Some make the input invalid and not merely fail: that is never lost, also behind
// the limit of the list.
import { Findings } from "../foundation/findings.ts"
import { type BundleFindingCode, type BundleReport, makesInvalid } from "./finding.ts"

export class BundleFindings extends Findings<BundleFindingCode> {
  private isInvalid = false

  override add(code: BundleFindingCode, where: string, message: string): void {
    this.isInvalid ||= makesInvalid(code)
    super.add(code, where, message)
  }

  get bundleVerdict(): BundleReport["verdict"] {
    return this.isInvalid ? "INVALID" : this.verdict
  }
}
