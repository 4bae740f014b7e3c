// Looking after workflows from outside, with this host's hashing: nothing here runs one, and nothing loads Effect's engine.
import {
  executionCounts,
  executions,
  type PersonsWake,
  showExecution,
  wakeExecution
} from "../../application/workflow/control.ts"
import type { LedgerShape } from "../../application/ledger/ledger.ts"
import { sha256 } from "../../infrastructure/hashing/node-hashing.ts"

/** The executions of a ledger that is open. */
export type Workflows = ReturnType<typeof workflowsOf>

/** Makes them of a ledger. */
export const workflowsOf = (ledger: LedgerShape) => ({
  all: executions(ledger),
  counts: executionCounts(ledger),
  show: (execution: string, isFull: boolean) => showExecution(ledger, sha256, execution, isFull),
  wake: (execution: string, wake: PersonsWake) => wakeExecution(ledger, sha256, execution, wake)
})
