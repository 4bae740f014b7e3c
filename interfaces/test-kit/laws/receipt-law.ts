// Receipts: a completion that was accepted has its receipt, a step has one, and none ever changes or goes.
import * as Effect from "effect/Effect"
import { assertSame } from "../../../domain/foundation/given-when-then.ts"
import type { ReceiptRow } from "../../../domain/ledger/rows.ts"
import { anyPlan } from "../ledger-commands.ts"
import { broken, type Law, oneByOne, MOST_TOGETHER } from "../law.ts"
import { RUNS } from "../ledger-model.ts"

export const receiptLaw: Law = {
  name: "a step has one receipt, of the completion that was accepted, and it never changes",
  plans: anyPlan,
  together: MOST_TOGETHER,
  jumps: true,
  reopens: false,
  watch: (real) => {
    const known = new Map<string, Partial<ReceiptRow>>()
    return {
      see: async (given) => {
        for (const { answer, command } of oneByOne(given)) {
          if (command.kind !== "complete" || answer.tag !== "done") continue
          const { fencing_token, outcome, receipt_payload, step_id, worker_id } = command
          if (known.has(step_id)) broken(`${step_id} was completed twice`)
          const receipt_json = JSON.stringify(receipt_payload)
          known.set(step_id, {
            step_id,
            worker_id,
            fencing_token,
            receipt_json,
            outcome: outcome as ReceiptRow["outcome"]
          })
        }
        const receipts = (
          await real.run(Effect.forEach(RUNS, (run_id) => real.ledger.receipts({ run_id })))
        ).flat()
        for (const receipt of receipts) {
          const before =
            known.get(receipt.step_id) ?? broken(`${receipt.step_id} has a receipt of no completion`)
          assertSame(`The receipt of ${receipt.step_id}`, before, receipt, true)
          known.set(receipt.step_id, receipt)
        }
        const found = new Set(receipts.map(({ step_id }) => step_id))
        if (found.size < receipts.length) broken("a step has several receipts")
        for (const step of known.keys())
          if (!found.has(step)) broken(`${step} was completed and has no receipt`)
      }
    }
  }
}
