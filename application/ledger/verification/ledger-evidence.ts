// The port for verification: one consistent snapshot of everything that is stored, and an empty place to fold
// the log into. What only the store can judge (its schema, its pages) comes as findings; the rest comes raw, so
// that the judgement is made by pure code. It must never repair anything.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FoldState, RowChange } from "../../../domain/ledger/evolve.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import type { LedgerTable, ThoughtRow } from "../../../domain/ledger/rows.ts"
import type { Cell } from "../../../domain/ledger/table-digest.ts"
import type { Finding } from "../../../domain/ledger/verification.ts"
import type { Page } from "../../../domain/foundation/page.ts"
import type { ReadError, RunSummary } from "../reading/ledger-reader.ts"

/** A consistent snapshot. Members are synchronous and throw `ReadError`s. */
export interface LedgerSnapshot {
  /** The version of the database that the ledger records: it is judged as one of that version. */
  readonly version: () => number
  /** Schema, pages, foreign keys, migrations, JSON columns. */
  readonly structure: () => ReadonlyArray<Finding>
  /** The schema alone, which does not grow with what is stored. */
  readonly schema: () => ReadonlyArray<Finding>
  /** How many events there are and the newest one's hash, undefined where there is none. */
  readonly head: () => { readonly size: number; readonly hash: string } | undefined
  /** Events behind a position in order, at most `limit`, of one stream or of all. */
  readonly eventsAfter: (position: number, limit: number, streamId?: string) => ReadonlyArray<EventEnvelope>
  /** The streams that have an event after a position, each once. */
  readonly streamsAfter: (position: number) => ReadonlyArray<string>
  /** Rows in key order with the columns of `ledgerTables`; of one run, or all. */
  readonly rows: (table: LedgerTable, runId?: string) => Iterable<ReadonlyArray<Cell>>
  /** Thoughts in order of task (as the bytes of its id) and event position; of one task, or all. */
  readonly thoughts: (taskId?: string) => Iterable<ThoughtRow>
  /** The events of tasks in the same order: stream, then position. */
  readonly taskEvents: (taskId?: string) => Iterable<EventEnvelope>
  /** Cells met since the last call that are not what their columns promise; their values were handed on as others. */
  readonly takeDamage: () => ReadonlyArray<Finding>
}

/** An empty place for the rows of a fold. Members are synchronous and throw `ReadError`s. */
export interface FoldTarget extends FoldState {
  /** Puts rows in, in place of rows with the same key; a row that cannot be stored throws. */
  readonly apply: (changes: ReadonlyArray<RowChange>) => void
  /** The rows that the fold made, in the order of their keys. */
  readonly rows: (table: LedgerTable) => Iterable<ReadonlyArray<Cell>>
  /** The thoughts in the order of their events. */
  readonly thoughts: () => Iterable<ReadonlyArray<Cell>>
  /** The runs in the order of their ids, as of a time (a timestamp). */
  readonly runs: (now: string, page: Page) => ReadonlyArray<RunSummary>
}

/**
 * Port: what verification reads, of one moment: the log, the tables, the schema, and an empty place for a second
 * fold.
 */
export class LedgerEvidence extends Context.Service<
  LedgerEvidence,
  {
    /** What people must know about the evidence itself: for example that a copy is examined. */
    readonly warnings: ReadonlyArray<string>
    /** The stored ledger as of one moment, until the scope ends. */
    readonly snapshot: Effect.Effect<LedgerSnapshot, ReadError, Scope.Scope>
    /** An empty ledger for a second fold, until the scope ends. */
    readonly foldTarget: Effect.Effect<FoldTarget, ReadError, Scope.Scope>
  }
>()("cortex-cassette/application/LedgerEvidence") {}
