// Bundles that are worked with: verified first, always. What does not verify is an error here, with its report, so that
// nothing is ever packed, replayed or signed that is not what it says it is.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { BundleReport } from "../../domain/bundles/finding.ts"
import type { Manifest } from "../../domain/bundles/manifest.ts"
import { type VerifiedBundle, verifyBundle } from "./verify-bundle.ts"

/** The bundle does not verify. */
export class UnsoundBundle extends Schema.TaggedError<UnsoundBundle>()("UnsoundBundle", {
  path: Schema.String,
  report: BundleReport
}) {
  override get message() {
    return `${this.path} does not verify: ${this.report.findings.length + this.report.findings_left_off} issue(s) found`
  }
}

/** A bundle that verified. */
export interface SoundBundle {
  readonly report: BundleReport
  readonly manifest: Manifest
  readonly manifestBytes: Uint8Array
}

/** What was verified, when it is sound; else the report as an error. */
const requireSound = (
  path: string,
  { manifest, manifestBytes, report }: VerifiedBundle
): Effect.Effect<SoundBundle, UnsoundBundle> =>
  report.verdict !== "PASS" || manifest === undefined || manifestBytes === undefined
    ? Effect.fail(new UnsoundBundle({ path, report }))
    : Effect.succeed({ report, manifest, manifestBytes })

/** Verifies the bundle at an absolute path. */
export const soundBundle = Effect.fnUntraced(function* (path: string) {
  return yield* requireSound(path, yield* verifyBundle(path))
})
