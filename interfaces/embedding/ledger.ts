// The ledger for hosts that want SQLite: the application's services with the one layer that wires them to a file.
// Hosts with ports of their own take the service from `cortex-cassette/application` instead.
import * as Layer from "effect/Layer"
import { Checkpoints } from "../../application/ledger/checkpoints.ts"
import { Ledger as LedgerService } from "../../application/ledger/ledger.ts"
import { Thoughts } from "../../application/thoughts/thoughts.ts"
import type { OpenError } from "../../domain/ledger/errors.ts"
import { merkleFileLayer } from "../../infrastructure/ledger/merkle-file-log.ts"
import { sqliteLedgerLayer, type SqliteLedgerOptions } from "../../infrastructure/ledger/sqlite-ledger.ts"

export interface LedgerOptions extends SqliteLedgerOptions {
  /** How many commands may wait before callers have to (default 1,024). */
  readonly queueCapacity?: number | undefined
}

export class Ledger extends LedgerService {
  /**
   * The ledger, its thoughts and its checkpoints on a SQLite file; the scope's end finishes what waits, checkpoints the
   * write-ahead log and closes. No key and no tree is touched before a checkpoint or a proof is asked for.
   */
  static readonly layer = (
    options: LedgerOptions
  ): Layer.Layer<LedgerService | Thoughts | Checkpoints, OpenError> =>
    Layer.merge(
      Checkpoints.layerNoDeps.pipe(Layer.provide(merkleFileLayer(options.filename))),
      Thoughts.layerNoDeps
    ).pipe(
      Layer.provideMerge(LedgerService.layerWith({ queueCapacity: options.queueCapacity })),
      Layer.provide(sqliteLedgerLayer(options))
    )
}
