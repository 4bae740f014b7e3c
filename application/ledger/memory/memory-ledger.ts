// A ledger that lives in the memory of one process: the log as a list, the tables as what `evolve` makes of it. It takes an
// event exactly where the fold can follow it. It ends with the program, and nothing of it is ever on a disk.
import * as Result from "effect/Result"
import type { Sha256 } from "../../../domain/canonical/sha256.ts"
import { InvariantViolation } from "../../../domain/foundation/errors.ts"
import {
  chainFault,
  EMPTY_HEAD,
  type EventEnvelope,
  type Head,
  headOf
} from "../../../domain/ledger/event-envelope.ts"
import { decodeEvent, type LedgerEvent } from "../../../domain/ledger/events.ts"
import { evolve, type FoldFault, type RowChange } from "../../../domain/ledger/evolve.ts"
import { MemoryTables } from "./memory-tables.ts"

export class MemoryLedger {
  readonly events: Array<EventEnvelope> = []
  readonly tables = new MemoryTables()
  private readonly sha256: Sha256
  private readonly listeners = new Set<() => void>()

  constructor(sha256: Sha256) {
    this.sha256 = sha256
  }

  get head(): Head {
    const newest = this.events.at(-1)
    return newest === undefined ? EMPTY_HEAD : headOf(newest)
  }

  /** Events behind a position, at most `limit`, those that are wanted. */
  eventsAfter(
    position: number,
    limit: number,
    isWanted: (event: EventEnvelope) => boolean = () => true
  ): ReadonlyArray<EventEnvelope> {
    const found: Array<EventEnvelope> = []
    for (let index = Math.max(0, position); index < this.events.length && found.length < limit; index++) {
      const event = this.events[index]
      if (event !== undefined && isWanted(event)) found.push(event)
    }
    return found
  }

  /** The rows that an event changes. */
  protected changesOf(event: LedgerEvent): Result.Result<ReadonlyArray<RowChange>, FoldFault> {
    return evolve(this.tables, event)
  }

  /** Appends an event and its rows; throws `InvariantViolation`, with nothing changed, where it cannot follow. */
  append(envelope: EventEnvelope): void {
    const fault = chainFault(this.sha256, this.head, envelope)
    if (fault !== undefined) throw new InvariantViolation({ message: fault })
    const changes = Result.flatMap(decodeEvent(envelope), (event) => this.changesOf(event))
    if (Result.isFailure(changes)) throw new InvariantViolation({ message: changes.failure.message })
    this.tables.apply(changes.success)
    this.events.push(envelope)
  }

  /** Runs a unit of work: what it appended stands when it returns, and is taken back when it throws. */
  transact<A>(work: () => A): A {
    const { length } = this.events
    this.tables.begin()
    let result: A
    try {
      result = work()
    } catch (error) {
      this.tables.rollback()
      this.events.length = length
      throw error
    }
    if (this.events.length > length) for (const listener of this.listeners) listener()
    return result
  }

  /** Calls back after each commit, until what this gives is called. */
  onCommit(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }
}
