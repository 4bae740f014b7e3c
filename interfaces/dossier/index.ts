// Verification of dossiers on its own: no ledger and no database is loaded, only `node:fs` and hashing are touched. What is exported
// here is all that the receiver of a dossier needs.
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import {
  verifyDossier as verify,
  type EventWitness,
  type VerifyDossier,
  type VerifyDossierError
} from "../../application/dossiers/verify-dossier.ts"
import type { DossierReport } from "../../domain/dossiers/finding.ts"
import { dossierFilesLayer } from "../embedding/dossier-files.ts"

export type {
  EventWitness,
  VerifyDossier,
  VerifyDossierError
} from "../../application/dossiers/verify-dossier.ts"
export type { DossierEvent, WithheldEvent } from "../../domain/dossiers/event-lines.ts"
export { NotADossierArchive } from "../../domain/dossiers/errors.ts"
export { type DossierFindingCode, dossierFindingCodes, DossierReport } from "../../domain/dossiers/finding.ts"
export { DOSSIER_VERSION, DossierManifest } from "../../domain/dossiers/manifest.ts"
export { FileUnreadable } from "../../domain/foundation/root-files.ts"
export { loadTrustFile } from "../../infrastructure/keys/trust-file.ts"

/**
 * Verifies a dossier: a folder, the `dossier.json` in it, or a packed one; a negative verdict is a report, not an error. `onEvents` is
 * given the events as they pass by; what they are worth the report says at the end.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import { verifyDossier } from "cortex-cassette/dossier"
 *
 * const report = await Effect.runPromise(verifyDossier("evidence"))
 * if (report.verdict !== "PASS") throw new Error(JSON.stringify(report.findings))
 */
export const verifyDossier = (
  path: string,
  given: VerifyDossier = {},
  onEvents?: EventWitness
): Effect.Effect<DossierReport, VerifyDossierError> =>
  verify(resolve(path), given, onEvents).pipe(
    Effect.map(({ report }) => report),
    Effect.provide(dossierFilesLayer)
  )
