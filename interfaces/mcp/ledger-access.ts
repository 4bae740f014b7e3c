// The ledger as tools reach it: opened at the first call that needs it and kept open for the server's life. Only posting
// and thinking may create a ledger; a read-only server opens so that nothing is changed, and knows no writing tool.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { CheckpointsShape } from "../../application/ledger/proofs/checkpoints.ts"
import type { LedgerShape } from "../../application/ledger/ledger.ts"
import type { ThoughtsShape } from "../../application/ledger/thoughts/thoughts.ts"
import type { OpenError } from "../../domain/ledger/errors.ts"
import { openedOnce } from "../shared/opened-once.ts"

/** An open ledger with the thoughts in it and its checkpoints. */
export interface OpenedLedger {
  readonly checkpoints: CheckpointsShape
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
export const makeLedgerAccess = (openLedger: OpenLedger, readOnly: boolean) =>
  Effect.map(
    openedOnce((need: Need) => openLedger(readOnly ? "read" : need === "create" ? "write" : "append")),
    (open) => LedgerAccess.of({ open })
  )
