// `cortex cassette log`: the event log as a timeline, or as JSON lines, once or for as long as it is read.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { Format, switchFlag, wholeNumberFlag } from "../../shared/options.ts"
import { writeResult, writeWarnings } from "../output.ts"
import { eventJsonLine, eventTextLine } from "./event-lines.ts"
import { requireRun, warnAbout, withLedger } from "./open-ledger.ts"
import { readOptions } from "./read-options.ts"
import { onlyRunFlag } from "../../shared/flags.ts"

export const logCommand = Command.make(
  "log",
  {
    runId: onlyRunFlag,
    after: wholeNumberFlag("after", 0).pipe(
      Flag.withDefault(0),
      Flag.withDescription("start after this position (default 0: from the first event)")
    ),
    limit: wholeNumberFlag("limit", 1).pipe(Flag.optional, Flag.withDescription("at most this many events")),
    follow: switchFlag("follow", "go on with new events, of other processes too, until it is stopped")
  },
  Effect.fnUntraced(function* ({ after, follow, limit, runId }) {
    const { run_id } = yield* readOptions({ runId })
    const line = (yield* Format) === "json" ? eventJsonLine : eventTextLine
    yield* withLedger("read", (ledger) =>
      Effect.gen(function* () {
        const events = ledger.events({ after, runId: run_id, live: follow })
        const wanted = Option.isSome(limit) ? Stream.take(events, limit.value) : events
        yield* warnAbout(ledger)
        // Following may begin before the run's first message. A mistyped run is seen in the warning.
        yield* Effect.catchTag(requireRun(ledger, run_id), "RunNotFound", (error) =>
          follow ? writeWarnings([`${error.message}; waiting for its first message`]) : Effect.fail(error)
        )
        yield* Stream.runForEachArray(wanted, (page) =>
          writeResult(page.map((event) => `${line(event)}\n`).join(""))
        )
      })
    )
  })
).pipe(
  Command.withDescription(
    "Print the event log in order, one event per line. With --format json every line is one event with its data, without an envelope; an error is the last line. A run that is not there is refused; with --follow it is waited for, and a warning says so."
  ),
  Command.withShortDescription("print the event log"),
  Command.withExamples([
    { command: "cortex cassette log --run-id r1" },
    { command: "cortex cassette log --after 100 --limit 50 --format json" },
    { command: "cortex cassette log --follow", description: "ends with Ctrl-C" }
  ])
)
