// The ledger for hosts that want SQLite: the application's services with the one layer that wires them to a file.
// Hosts with ports of their own take the service from `cortex-cassette/application` instead.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Checkpoints } from "../../application/ledger/proofs/checkpoints.ts"
import { ledgerWriterFields } from "../../application/ledger/commands/command-writer.ts"
import { decodeInput } from "../../application/foundation/input.ts"
import { Ledger as LedgerService, type LedgerPorts } from "../../application/ledger/ledger.ts"
import type { Thoughts } from "../../application/ledger/thoughts/thoughts.ts"
import type { OpenError } from "../../domain/ledger/errors.ts"
import { importLedger } from "../../infrastructure/ledger/copies/ledger-import.ts"
import { merkleFileLayer } from "../../infrastructure/ledger/merkle/merkle-file-log.ts"
import { restoreLedger } from "../../infrastructure/ledger/copies/ledger-restore.ts"
import {
  sqliteLedgerFields,
  type SqliteLedgerOptions
} from "../../infrastructure/ledger/opening/ledger-options.ts"
import { sqliteLedgerLayer } from "../../infrastructure/ledger/sqlite-ledger.ts"

/** How a ledger's file is opened, and how many commands may wait. */
export interface LedgerOptions extends SqliteLedgerOptions {
  /** How many commands may wait before callers have to (default 1,024). */
  readonly queueCapacity?: number | undefined
}

const decodeOptions = decodeInput(
  Schema.Struct({ ...sqliteLedgerFields, ...ledgerWriterFields }),
  Result.succeed
)

/**
 * A ledger's ports on a SQLite file: `Ledger.layerFrom` takes them, with any of them replaced by the host's own.
 *
 * @example
 * import * as Layer from "effect/Layer"
 * import { Ledger, SqliteLedger } from "cortex-cassette"
 * import { LedgerReader } from "cortex-cassette/application"
 *
 * // A host's own reader, here one that is the reader below it.
 * const reader = Layer.effect(LedgerReader, LedgerReader)
 * const ports = Layer.provideMerge(reader, SqliteLedger.layer({ filename: "ported.db" }))
 * export const layer = Ledger.layerFrom(ports)
 */
export const SqliteLedger = {
  layer: (options: SqliteLedgerOptions): Layer.Layer<LedgerPorts, OpenError> =>
    merkleFileLayer(options.filename).pipe(Layer.provideMerge(sqliteLedgerLayer(options)))
}

/**
 * The work ledger, with the layer that keeps it in a SQLite file: `LedgerShape` has its operations.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import { Ledger } from "cortex-cassette"
 *
 * const program = Effect.gen(function* () {
 *   const ledger = yield* Ledger
 *   yield* ledger.postMessage({ run_id: "mails", source: "USER", payload: { to: "Ada" } })
 *   const step = yield* ledger.claimStep({ run_id: "mails", worker_id: "w1", wait: "30 seconds" })
 *   yield* ledger.completeStep({ ...step.lease, receipt_payload: { sent: true }, outcome: "SUCCESS" })
 *   return yield* ledger.verifyCassette()
 * })
 *
 * await Effect.runPromise(Effect.provide(program, Ledger.layer({ filename: "work.db" })))
 */
export class Ledger extends LedgerService {
  /** Puts a verified backup in the place of a ledger's file, and keeps what it replaces beside it. */
  static readonly restore = restoreLedger

  /** Makes a new ledger file of events as JSON lines, with the head that they had. */
  static readonly importFrom = importLedger

  /**
   * The ledger, its thoughts and its checkpoints on a SQLite file; the scope's end finishes what waits and what runs,
   * checkpoints the write-ahead log and closes; what is asked of them later is `LedgerClosed`. No key and no tree is touched before a checkpoint or a proof is asked for.
   */
  static readonly layer = (
    options: LedgerOptions
  ): Layer.Layer<LedgerService | Thoughts | Checkpoints, OpenError> =>
    Layer.unwrap(
      Effect.map(Effect.fromResult(decodeOptions(options)), ({ queueCapacity, ...file }) =>
        LedgerService.layerFrom(SqliteLedger.layer(file), { queueCapacity })
      )
    )
}
