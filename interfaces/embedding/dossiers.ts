// Dossiers for hosts whose files are this machine's: exported from a ledger, and verified with it or from their own bytes alone.
import * as Layer from "effect/Layer"
import { Dossiers as DossiersService } from "../../application/dossiers/dossiers.ts"
import type { Ledger } from "../../application/ledger/ledger.ts"
import type { Checkpoints } from "../../application/ledger/proofs/checkpoints.ts"
import { dossierFilesLayer } from "./dossier-files.ts"

/**
 * Dossiers of a ledger, with the layer for folders of this machine.
 *
 * @example
 * import { resolve } from "node:path"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import { Dossiers, generateKeyFiles, Ledger, loadSigningKey } from "cortex-cassette"
 *
 * const program = Effect.gen(function* () {
 *   const ledger = yield* Ledger
 *   const dossiers = yield* Dossiers
 *   yield* ledger.postMessage({ run_id: "r1", source: "USER", payload: { intent: "greet" } })
 *   yield* generateKeyFiles("auditor.pem")
 *   const key = yield* loadSigningKey("auditor.pem")
 *   yield* dossiers.export({ run_id: "r1" }, { key }, resolve("evidence"))
 *   return yield* dossiers.verify(resolve("evidence"))
 * })
 *
 * const layer = Layer.provideMerge(Dossiers.layer, Ledger.layer({ filename: "evidence.db" }))
 * await Effect.runPromise(Effect.provide(program, layer))
 */
export class Dossiers extends DossiersService {
  /** Dossiers of a ledger, in folders of this machine. */
  static readonly layer: Layer.Layer<DossiersService, never, Ledger | Checkpoints> = Layer.provide(
    DossiersService.layerNoDeps,
    dossierFilesLayer
  )
}
