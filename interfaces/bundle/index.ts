// Verification of bundles on its own: no ledger, no index, no database is loaded, only `node:fs` and SHA-256 are touched.
// What is exported here is all that the receiver of a bundle needs.
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { verifyBundle as verify } from "../../application/bundles/verify-bundle.ts"
import type { BundleReport } from "../../domain/bundles/finding.ts"
import type { FileUnreadable } from "../../domain/foundation/root-files.ts"
import { bundleFolderLayer } from "../../infrastructure/bundles/bundle-folder.ts"
import { nodeHashingLayer } from "../../infrastructure/hashing/node-hashing.ts"

export {
  type BundleFinding,
  type BundleFindingCode,
  bundleFindingCodes,
  BundleReport
} from "../../domain/bundles/finding.ts"
export { FileUnreadable } from "../../domain/foundation/root-files.ts"
export { BUNDLE_VERSION, Manifest } from "../../domain/bundles/manifest.ts"

const services = Layer.mergeAll(bundleFolderLayer, nodeHashingLayer)

/**
 * Verifies the bundle in a folder, or of the `bundle.json` that is named; a negative verdict is a report, not an error.
 * `FileUnreadable` when the system does not let the folder be listed.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import { verifyBundle } from "cortex-cassette/bundle"
 *
 * // A folder that is no bundle gets a negative verdict, with what is wrong.
 * const { findings, verdict } = await Effect.runPromise(verifyBundle("."))
 * if (verdict === "PASS" || findings.length === 0) throw new Error("an empty folder is no bundle")
 */
export const verifyBundle = (path: string): Effect.Effect<BundleReport, FileUnreadable> =>
  verify(resolve(path)).pipe(
    Effect.map(({ report }) => report),
    Effect.provide(services)
  )
