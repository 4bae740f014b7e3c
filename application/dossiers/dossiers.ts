// Dossiers as programs see them: the evidence of a run, of jobs or of tasks, exported from the opened ledger, and verified, with what
// the ledger has beside. Who has no ledger takes `verifyDossier`, which needs the dossier alone.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ledger } from "../ledger/ledger.ts"
import { Checkpoints } from "../ledger/proofs/checkpoints.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import type { DossierEvidence, ExportDossier } from "./dossier-request.ts"
import {
  exportDossier,
  type ExportDossierError,
  type ExportedDossier,
  type ExportPorts
} from "./export-dossier.ts"
import {
  type VerifiedDossier,
  type VerifyDossier,
  type VerifyDossierError,
  verifyDossierWith
} from "./verify-dossier.ts"

/**
 * The operations on dossiers. `export` writes one, `verify` judges one offline, or against the ledger that is
 * there.
 */
export interface DossiersShape {
  /** Exports what was chosen to an absolute path, whole or not at all; nothing is written over. The same gives the same bytes. */
  readonly export: (
    request: ExportDossier,
    evidence: DossierEvidence,
    path: string
  ) => Effect.Effect<ExportedDossier, ExportDossierError>
  /** Verifies the dossier at an absolute path, compares each event with this ledger's, and finds what was left out. */
  readonly verify: (
    path: string,
    given?: VerifyDossier
  ) => Effect.Effect<VerifiedDossier, VerifyDossierError | ReadError>
}

/** The evidence of runs, jobs and tasks for a receiver who has neither the ledger nor this program. */
export class Dossiers extends Context.Service<Dossiers, DossiersShape>()("cortex-cassette/Dossiers") {
  /** Dossiers of a ledger, over files that the host brings. */
  static readonly layerNoDeps: Layer.Layer<Dossiers, never, Ledger | Checkpoints | ExportPorts> =
    Layer.effect(
      this,
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const checkpoints = yield* Checkpoints
        const ports = yield* Effect.context<ExportPorts>()
        return {
          export: (request, evidence, path) =>
            Effect.provideContext(exportDossier(ledger, checkpoints, request, evidence, path), ports),
          verify: (path, given) => Effect.provideContext(verifyDossierWith(ledger, path, given), ports)
        } satisfies DossiersShape
      })
    )
}
