// What the parts of a queue store share: the ledger, who takes, and what is known of each queue.
import * as Deferred from "effect/Deferred"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import type { InvalidInput, InvariantViolation } from "../../domain/foundation/errors.ts"
import type { StoreWriteError } from "../../domain/ledger/errors.ts"
import { queueRun } from "../../domain/workflow/names.ts"
import type { QueueState } from "../../domain/workflow/queue-state.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"

/** What keeps a store from writing. */
export type QueueWriteError = InvalidInput | InvariantViolation | StoreWriteError

/** What keeps a store from giving an element. */
export type QueueError = QueueWriteError | ReadError

export interface QueueStore {
  readonly ledger: LedgerShape
  readonly sha256: Sha256
  readonly worker_id: string
  readonly ttl_seconds: number
  /** Where the store's own fiber lives. */
  readonly scope: Scope.Scope
  /** The steps that are worked here, by their ids. */
  readonly held: Set<string>
  /** The queues that are taken from here, by their runs. */
  readonly queues: Map<string, Queue>
  /** True while the log is listened to. */
  isListening: boolean
}

/** A queue as this store sees it. */
export interface Queue {
  readonly name: string
  readonly run_id: string
  /** What its run says; undefined before it was read. */
  state: QueueState | undefined
  /** The right to wait for an element: one taker waits, and not each for the same element. */
  readonly turn: Semaphore.Semaphore
  /** Ends the waiting: something is new, or the log cannot be read any more. */
  news: Deferred.Deferred<void, QueueError>
}

/** The queue of a name. */
export const queueOf = ({ queues, sha256 }: QueueStore, name: string): Queue => {
  const run_id = queueRun(sha256, name)
  const known = queues.get(run_id)
  if (known !== undefined) return known
  const queue = {
    name,
    run_id,
    state: undefined,
    turn: Semaphore.makeUnsafe(1),
    news: Deferred.makeUnsafe<void, QueueError>()
  }
  queues.set(run_id, queue)
  return queue
}
