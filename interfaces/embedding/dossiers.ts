// Dossiers for hosts whose files are this machine's: exported from a ledger, and verified with it or from their own bytes alone.
import * as Layer from "effect/Layer"
import { Dossiers as DossiersService } from "../../application/dossiers/dossiers.ts"
import type { Ledger } from "../../application/ledger/ledger.ts"
import type { Checkpoints } from "../../application/ledger/proofs/checkpoints.ts"
import { dossierFilesLayer } from "./dossier-files.ts"

/** Dossiers of a ledger, with the layer for folders of this machine. */
export class Dossiers extends DossiersService {
  /** Dossiers of a ledger, in folders of this machine. */
  static readonly layer: Layer.Layer<DossiersService, never, Ledger | Checkpoints> = Layer.provide(
    DossiersService.layerNoDeps,
    dossierFilesLayer
  )
}
