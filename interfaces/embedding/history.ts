// Reading the history of a ledger that is open, with this host's hashing.
import * as Layer from "effect/Layer"
import { History as HistoryService } from "../../application/history/history.ts"
import type { Ledger } from "../../application/ledger/ledger.ts"
import type { Thoughts } from "../../application/ledger/thoughts/thoughts.ts"
import { nodeHashingLayer } from "../../infrastructure/hashing/node-hashing.ts"

/**
 * The history of a ledger, with the layer over `Ledger.layer`.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 * import { History, Ledger } from "cortex-cassette"
 *
 * const program = Effect.gen(function* () {
 *   const ledger = yield* Ledger
 *   const history = yield* History
 *   const { message_id } = yield* ledger.postMessage({ run_id: "r1", source: "USER", payload: { n: 1 } })
 *   const entries = yield* Stream.runCollect(history.timeline({ run_id: "r1" }))
 *   return { entries, message: yield* history.show(message_id) }
 * })
 *
 * const layer = Layer.provideMerge(History.layer, Ledger.layer({ filename: "history.db" }))
 * await Effect.runPromise(Effect.provide(program, layer))
 */
export class History extends HistoryService {
  /** The history over the ledger and the thoughts of `Ledger.layer`. */
  static readonly layer: Layer.Layer<HistoryService, never, Ledger | Thoughts> =
    HistoryService.layerNoDeps.pipe(Layer.provide(nodeHashingLayer))
}
