// Effect's persisted queues on a ledger in memory: the suite that Effect's own store passes, and what only a ledger shows.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { host, openLedger } from "../ledger/testing/ledgers.ts"
import { Ledger } from "../ledger/ledger.ts"
import { queueStoreLayer } from "./persisted-queue.ts"
import { queueSuite } from "./testing/queue-suite.ts"

const ledgerLayer = Layer.effect(Ledger, openLedger)

/** Lets fibers go on that wait for nothing but each other. */
const yields = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })

queueSuite("memory", PersistedQueue.layerStoreMemory, yields)
queueSuite(
  "a ledger",
  queueStoreLayer().pipe(Layer.provide(ledgerLayer), Layer.provide(host), Layer.orDie),
  yields
)
