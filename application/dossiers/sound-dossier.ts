// Dossiers that are worked with: verified first, always. What does not verify is an error here, with its report.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { DossierReport } from "../../domain/dossiers/finding.ts"
import type { DossierManifest } from "../../domain/dossiers/manifest.ts"
import {
  type DossierPorts,
  verifyDossier,
  type VerifiedDossier,
  type VerifyDossier,
  type VerifyDossierError
} from "./verify-dossier.ts"

/** The dossier does not verify. */
export class UnsoundDossier extends Schema.TaggedError<UnsoundDossier>()("UnsoundDossier", {
  path: Schema.String,
  report: DossierReport
}) {
  override get message() {
    return `${this.path} does not verify: ${this.report.findings.length + this.report.findings_left_off} issue(s) found`
  }
}

/** A dossier that verified. */
export interface SoundDossier {
  readonly report: DossierReport
  readonly manifest: DossierManifest
}

/** What was verified, when it is sound; else the report as an error. */
const requireSound = (
  path: string,
  { manifest, report }: VerifiedDossier
): Effect.Effect<SoundDossier, UnsoundDossier> =>
  report.verdict === "PASS" && manifest !== undefined
    ? Effect.succeed({ report, manifest })
    : Effect.fail(new UnsoundDossier({ path, report }))

/** Verifies the dossier at an absolute path. */
export const soundDossier = Effect.fnUntraced(function* (
  path: string,
  given: VerifyDossier = {}
): Effect.fn.Return<SoundDossier, UnsoundDossier | VerifyDossierError, DossierPorts> {
  return yield* requireSound(path, yield* verifyDossier(path, given))
})
