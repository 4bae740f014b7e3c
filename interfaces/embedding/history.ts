// Reading the history of a ledger that is open, with this host's hashing.
import * as Layer from "effect/Layer"
import { History as HistoryService } from "../../application/history/history.ts"
import type { Ledger } from "../../application/ledger/ledger.ts"
import type { Thoughts } from "../../application/thoughts/thoughts.ts"
import { nodeHashingLayer } from "../../infrastructure/hashing/node-hashing.ts"

/** The history of a ledger, with the layer over `Ledger.layer`. */
export class History extends HistoryService {
  /** The history over the ledger and the thoughts of `Ledger.layer`. */
  static readonly layer: Layer.Layer<HistoryService, never, Ledger | Thoughts> =
    HistoryService.layerNoDeps.pipe(Layer.provide(nodeHashingLayer))
}
