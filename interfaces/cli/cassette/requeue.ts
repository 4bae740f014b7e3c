// `cortex cassette requeue`: lets a leased step wait again. It never happens by itself, and it always has a reason.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { decodeInput } from "../../../application/foundation/input.ts"
import { DEFAULT_REQUESTER, prepareRequeue, RequeueStep } from "../../../domain/ledger/commands.ts"
import { switchFlag } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { warnAbout, withLedger } from "./open-ledger.ts"
import { runIdFlag, stepFlag, textFlag, tokenFlag, workerFlag } from "../../shared/flags.ts"

const decode = decodeInput(RequeueStep, prepareRequeue)

export const requeueCommand = Command.make(
  "requeue",
  {
    runId: runIdFlag,
    step: stepFlag,
    reason: textFlag("reason", "TEXT", "why; it is kept in the log"),
    by: textFlag("by", "NAME", `who asks (default: the worker, else ${DEFAULT_REQUESTER})`).pipe(
      Flag.optional
    ),
    force: switchFlag("force", "before the lease has ended, without its worker and token"),
    worker: workerFlag.pipe(
      Flag.withDescription("the lease's worker, who gives the step back early; needs --token"),
      Flag.optional
    ),
    token: tokenFlag.pipe(Flag.optional)
  },
  Effect.fnUntraced(function* ({ by, force, reason, runId, step, token, worker }) {
    const requeue: RequeueStep = {
      run_id: runId,
      step_id: step,
      reason,
      requested_by: Option.getOrUndefined(by),
      worker_id: Option.getOrUndefined(worker),
      fencing_token: Option.getOrUndefined(token),
      force
    }
    yield* Effect.fromResult(decode(requeue))
    const requeued = yield* withLedger("append", (ledger) =>
      Effect.andThen(warnAbout(ledger), ledger.requeueStep(requeue))
    )
    yield* answer({
      data: requeued,
      lines: () =>
        fieldLines([
          ["step_id", requeued.step_id],
          ["status", requeued.status],
          ["fencing_token", String(requeued.fencing_token)],
          ["cause", requeued.cause]
        ])
    })
  })
).pipe(
  Command.validate(({ force, token, worker }) => {
    const lease = Option.isSome(worker) || Option.isSome(token)
    if (Option.isSome(worker) !== Option.isSome(token)) {
      return Effect.fail(
        new CliError.ValidationError({ message: "--worker and --token go together: give both" })
      )
    }
    return force && lease
      ? Effect.fail(
          new CliError.ValidationError({ message: "Use either --force or --worker with --token, not both" })
        )
      : Effect.void
  }),
  Command.withDescription(
    "Let a leased step wait again: when its lease has ended, by its own worker, or by force. The next claim gets a new token."
  ),
  Command.withShortDescription("let a leased step wait again"),
  Command.withExamples([
    {
      command: 'cortex cassette requeue --run-id r1 --step step_… --reason "worker died"',
      description: "after the lease has ended"
    },
    {
      command: 'cortex cassette requeue --run-id r1 --step step_… --reason "not mine" --worker w1 --token 1',
      description: "given back early by its worker"
    },
    {
      command:
        'cortex cassette requeue --run-id r1 --step step_… --reason "clock was wrong" --force --by alice',
      description: "at any time"
    }
  ])
)
