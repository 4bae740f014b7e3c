// Every bound of a bundle in one place, as named constants with their units. A bundle from elsewhere is held
// against these before it is read. Source: docs/spec/bundles.md, "Limits".
import { MAX_STEPS_PER_MESSAGE } from "../ledger/limits.ts"

/** Longest `bundle.json` (32 MiB): ten thousand ordinary steps take about 8. */
export const MAX_MANIFEST_BYTES = 32 * 1_048_576

/** Most steps of a bundle, and so most artifacts: no job has more. */
export const MAX_BUNDLE_STEPS = MAX_STEPS_PER_MESSAGE

/** Longest artifact (4 GiB). */
export const MAX_ARTIFACT_BYTES = 4 * 1_073_741_824

/** All artifacts of a bundle together (16 GiB). */
export const MAX_BUNDLE_BYTES = 16 * 1_073_741_824

/** Most names in a bundle's folders that are looked at; no honest bundle has as many. */
export const MAX_BUNDLE_ENTRIES = 2 * MAX_BUNDLE_STEPS
