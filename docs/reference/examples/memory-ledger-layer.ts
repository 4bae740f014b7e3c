// The example of memoryLedgerLayer in interfaces/test-kit/memory-ledger.ts.
import * as Effect from "effect/Effect"
import { Ledger } from "cortex-cassette"
import { memoryLedgerLayer } from "cortex-cassette/testing"

const program = Ledger.use((ledger) =>
  ledger.postMessage({ run_id: "r1", source: "USER", payload: { intent: "greet" } })
)

await Effect.runPromise(Effect.provide(program, memoryLedgerLayer))
