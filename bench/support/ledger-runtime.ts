// The product as its users run it: the embedding layer on a file, in a runtime that is closed at the end. It must
// add nothing of its own between a benchmark and the public API.
import type * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Ledger, type LedgerOptions, type LedgerShape } from "../../interfaces/embedding/index.ts"

/** An opened ledger; `run` gives an effect over it its turn. */
export interface OpenedLedger {
  readonly run: <A, E>(work: (ledger: LedgerShape) => Effect.Effect<A, E>) => Promise<A>
  readonly close: () => Promise<void>
}

/** Opens a ledger and keeps it open until `close`. */
export const openLedger = async (options: LedgerOptions): Promise<OpenedLedger> => {
  const runtime = ManagedRuntime.make(Ledger.layer(options))
  const ledger = await runtime.runPromise(Ledger)
  return {
    run: (work) => runtime.runPromise(work(ledger)),
    close: () => runtime.dispose()
  }
}
