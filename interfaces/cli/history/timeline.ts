// `cortex timeline`: the log as sentences, of one run or of all.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { MAX_PAGE_ROWS } from "../../../domain/foundation/page.ts"
import type { HistoryShape, TimelineOptions } from "../../../application/history/history.ts"
import { ledgerFlags } from "../cassette/ledger-flags.ts"
import { warnAbout, withHistory } from "../cassette/open-ledger.ts"
import { readOptions } from "../cassette/read-options.ts"
import type { CommandGroup } from "../command-group.ts"
import { onlyRunFlag } from "../../shared/flags.ts"
import { wholeNumberFlag } from "../../shared/options.ts"
import type { Line } from "../../shared/terminal-text.ts"
import { answerStreamed } from "../output.ts"
import { timelineLines } from "./timeline-lines.ts"

interface Asked extends TimelineOptions {
  readonly limit: number | undefined
  readonly last: number | undefined
}

/** The entries that were asked for, oldest first. */
const entriesOf = (history: HistoryShape, { last, limit, ...options }: Asked) => {
  if (last !== undefined) {
    return Stream.fromIterableEffect(
      Effect.map(history.newest({ run_id: options.run_id, limit: last }), (entries) => entries.toReversed())
    )
  }
  const all = history.timeline(options)
  return limit === undefined ? all : Stream.take(all, limit)
}

export const timelineCommand: CommandGroup<"timeline"> = Command.make(
  "timeline",
  {
    runId: onlyRunFlag,
    after: wholeNumberFlag("after", 0).pipe(
      Flag.optional,
      Flag.withDescription("start after this position (default 0: from the first event)")
    ),
    limit: wholeNumberFlag("limit", 1).pipe(
      Flag.optional,
      Flag.withDescription("at most this many events (default: all)")
    ),
    last: wholeNumberFlag("last", 1).pipe(
      Flag.optional,
      Flag.withDescription(`only so many of the newest events, at most ${MAX_PAGE_ROWS}`)
    )
  },
  Effect.fnUntraced(function* ({ after, last, limit, runId }) {
    const { run_id } = yield* readOptions({ runId })
    const asked = {
      run_id,
      after: Option.getOrUndefined(after),
      limit: Option.getOrUndefined(limit),
      last: Option.getOrUndefined(last)
    }
    yield* withHistory((history, ledger) =>
      Effect.gen(function* () {
        yield* warnAbout(ledger)
        const entries = entriesOf(history, asked)
        const lines = timelineLines(run_id === undefined)
        yield* answerStreamed({
          data: { run_id: run_id ?? null, entries },
          lines: Stream.flatMap(entries, (entry) => Stream.fromIterable<Line>(lines(entry)))
        })
      })
    )
  })
).pipe(
  Command.validate(({ after, last, limit }) =>
    Option.isSome(last) && (Option.isSome(after) || Option.isSome(limit))
      ? Effect.fail(new CliError.ValidationError({ message: "Use either --last or --after and --limit" }))
      : Effect.void
  ),
  Command.withDescription(
    "Tell what happened, one sentence for each event: position, time (UTC), the beginning of the event's hash, who did what with which token, how long it took, and why a step waits again. With --run-id the run and the thoughts of the task of its name. cortex show takes a position or a step's numbers from here and shows the rest. What a dossier tells without a ledger, cortex dossier show has."
  ),
  Command.withShortDescription("tell what happened, as sentences"),
  Command.withExamples([
    { command: "cortex timeline --run-id r1" },
    { command: "cortex timeline --run-id r1 --last 20", description: "how it ended" },
    { command: "cortex timeline --after 100 --limit 50 --format json" }
  ]),
  Command.withGlobalFlags(ledgerFlags)
)
