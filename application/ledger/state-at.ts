// The state as of an earlier position or time, folded from the log in memory. It asks the events alone, never the tables,
// so it answers the same on any copy of the history. For a whole ledger it holds every row of that moment.
import * as Effect from "effect/Effect"
import { isTimestamp } from "../../domain/canonical/timestamp.ts"
import { InvalidInput } from "../../domain/ledger/errors.ts"
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
import { LedgerEvidence, type LedgerSnapshot } from "./ledger-evidence.ts"
import type { ReadError } from "./ledger-reader.ts"
import { foldInto } from "./projection-verification.ts"
import { reading } from "./rungs.ts"

/** When: the last position whose event counts, or a time (a timestamp) up to which events count. */
export type StateAtOptions = ({ readonly position: number } | { readonly time: string }) & {
  /** Only this run. */
  readonly runId?: string | undefined
}

export interface LedgerState {
  /** The position that was asked for, or that of the newest event at the time. */
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

/** The position of the newest event up to a time; times never go back along the log. */
const positionAt = (snapshot: LedgerSnapshot, time: string): number => {
  let low = 0
  let high = snapshot.head()?.size ?? 0
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const [event] = snapshot.eventsAfter(middle - 1, 1)
    if (event !== undefined && event.recorded_at <= time) low = middle
    else high = middle - 1
  }
  return low
}

const notATime = (time: string) => {
  const message = `${JSON.stringify(time)} is no time of the form 2026-11-27T10:11:12.345Z`
  return new InvalidInput({ message: `/time: ${message}`, issues: [{ path: "/time", message }] })
}

/** Folds the log up to a position or a time; an event that cannot follow from those before it is `StoreCorrupt`. */
export const stateAt = (
  options: StateAtOptions
): Effect.Effect<LedgerState, ReadError | InvalidInput, LedgerEvidence> =>
  Effect.scoped(
    Effect.gen(function* () {
      const time = "time" in options ? options.time : undefined
      if (time !== undefined && !isTimestamp(time)) return yield* notATime(time)
      const evidence = yield* LedgerEvidence
      const snapshot = yield* evidence.snapshot
      const position =
        "time" in options ? yield* reading(() => positionAt(snapshot, options.time)) : options.position
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
      yield* foldInto(snapshot, target, impossible, { streamId, upTo: position })
      return {
        position,
        messages: [...rows.cassette_messages.values()],
        jobs: [...rows.cassette_jobs.values()],
        steps: [...rows.cassette_steps.values()],
        receipts: [...rows.cassette_receipts.values()],
        thoughts: [...rows.thought_records.values()]
      }
    })
  )
