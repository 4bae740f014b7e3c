// The executions of a ledger in one line: how many stand where, and which suspended one has stood still for the longest time.
import type { ExecutionCounts } from "../../../application/workflow/control.ts"
import { EXECUTION_STATUSES } from "../../../domain/workflow/turn-decision.ts"

/** `2 running, 1 suspended (Order/o-1 since …, waits: gate), 1 failed`; undefined where there is no execution. */
export const executionsText = ({ counts, longest_suspended: longest, more }: ExecutionCounts) => {
  const parts = EXECUTION_STATUSES.flatMap((status) => {
    const count = counts[status] ?? 0
    if (count === 0) return []
    if (status !== "suspended" || longest === null) return [`${count} ${status}`]
    const waits = longest.waits.length === 0 ? "" : `, waits: ${longest.waits.join(", ")}`
    return [`${count} suspended (${longest.execution} since ${longest.since}${waits})`]
  })
  if (parts.length === 0) return undefined
  return `${parts.join(", ")}${more ? ", and more" : ""}`
}
