// The port through which the ledger is written: one synchronous unit of work at a time, under the store's write
// lock. It knows events and rows, not SQL; nothing here may be awaited inside a transaction, so that a unit of
// work can neither be interrupted half-way nor interleave with another.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ClaimPlace } from "../../../domain/ledger/commands.ts"
import type { ExistingMessage, StepStanding, WaitingStep } from "../../../domain/ledger/decide.ts"
import type { StoreWriteError } from "../../../domain/ledger/errors.ts"
import type { EventEnvelope, Head } from "../../../domain/ledger/event-envelope.ts"
import type { ReceiptRow, ThoughtRow } from "../../../domain/ledger/rows.ts"
import type { Finding } from "../../../domain/ledger/verification.ts"

/** What a unit of work sees and does while it holds the write lock. All members are synchronous. */
export interface LedgerTransaction {
  /** Most bytes that the data of one event may have here; absent where the format's own bound is the lower one. */
  readonly maxEventBytes?: number | undefined
  /** The newest event's place as it stood when the lock was taken. */
  readonly head: () => Pick<Head, "position" | "hash">
  /** Events after a position in order, at most `limit`. */
  readonly eventsAfter: (position: number, limit: number) => ReadonlyArray<EventEnvelope>
  /** The message that was posted in a run under an idempotency key. */
  readonly messageByKey: (runId: string, idempotencyKey: string) => ExistingMessage | undefined
  /** The oldest waiting step of a run, of one job of it, or of the next run that has one. */
  readonly nextPendingStep: (place: ClaimPlace) => WaitingStep | undefined
  /** How a step stands, undefined where there is none. */
  readonly step: (stepId: string) => StepStanding | undefined
  /** The receipt that ended a step. */
  readonly receiptOfStep: (stepId: string) => ReceiptRow | undefined
  /** The thought with this id. */
  readonly thought: (id: string) => ThoughtRow | undefined
  /** The hash of a task's newest thought by event position; costs the same however long its chain is. */
  readonly thoughtTail: (taskId: string) => string | undefined
  /**
   * Appends one event and projects it. Throws `InvariantViolation` when the store's own rules refuse it (the
   * unit of work goes on), and what the store itself throws when the whole unit must end.
   */
  readonly append: (event: EventEnvelope) => void
}

/** Port: one transaction at a time over the log and its tables. A transaction that fails leaves nothing. */
export class LedgerStore extends Context.Service<
  LedgerStore,
  {
    readonly ledgerId: string | undefined
    /** The newest event whose chain was checked at opening. */
    readonly openedHead: Head
    /** What forbids to write, found at opening; queries and verification work all the same. */
    readonly fault: Finding | undefined
    /**
     * Runs `work` in one transaction and commits it; a throw rolls everything back. Waits for other writers up
     * to the store's deadline. The effect ends only after the commit is as durable as the store promises.
     */
    readonly transact: <A>(work: (transaction: LedgerTransaction) => A) => Effect.Effect<A, StoreWriteError>
  }
>()("cortex-cassette/application/LedgerStore") {}
