// The state as of an earlier position, folded from the log in memory. It asks the events alone, never the tables,
// so it answers the same on any copy of the history. For a whole ledger it holds every row of that moment.
import * as Effect from "effect/Effect"
import { runStream } from "../../domain/ledger/event-envelope.ts"
import type { RowChange } from "../../domain/ledger/evolve.ts"
import type {
  JobRow,
  LedgerTable,
  MessageRow,
  ReceiptRow,
  StepRow,
  ThoughtRow
} from "../../domain/ledger/rows.ts"
import { ledgerTables } from "../../domain/ledger/rows.ts"
import { corrupt } from "./head-guard.ts"
import { LedgerEvidence } from "./ledger-evidence.ts"
import type { ReadError } from "./ledger-reader.ts"
import { foldInto } from "./projection-verification.ts"

export interface StateAtOptions {
  /** The last position whose event counts. */
  readonly position: number
  /** Only this run. */
  readonly runId?: string | undefined
}

export interface LedgerState {
  readonly position: number
  readonly messages: ReadonlyArray<MessageRow>
  readonly jobs: ReadonlyArray<JobRow>
  readonly steps: ReadonlyArray<StepRow>
  readonly receipts: ReadonlyArray<ReceiptRow>
  /** Empty when a run was asked for: thoughts belong to tasks. */
  readonly thoughts: ReadonlyArray<ThoughtRow>
}

type Rows = { readonly [T in LedgerTable]: Map<string, Extract<RowChange, { table: T }>["row"]> }

const emptyRows = (): Rows => ({
  cassette_meta: new Map(),
  cassette_messages: new Map(),
  cassette_jobs: new Map(),
  cassette_steps: new Map(),
  cassette_receipts: new Map(),
  thought_records: new Map()
})

const put = (rows: Rows, { row, table }: RowChange): void => {
  const key = (row as unknown as Readonly<Record<string, string>>)[ledgerTables[table].key]
  if (key !== undefined) (rows[table] as Map<string, typeof row>).set(key, row)
}

/** Folds the log up to a position; an event that cannot follow from those before it is `StoreCorrupt`. */
export const stateAt = (options: StateAtOptions): Effect.Effect<LedgerState, ReadError, LedgerEvidence> =>
  Effect.scoped(
    Effect.gen(function* () {
      const evidence = yield* LedgerEvidence
      const snapshot = yield* evidence.snapshot
      const rows = emptyRows()
      const target = {
        step: (stepId: string) => rows.cassette_steps.get(stepId),
        apply: (changes: ReadonlyArray<RowChange>) => {
          for (const change of changes) put(rows, change)
        }
      }
      const impossible = (position: number, message: string) => {
        throw corrupt({ code: "FOLD_IMPOSSIBLE", where: `event ${position}`, message })
      }
      const streamId = options.runId === undefined ? undefined : runStream(options.runId)
      yield* foldInto(snapshot, target, impossible, { streamId, upTo: options.position })
      return {
        position: options.position,
        messages: [...rows.cassette_messages.values()],
        jobs: [...rows.cassette_jobs.values()],
        steps: [...rows.cassette_steps.values()],
        receipts: [...rows.cassette_receipts.values()],
        thoughts: [...rows.thought_records.values()]
      }
    })
  )
