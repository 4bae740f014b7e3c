// Everything that can be done with bundles, under one name: each member is an Effect over the ports that it needs, so
// that verifying asks for no ledger and building for no archive.
import { signBundle, verifyAttestedBundle } from "./attest-bundle.ts"
import { buildBundle } from "./build-bundle.ts"
import { diffBundles } from "./compare-bundles.ts"
import { packBundle, unpackBundle } from "./pack-bundle.ts"
import { replayBundle } from "./replay-bundle.ts"
import { verifyBundle } from "./verify-bundle.ts"

/**
 * What can be done with bundles; each member needs only its own ports. A bundle that does not verify is a report
 * of `verify`, and `UnsoundBundle` of the others.
 */
export const Bundle = {
  build: buildBundle,
  verify: verifyBundle,
  verifyAttested: verifyAttestedBundle,
  diff: diffBundles,
  pack: packBundle,
  unpack: unpackBundle,
  replay: replayBundle,
  sign: signBundle
} as const
