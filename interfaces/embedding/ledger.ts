// The ledger for hosts that want SQLite: the application's service with the one layer that wires it to a file.
// Hosts with ports of their own take the service from `cortex-cassette/application` instead.
import * as Layer from "effect/Layer"
import { Ledger as LedgerService } from "../../application/ledger/ledger.ts"
import type { OpenError } from "../../domain/ledger/errors.ts"
import { sqliteLedgerLayer, type SqliteLedgerOptions } from "../../infrastructure/ledger/sqlite-ledger.ts"

export interface LedgerOptions extends SqliteLedgerOptions {
  /** How many commands may wait before callers have to (default 1,024). */
  readonly queueCapacity?: number | undefined
}

export class Ledger extends LedgerService {
  /** The ledger on a SQLite file; the scope's end finishes what waits, checkpoints and closes. */
  static readonly layer = (options: LedgerOptions): Layer.Layer<LedgerService, OpenError> =>
    LedgerService.layerWith({ queueCapacity: options.queueCapacity }).pipe(
      Layer.provide(sqliteLedgerLayer(options))
    )
}
