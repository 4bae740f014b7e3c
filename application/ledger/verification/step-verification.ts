// The steps rung: every committed step has its one receipt, every receipt its committed step, both name the same
// lease, and no lease has ended unnoticed. It looks at the tables alone, so that it holds even where the log was
// forged together with them.
import type * as Effect from "effect/Effect"
import { receiptIdOf } from "../../../domain/ledger/ids.ts"
import { type ReceiptRow, rowOf, type StepRow } from "../../../domain/ledger/rows.ts"
import type { ReadError } from "../reading/ledger-reader.ts"
import { type FindingList, inTurns, ROWS_PER_TURN, type Rungs } from "./rungs.ts"

const checkPair = (list: FindingList, step: StepRow, receipt: ReceiptRow | undefined): void => {
  const where = `cassette_steps ${step.step_id}`
  if (step.status !== "COMMITTED") {
    if (receipt !== undefined) {
      list.add("RECEIPT_UNEXPECTED", `cassette_receipts ${receipt.receipt_id}`, `its step is ${step.status}`)
    }
    return
  }
  if (receipt === undefined) {
    list.add("RECEIPT_MISSING", where, "the step is COMMITTED and has no receipt")
    return
  }
  const agree =
    receipt.step_id === step.step_id &&
    receipt.job_id === step.job_id &&
    receipt.worker_id === step.lease_owner &&
    receipt.fencing_token === step.fencing_token
  if (!agree)
    list.add("RECEIPT_DISAGREES", where, "step, job, worker or token of the receipt are not the step's")
}

const checkLease = (list: FindingList, step: StepRow, expiryTime: string | undefined): void => {
  if (expiryTime === undefined || step.status !== "LEASED" || step.lease_expires_at === null) return
  if (expiryTime >= step.lease_expires_at) {
    list.add(
      "LEASE_EXPIRED",
      `cassette_steps ${step.step_id}`,
      `the lease of ${step.lease_owner} ended ${step.lease_expires_at}; requeue the step`
    )
  }
}

/** Walks steps and receipts together: receipt ids sort as the ids of their steps. */
function* walkSteps(
  { list, snapshot }: Rungs,
  runId: string | undefined,
  expiryTime: string | undefined
): Generator<undefined, void> {
  const receipts = snapshot.rows("cassette_receipts", runId)[Symbol.iterator]()
  const take = (): ReceiptRow | undefined => {
    const next = receipts.next()
    return next.done ? undefined : rowOf("cassette_receipts", next.value)
  }
  const orphan = (receipt: ReceiptRow) =>
    list.add("RECEIPT_UNEXPECTED", `cassette_receipts ${receipt.receipt_id}`, "there is no such step")
  let receipt = take()
  let walked = 0
  for (const cells of snapshot.rows("cassette_steps", runId)) {
    walked += 1
    if (walked % ROWS_PER_TURN === 0) yield
    const step = rowOf("cassette_steps", cells)
    const id = receiptIdOf(step.step_id)
    while (receipt !== undefined && receipt.receipt_id < id) {
      orphan(receipt)
      receipt = take()
    }
    const own = receipt?.receipt_id === id ? receipt : undefined
    checkPair(list, step, own)
    checkLease(list, step, expiryTime)
    if (own !== undefined) receipt = take()
  }
  for (; receipt !== undefined; receipt = take()) orphan(receipt)
}

/** Judges every step with its receipt and its lease, of one run or of all, as of a time. */
export const verifySteps = (
  rungs: Rungs,
  runId: string | undefined,
  expiryTime: string | undefined
): Effect.Effect<void, ReadError> => inTurns(walkSteps(rungs, runId, expiryTime))
