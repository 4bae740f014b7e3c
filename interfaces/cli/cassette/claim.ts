// `cortex cassette claim`: the oldest waiting step, under a lease with a fencing token.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { decodeInput } from "../../../application/foundation/input.ts"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { ClaimStep, prepareClaim } from "../../../domain/ledger/commands.ts"
import { DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS } from "../../../domain/ledger/limits.ts"
import { wholeNumberFlag } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { warnAbout, withLedger } from "./open-ledger.ts"
import { runIdFlag, textFlag, workerFlag } from "../../shared/flags.ts"

const decode = decodeInput(ClaimStep, prepareClaim)

export const claimCommand = Command.make(
  "claim",
  {
    runId: runIdFlag,
    worker: workerFlag,
    ttl: wholeNumberFlag("ttl", 0).pipe(
      Flag.withMetavar("SECONDS"),
      Flag.optional,
      Flag.withDescription(
        `how long the lease lasts, 1 to ${MAX_TTL_SECONDS} (default ${DEFAULT_TTL_SECONDS})`
      )
    ),
    job: textFlag("job", "J", "of this job only").pipe(Flag.optional)
  },
  Effect.fnUntraced(function* ({ job, runId, ttl, worker }) {
    const claim: ClaimStep = {
      run_id: runId,
      worker_id: worker,
      job_id: Option.getOrUndefined(job),
      ttl_seconds: Option.getOrUndefined(ttl)
    }
    yield* Effect.fromResult(decode(claim))
    const claimed = yield* withLedger("append", (ledger) =>
      Effect.andThen(warnAbout(ledger), ledger.claimStep(claim))
    )
    yield* answer({
      data: claimed,
      lines: () =>
        fieldLines([
          ["step_id", claimed.step_id],
          ["job_id", claimed.job_id],
          ["message_id", claimed.message_id],
          ["ordinal", String(claimed.ordinal)],
          ["fencing_token", String(claimed.fencing_token)],
          ["lease_expires_at", claimed.lease_expires_at],
          ["payload", jcsText(claimed.payload)]
        ])
    })
  })
).pipe(
  Command.withDescription("Claim the oldest waiting step of a run under a lease with a fencing token."),
  Command.withShortDescription("claim the oldest waiting step"),
  Command.withExamples([
    { command: "cortex cassette claim --run-id r1 --worker w1" },
    { command: "cortex cassette claim --run-id r1 --worker w1 --ttl 60 --format json" }
  ])
)
