// Durable workflows for hosts that have a ledger: what Effect's own modules for queues need of a store, on the ledger's file.
import * as Layer from "effect/Layer"
import { type PersistedQueueOptions, queueStoreLayer } from "../../application/workflow/persisted-queue.ts"
import { nodeHashingLayer } from "../../infrastructure/hashing/node-hashing.ts"
import { nodeRandomIdsLayer } from "../../infrastructure/thoughts/node-random-ids.ts"

export type { PersistedQueueOptions } from "../../application/workflow/persisted-queue.ts"

/** Effect's persisted queues on a ledger. */
export const CassettePersistedQueue = {
  /**
   * The store of `PersistedQueue` on the ledger that is there; several processes that open its file share its queues. An attempt
   * is one receipt, and a retry is posted with the receipt of the attempt that failed. `cleanup` removes nothing: the ledger keeps
   * what was finished, and an id that was offered once is known for good.
   *
   * @example
   * const queues = PersistedQueue.layer.pipe(
   *   Layer.provide(CassettePersistedQueue.layerStore()),
   *   Layer.provide(Ledger.layer({ filename: "work.db" }))
   * )
   */
  layerStore: (options: PersistedQueueOptions = {}) =>
    queueStoreLayer(options).pipe(Layer.provide(nodeHashingLayer), Layer.provide(nodeRandomIdsLayer))
}
