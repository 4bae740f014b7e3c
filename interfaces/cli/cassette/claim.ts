// `cortex cassette claim`: the oldest waiting step of a run or of any run, under a lease with a fencing token; it may wait for
// one. A stop ends the waiting with nothing claimed.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { decodeInput } from "../../../application/foundation/input.ts"
import type { LedgerShape } from "../../../application/ledger/ledger.ts"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { ClaimAny, ClaimStep, prepareClaim, prepareClaimAny } from "../../../domain/ledger/commands.ts"
import type { Claimed } from "../../../domain/ledger/decide.ts"
import { switchFlag, wholeNumberFlag } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { warnAbout, withLedger } from "./open-ledger.ts"
import { prefixFlag, runIdFlag, textFlag, ttlFlag, workerFlag } from "../../shared/flags.ts"
import { traceparentFlag, traceparentOf } from "./trace.ts"

const decodeStep = decodeInput(ClaimStep, prepareClaim)
const decodeAny = decodeInput(ClaimAny, prepareClaimAny)

type Who = Omit<ClaimStep, "run_id" | "job_id">
interface Place {
  readonly run_id: string | undefined
  readonly job_id: string | undefined
  readonly prefix: string | undefined
  readonly after_run: string | undefined
}

/** The claim of a run or of any, judged before a file is opened; `wait` is in milliseconds. */
const claimOf = (who: Who, { after_run, job_id, prefix, run_id }: Place) => {
  if (run_id === undefined) {
    const claim: ClaimAny = { ...who, prefix, after_run }
    return Result.map(
      decodeAny(claim),
      () => (ledger: LedgerShape, wait: number) => ledger.claimAny({ ...claim, wait })
    )
  }
  const claim: ClaimStep = { ...who, run_id, job_id }
  return Result.map(
    decodeStep(claim),
    () => (ledger: LedgerShape, wait: number) => ledger.claimStep({ ...claim, wait })
  )
}

const claimedLines = (claimed: Claimed) =>
  fieldLines([
    ["step_id", claimed.step_id],
    ["run_id", claimed.lease.run_id],
    ["job_id", claimed.job_id],
    ["message_id", claimed.message_id],
    ["ordinal", String(claimed.ordinal)],
    ["fencing_token", String(claimed.fencing_token)],
    ["lease_expires_at", claimed.lease_expires_at],
    ["payload", jcsText(claimed.payload)]
  ])

const usage = (message: string) => Effect.fail(new CliError.ValidationError({ message }))

export const claimCommand = Command.make(
  "claim",
  {
    runId: runIdFlag.pipe(Flag.optional),
    any: switchFlag("any", "of any run, in place of --run-id: of the next run that has a waiting step"),
    prefix: prefixFlag,
    afterRun: textFlag(
      "after-run",
      "R",
      "with --any: start behind this run and go round, so that every run gets a turn"
    ).pipe(Flag.optional),
    worker: workerFlag,
    ttl: ttlFlag("ttl"),
    job: textFlag("job", "J", "of this job only").pipe(Flag.optional),
    wait: wholeNumberFlag("wait", 0).pipe(
      Flag.withMetavar("SECONDS"),
      Flag.withDefault(0),
      Flag.withDescription("how long to wait for a step, in whole seconds (default 0)")
    ),
    traceparent: traceparentFlag
  },
  Effect.fnUntraced(function* ({ afterRun, job, prefix, runId, traceparent, ttl, wait, worker }) {
    const claim = yield* Effect.fromResult(
      claimOf(
        {
          worker_id: worker,
          ttl_seconds: Option.getOrUndefined(ttl),
          traceparent: yield* traceparentOf(traceparent)
        },
        {
          run_id: Option.getOrUndefined(runId),
          job_id: Option.getOrUndefined(job),
          prefix: Option.getOrUndefined(prefix),
          after_run: Option.getOrUndefined(afterRun)
        }
      )
    )
    const claimed = yield* withLedger("append", (ledger) =>
      Effect.andThen(warnAbout(ledger), claim(ledger, wait * 1_000))
    )
    yield* answer({ data: claimed, lines: () => claimedLines(claimed) })
  })
).pipe(
  Command.validate(({ afterRun, any, job, prefix, runId }) => {
    if (any === Option.isSome(runId)) return usage("Use either --run-id or --any")
    if (any && Option.isSome(job)) return usage("--job needs --run-id")
    return !any && (Option.isSome(prefix) || Option.isSome(afterRun))
      ? usage("--prefix and --after-run need --any")
      : Effect.void
  }),
  Command.withDescription(
    "Claim the oldest waiting step of a run, or of any run, under a lease with a fencing token. With --wait it answers as soon as there is one; a command that is stopped has claimed nothing."
  ),
  Command.withShortDescription("claim the oldest waiting step"),
  Command.withExamples([
    { command: "cortex cassette claim --run-id r1 --worker w1" },
    { command: "cortex cassette claim --run-id r1 --worker w1 --ttl 60 --format json" },
    {
      command: "cortex cassette claim --any --prefix mail- --worker w1 --wait 30",
      description: "of the runs whose names begin so, as soon as a step waits there"
    }
  ])
)
