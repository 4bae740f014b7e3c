// What becomes of leases that the engine holds: a step that is finished late, one that is given back, and leases of others that have ended.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CompleteStep, Lease } from "../../domain/ledger/commands.ts"
import { jobIdOfStep } from "../../domain/ledger/ids.ts"
import type { Recorded } from "../../domain/workflow/receipts.ts"
import type { JournalStep } from "../../domain/workflow/run-journal.ts"
import { MAX_BATCH_COMMANDS } from "../../domain/ledger/limits.ts"
import type { Execution, Host } from "./host.ts"
import { asked } from "./ledger-calls.ts"

/** Lets a leased step wait again; a lease that cannot be given back ends by itself. */
export const giveBack = ({ ledger }: Host, lease: Lease, reason: string): Effect.Effect<void> =>
  Effect.ignore(ledger.requeueStep({ ...lease, reason }))

/**
 * Finishes a step whose lease has ended. The token proves that no other process has had the step since: where one had, the
 * completion is refused, and what was claimed is given back.
 */
export const finishLate = Effect.fnUntraced(function* (
  host: Host,
  completion: CompleteStep,
  inside?: Execution
) {
  const { fencing_token, run_id, step_id, worker_id } = completion
  const job_id = jobIdOfStep(step_id)
  const { ttl_seconds } = host
  const [, claimed, completed] = yield* asked(
    host.ledger.commands([
      { _tag: "RequeueStep", run_id, step_id, reason: "expired", requested_by: worker_id },
      { _tag: "ClaimStep", run_id, job_id, worker_id, ttl_seconds },
      { _tag: "CompleteStep", ...completion, fencing_token: fencing_token + 1 }
    ]),
    inside
  )
  if (Result.isSuccess(completed)) return true
  if (Result.isSuccess(claimed))
    yield* giveBack(host, claimed.success.lease, "another process had it meanwhile")
  return false
})

/** Claims and finishes steps that wait, without doing anything for them; what another process has is left to it. */
export const dismiss = Effect.fnUntraced(function* (
  { ledger, ttl_seconds, worker_id }: Host,
  run_id: string,
  steps: ReadonlyArray<readonly [step: JournalStep, end: Recorded]>
) {
  for (let start = 0; start < steps.length; start += MAX_BATCH_COMMANDS / 2) {
    yield* Effect.orDie(
      asked(
        ledger.commands(
          steps.slice(start, start + MAX_BATCH_COMMANDS / 2).flatMap(([step, { outcome, receipt }]) => [
            { _tag: "ClaimStep", run_id, job_id: step.job_id, worker_id, ttl_seconds } as const,
            {
              _tag: "CompleteStep",
              run_id,
              step_id: step.step_id,
              worker_id,
              fencing_token: step.token + 1,
              receipt_payload: receipt,
              outcome
            } as const
          ])
        )
      )
    )
  }
})

/** Lets a step wait again whose lease has ended. */
export const requeueExpired = (host: Host, run_id: string, step_id: string) =>
  Effect.result(
    asked(host.ledger.requeueStep({ run_id, step_id, reason: "expired", requested_by: host.worker_id }))
  )
