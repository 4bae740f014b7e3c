// Compares two bundles. Both are verified first, so that comparing their manifests is comparing all that they hold.
import type * as Effect from "effect/Effect"
import { manifestDifferences } from "../../domain/bundles/diff.ts"
import type { Difference } from "../../domain/bundles/errors.ts"
import type { FileUnreadable } from "../../domain/foundation/root-files.ts"
import type { Hashing } from "../foundation/hashing.ts"
import type { BundleSource } from "./bundle-source.ts"
import { soundBundle, type UnsoundBundle } from "./sound-bundle.ts"
import { traced } from "../foundation/telemetry.ts"

/** What two bundles are to each other. */
export interface BundleComparison {
  readonly verdict: "SAME" | "DIFFERENT"
  readonly left_bundle_id: string
  readonly right_bundle_id: string
  readonly differences: ReadonlyArray<Difference>
}

/** The differences of the bundles at two absolute paths. */
export const diffBundles = traced("cassette.bundle.diff")(function* (
  left: string,
  right: string
): Effect.fn.Return<BundleComparison, FileUnreadable | UnsoundBundle, BundleSource | Hashing> {
  const [first, second] = [yield* soundBundle(left), yield* soundBundle(right)]
  const differences = manifestDifferences(first.manifest, second.manifest)
  return {
    verdict: differences.length === 0 ? "SAME" : "DIFFERENT",
    left_bundle_id: first.manifest.bundle_id,
    right_bundle_id: second.manifest.bundle_id,
    differences
  }
})
