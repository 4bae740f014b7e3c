// The findings of a bundle's verification.
import { HandedOverFindings } from "../foundation/findings.ts"
import { type BundleFindingCode, makesInvalid } from "./finding.ts"

export class BundleFindings extends HandedOverFindings<BundleFindingCode> {
  constructor() {
    super(makesInvalid)
  }
}
