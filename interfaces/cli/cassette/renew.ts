// `cortex cassette renew`: a new lease of a step for the worker that holds it, with the next token. The old token is worth
// nothing at once.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import { decodeInput } from "../../../application/foundation/input.ts"
import { prepareRenewal, RenewLease } from "../../../domain/ledger/commands.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { warnAbout, withLedger } from "./open-ledger.ts"
import { runIdFlag, stepFlag, tokenFlag, ttlFlag, workerFlag } from "../../shared/flags.ts"

const decode = decodeInput(RenewLease, prepareRenewal)

export const renewCommand = Command.make(
  "renew",
  { runId: runIdFlag, step: stepFlag, worker: workerFlag, token: tokenFlag, ttl: ttlFlag("ttl") },
  Effect.fnUntraced(function* ({ runId, step, token, ttl, worker }) {
    const renewal: RenewLease = {
      run_id: runId,
      step_id: step,
      worker_id: worker,
      fencing_token: token,
      ttl_seconds: Option.getOrUndefined(ttl)
    }
    yield* Effect.fromResult(decode(renewal))
    const renewed = yield* withLedger("append", (ledger) =>
      Effect.andThen(warnAbout(ledger), ledger.renewLease(renewal))
    )
    yield* answer({
      data: renewed,
      lines: () =>
        fieldLines([
          ["step_id", renewed.step_id],
          ["fencing_token", String(renewed.fencing_token)],
          ["lease_expires_at", renewed.lease_expires_at]
        ])
    })
  })
).pipe(
  Command.withDescription(
    "Give the worker of a lease that still runs a new lease of the same step, from now on. It has the next fencing token; the old one finishes nothing any more."
  ),
  Command.withShortDescription("a new lease of a step for its worker"),
  Command.withExamples([
    {
      command: "cortex cassette renew --run-id r1 --step step_… --worker w1 --token 1",
      description: "prints the new token and the new end"
    },
    {
      command:
        "cortex cassette renew --run-id r1 --step step_… --worker w1 --token 2 --ttl 3600 --format json"
    }
  ])
)
