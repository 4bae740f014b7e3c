// The ledger as tools reach it: opened at the first call that needs it and kept open for the server's life. Only posting
// and thinking may create a ledger; a read-only server opens so that nothing is changed, and knows no writing tool.
import * as Semaphore from "effect/Semaphore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { LedgerShape } from "../../application/ledger/ledger.ts"
import type { ThoughtsShape } from "../../application/thoughts/thoughts.ts"
import type { OpenError } from "../../domain/ledger/errors.ts"

/** An open ledger with the thoughts in it. */
export interface OpenedLedger {
  readonly ledger: LedgerShape
  readonly thoughts: ThoughtsShape
}

/** `create` makes a missing ledger, `existing` needs one. */
export type Need = "create" | "existing"

export class LedgerAccess extends Context.Service<
  LedgerAccess,
  {
    /** The one open ledger; a failure to open is told each time and tried again. */
    readonly open: (need: Need) => Effect.Effect<OpenedLedger, OpenError>
  }
>()("cortex-cassette/interfaces/mcp/LedgerAccess") {}

/** How to open: a layer for a mode. */
export type OpenLedger = (mode: "write" | "append" | "read") => Effect.Effect<OpenedLedger, OpenError>

/** One ledger opened by the first who needs it; the others wait for it. */
export const makeLedgerAccess = Effect.fnUntraced(function* (openLedger: OpenLedger, readOnly: boolean) {
  const lock = yield* Semaphore.make(1)
  let opened: OpenedLedger | undefined
  const modeFor = (need: Need) => (readOnly ? "read" : need === "create" ? "write" : "append")
  return LedgerAccess.of({
    open: (need) =>
      Effect.suspend(() =>
        opened === undefined
          ? openLedger(modeFor(need)).pipe(
              Effect.tap((ledger) =>
                Effect.sync(() => {
                  opened = ledger
                })
              )
            )
          : Effect.succeed(opened)
      ).pipe((opening) => lock.withPermits(1)(opening))
  })
})
