// The flags of lists over several runs: one run, the runs whose ids begin with a text, or all; and how many rows.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import { onlyRunFlag, prefixFlag } from "../../shared/flags.ts"
import { wholeNumberFlag } from "../../shared/options.ts"

export const runsFlags = (rows: string) => ({
  runId: onlyRunFlag,
  prefix: prefixFlag,
  limit: wholeNumberFlag("limit", 1).pipe(
    Flag.optional,
    Flag.withDescription(`at most this many ${rows} (default: all)`)
  )
})

interface Given {
  readonly runId: Option.Option<string>
  readonly prefix: Option.Option<string>
}

/** The runs that the flags name. */
export const runsAsked = ({ prefix, runId }: Given) => ({
  run_id: Option.getOrUndefined(runId),
  prefix: Option.getOrUndefined(prefix)
})

export const oneScope = ({ prefix, runId }: Given) =>
  Option.isSome(runId) && Option.isSome(prefix)
    ? Effect.fail(new CliError.ValidationError({ message: "Use either --run-id or --prefix" }))
    : Effect.void
