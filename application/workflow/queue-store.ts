// What the parts of a queue store share: the ledger, who takes, and what is known of each queue.
import * as Deferred from "effect/Deferred"
import * as Semaphore from "effect/Semaphore"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import { queueRun } from "../../domain/workflow/names.ts"
import type { QueueState } from "../../domain/workflow/queue-state.ts"
import type { LedgerShape } from "../ledger/ledger.ts"

export interface QueueStore {
  readonly ledger: LedgerShape
  readonly sha256: Sha256
  readonly worker_id: string
  readonly ttl_seconds: number
  /** The steps that are worked here, by their ids. */
  readonly held: Set<string>
}

/** A queue as this store sees it. */
export interface Queue {
  readonly name: string
  readonly run_id: string
  /** What its run says; undefined before it was read. */
  state: QueueState | undefined
  /** When its run was read last, in milliseconds since 1970. */
  readAt: number
  /** The right to wait for an element: one taker waits, and not each for the same element. */
  readonly turn: Semaphore.Semaphore
  /** Ends the waiting when an element was put back that no event tells of. */
  putBack: Deferred.Deferred<void>
}

export const openQueue = ({ sha256 }: QueueStore, name: string): Queue => ({
  name,
  run_id: queueRun(sha256, name),
  state: undefined,
  readAt: 0,
  turn: Semaphore.makeUnsafe(1),
  putBack: Deferred.makeUnsafe()
})
