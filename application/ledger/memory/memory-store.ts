// The write port over a ledger in memory. A unit of work is synchronous, so no other comes between, and none waits.
import * as Effect from "effect/Effect"
import { InvariantViolation } from "../../../domain/foundation/errors.ts"
import { StorageFailure } from "../../../domain/foundation/storage-errors.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { receiptIdOf } from "../../../domain/ledger/ids.ts"
import { ClockFarBehindHead } from "../../../domain/ledger/errors.ts"
import type { LedgerStore, LedgerTransaction } from "../commands/ledger-store.ts"
import type { MemoryLedger } from "./memory-ledger.ts"

/** What a ledger in memory is called where a file would be named. */
export const MEMORY = "memory"

const memoryTransaction = (ledger: MemoryLedger): LedgerTransaction => {
  const { tables } = ledger
  return {
    head: () => ledger.head,
    eventsAfter: (position, limit) => ledger.eventsAfter(position, limit),
    messageByKey: (runId, idempotencyKey) => {
      const message = tables.message(tables.messageOfKey(runId, idempotencyKey) ?? "")
      return message && { ...message, data: ledger.events[message.event_position - 1]?.data ?? "" }
    },
    nextPendingStep: (place) => tables.nextPending(place),
    step: tables.step,
    receiptOfStep: (stepId) => tables.receipt(receiptIdOf(stepId)),
    thought: tables.thought,
    thoughtTail: (taskId) => tables.newestThought(taskId)?.hash,
    append: (event) => ledger.append(event)
  }
}

/** What ends a unit of work as a whole, by its name; a fault of the program is thrown on. */
const unitFailure = (error: unknown) => {
  if (error instanceof StoreCorrupt || error instanceof ClockFarBehindHead) return error
  if (error instanceof InvariantViolation) {
    return new StorageFailure({ file: MEMORY, code: error._tag, reason: error.message })
  }
  throw error
}

/** The write port on a ledger in memory. */
export const memoryStore = (ledger: MemoryLedger, ledgerId: string): LedgerStore["Service"] => {
  const transaction = memoryTransaction(ledger)
  return {
    ledgerId,
    openedHead: ledger.head,
    fault: undefined,
    transact: (work) =>
      Effect.try({ try: () => ledger.transact(() => work(transaction)), catch: unitFailure })
  }
}
