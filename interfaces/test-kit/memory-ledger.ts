// A ledger in memory for the tests of programs: no file, no SQLite, made quickly, and each time it is built
// another one. It decides by the same rules and answers the same; what only a file can show it cannot.
import * as Layer from "effect/Layer"
import type { MemoryLedger } from "../../application/ledger/memory/memory-ledger.ts"
import { memoryPorts, portsOfMemory } from "../../application/ledger/memory/memory-ports.ts"
import { Ledger } from "../../application/ledger/ledger.ts"
import type { Checkpoints } from "../../application/ledger/proofs/checkpoints.ts"
import type { Thoughts } from "../../application/ledger/thoughts/thoughts.ts"
import { nodeHashingLayer } from "../../infrastructure/hashing/node-hashing.ts"
import { nodeSigningLayer } from "../../infrastructure/keys/ed25519.ts"
import { merkleFileLayer } from "../../infrastructure/ledger/merkle/merkle-file-log.ts"
import { IN_MEMORY } from "../../infrastructure/ledger/opening/ledger-options.ts"
import { nodeRandomIdsLayer } from "../../infrastructure/ledger/thoughts/node-random-ids.ts"

const host = Layer.mergeAll(nodeHashingLayer, nodeRandomIdsLayer, nodeSigningLayer)

/** The services over a ledger in memory that is there. */
export const layerOfMemory = (
  ledger: MemoryLedger,
  ledgerId: string
): Layer.Layer<Ledger | Thoughts | Checkpoints> =>
  Layer.orDie(
    Ledger.layerFrom(
      merkleFileLayer(IN_MEMORY).pipe(
        Layer.provideMerge(portsOfMemory(ledger, ledgerId)),
        Layer.provideMerge(host)
      )
    )
  )

/** The ports of a new ledger in memory: give some of them to `Ledger.layerFrom` in place of SQLite's, or wrap them. */
export const memoryLedgerPorts = merkleFileLayer(IN_MEMORY).pipe(
  Layer.provideMerge(memoryPorts),
  Layer.provideMerge(host)
)

/**
 * A ledger, its thoughts and its checkpoints in memory, as `Ledger.layer` gives them on a file. Of `verifyCassette` every rung
 * is climbed: `structure` has nothing to look at, and the report warns of it. `backup` and `rebuild` fail: there is no file.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import { Ledger } from "cortex-cassette"
 * import { memoryLedgerLayer } from "cortex-cassette/testing"
 *
 * const program = Ledger.use((ledger) =>
 *   ledger.postMessage({ run_id: "r1", source: "USER", payload: { intent: "greet" } })
 * )
 *
 * await Effect.runPromise(Effect.provide(program, memoryLedgerLayer))
 */
export const memoryLedgerLayer: Layer.Layer<Ledger | Thoughts | Checkpoints> = Layer.orDie(
  Ledger.layerFrom(memoryLedgerPorts)
)
