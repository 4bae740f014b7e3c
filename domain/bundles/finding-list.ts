// Collects the findings of one verification up to a bound, in the order in which they are made. What goes over the
// bound is counted and not kept; whether any finding makes the input invalid is never lost.
import { type BundleFinding, type BundleFindingCode, type BundleReport, makesInvalid } from "./finding.ts"
import { MAX_BUNDLE_FINDINGS } from "./limits.ts"

export interface BundleFindings {
  readonly add: (code: BundleFindingCode, where: string, message: string) => void
  readonly listed: () => ReadonlyArray<BundleFinding>
  readonly leftOff: () => number
  readonly verdict: () => BundleReport["verdict"]
}

/** An empty list. */
export const bundleFindings = (): BundleFindings => {
  const list: Array<BundleFinding> = []
  let leftOff = 0
  let isInvalid = false
  return {
    add: (code, where, message) => {
      const finding: BundleFinding = { code, where, message }
      isInvalid ||= makesInvalid(finding)
      if (list.length < MAX_BUNDLE_FINDINGS) list.push(finding)
      else leftOff++
    },
    listed: () => list,
    leftOff: () => leftOff,
    verdict: () => (isInvalid ? "INVALID" : list.length > 0 ? "FAIL" : "PASS")
  }
}
