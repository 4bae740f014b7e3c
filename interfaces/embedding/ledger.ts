// The ledger for hosts that want SQLite: the application's services with the one layer that wires them to a file.
// Hosts with ports of their own take the service from `cortex-cassette/application` instead.
import * as Layer from "effect/Layer"
import { Ledger as LedgerService } from "../../application/ledger/ledger.ts"
import { Thoughts } from "../../application/thoughts/thoughts.ts"
import type { OpenError } from "../../domain/ledger/errors.ts"
import { sqliteLedgerLayer, type SqliteLedgerOptions } from "../../infrastructure/ledger/sqlite-ledger.ts"

export interface LedgerOptions extends SqliteLedgerOptions {
  /** How many commands may wait before callers have to (default 1,024). */
  readonly queueCapacity?: number | undefined
}

export class Ledger extends LedgerService {
  /** The ledger and its thoughts on a SQLite file; the scope's end finishes what waits, checkpoints and closes. */
  static readonly layer = (options: LedgerOptions): Layer.Layer<LedgerService | Thoughts, OpenError> =>
    Thoughts.layerNoDeps.pipe(
      Layer.provideMerge(LedgerService.layerWith({ queueCapacity: options.queueCapacity })),
      Layer.provide(sqliteLedgerLayer(options))
    )
}
