// Compares two bundles. Both are verified first, so that comparing their manifests is comparing all that they hold.
import { manifestDifferences } from "../../domain/bundles/diff.ts"
import type { Difference } from "../../domain/bundles/errors.ts"
import { soundBundle } from "./sound-bundle.ts"
import { traced } from "../foundation/telemetry.ts"

/** What two bundles are to each other. */
export interface BundleComparison {
  readonly verdict: "SAME" | "DIFFERENT"
  readonly left_bundle_id: string
  readonly right_bundle_id: string
  readonly differences: ReadonlyArray<Difference>
}

/** The differences of the bundles at two absolute paths. */
export const diffBundles = traced("cassette.bundle.diff")(function* (left: string, right: string) {
  const [first, second] = [yield* soundBundle(left), yield* soundBundle(right)]
  const differences = manifestDifferences(first.manifest, second.manifest)
  const comparison: BundleComparison = {
    verdict: differences.length === 0 ? "SAME" : "DIFFERENT",
    left_bundle_id: first.manifest.bundle_id,
    right_bundle_id: second.manifest.bundle_id,
    differences
  }
  return comparison
})
