// What the events say of a message's rows and of one step, folded alone: to show the step as the log has it, and to tell where a
// table says something else.
import * as Result from "effect/Result"
import type { LedgerEvent } from "../ledger/events.ts"
import { evolve, type FoldState, type RowChange } from "../ledger/evolve.ts"
import { type LedgerTable, ledgerTables, type StepRow } from "../ledger/rows.ts"

const BEFORE_ALL: FoldState = {
  step: () => undefined,
  firstPending: () => undefined,
  messageOfKey: () => undefined,
  hasThought: () => false
}

/** The rows that a message brings, unless its event could not have been written. */
export const rowsOfMessage = (event: LedgerEvent): ReadonlyArray<RowChange> =>
  Result.getOrElse(evolve(BEFORE_ALL, event), () => [])

/** The step after its events, in the order of the log; an event that cannot follow is a fault, and changes nothing. */
export const stepAfter = (
  born: StepRow,
  events: ReadonlyArray<LedgerEvent>
): { readonly step: StepRow; readonly faults: ReadonlyArray<string> } => {
  let step = born
  const faults: Array<string> = []
  for (const event of events) {
    // Which of a run's steps is claimed first is for verification to say.
    const state: FoldState = { ...BEFORE_ALL, step: () => step, firstPending: () => step.step_id }
    const changes = evolve(state, event)
    if (Result.isFailure(changes)) faults.push(`event ${event.position}: ${changes.failure.message}`)
    else for (const { row, table } of changes.success) if (table === "cassette_steps") step = row
  }
  return { step, faults }
}

/** The columns in which a stored row is not what the events say. */
export const rowDifferences = <Row extends object>(
  table: LedgerTable,
  said: Row,
  stored: Row | undefined
): ReadonlyArray<string> => {
  if (stored === undefined) return [`${table} has no such row`]
  return ledgerTables[table].columns.flatMap((column) => {
    const name = column as keyof Row & string
    return said[name] === stored[name]
      ? []
      : `${name}: the table says ${JSON.stringify(stored[name])}, the events say ${JSON.stringify(said[name])}`
  })
}
