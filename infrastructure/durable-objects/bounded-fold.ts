// The place to fold a log into inside an object, which has 128 MB for everything and no second database: rows in memory, up to a
// bound. Beyond it the fold ends with an error that says what to do, before the platform ends the object.
import { MemoryTables } from "../../application/ledger/memory/memory-tables.ts"
import type { FoldTarget } from "../../application/ledger/verification/ledger-evidence.ts"
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import { unitsOf } from "../../domain/ledger/fold-lookups.ts"
import type { RowChange } from "../../domain/ledger/evolve.ts"

/** Most that a fold may hold (UTF-16 units, with what a row takes beside its text): 64 MB where every text has two bytes a unit. */
export const MAX_FOLD_UNITS = 32 * 1_048_576

/** An empty place; `name` is what errors call the ledger. */
export const boundedFold = (name: string, maxUnits: number): FoldTarget => {
  let tables = new MemoryTables()
  let units = 0
  /** What a change adds: a step is changed again and again, and a row of any other table comes once. */
  const added = ({ row, table }: RowChange): number =>
    table === "cassette_steps" && tables.step(row.step_id) !== undefined ? 0 : unitsOf(row)
  return {
    step: (id) => tables.step(id),
    firstPending: (runId, jobId) => tables.firstPending(runId, jobId),
    messageOfKey: (runId, key) => tables.messageOfKey(runId, key),
    hasThought: (id) => tables.hasThought(id),
    rows: (table) => tables.rows(table),
    thoughts: () => tables.thoughts(),
    runs: (now, page) => tables.runs(now, page),
    apply: (changes) => {
      for (const change of changes) units += added(change)
      if (units > maxUnits) {
        tables = new MemoryTables()
        throw new StorageFailure({
          file: name,
          code: "FOLD_TOO_LARGE",
          reason: `what its events make has more than ${maxUnits} units, too much for the memory of an object: verify one run, leave out the rung projections, or export the ledger and verify it on a machine`
        })
      }
      // Nothing is ever taken back, so what stood there before is let go.
      tables.begin()
      tables.apply(changes)
    }
  }
}
