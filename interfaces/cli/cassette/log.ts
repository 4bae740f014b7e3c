// `cortex cassette log`: the event log as a timeline, or as JSON lines, once or for as long as it is read.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { SelectEvents } from "../../../application/history/selected-events.ts"
import { EVENT_TYPES } from "../../../domain/ledger/events.ts"
import { Format, switchFlag, wholeNumberFlag } from "../../shared/options.ts"
import { writeResult, writeWarnings } from "../output.ts"
import { eventJsonLine, eventTextLine } from "./event-lines.ts"
import { requireRun, warnAbout, withHistory } from "./open-ledger.ts"
import { readOptions } from "./read-options.ts"
import { onlyRunFlag, textFlag } from "../../shared/flags.ts"

export const logCommand = Command.make(
  "log",
  {
    runId: onlyRunFlag,
    after: wholeNumberFlag("after", 0).pipe(
      Flag.withDefault(0),
      Flag.withDescription("start after this position (default 0: from the first event)")
    ),
    limit: wholeNumberFlag("limit", 1).pipe(
      Flag.optional,
      Flag.withDescription("at most this many events (default: all)")
    ),
    type: Flag.Literals("type", EVENT_TYPES).pipe(
      Flag.withMetavar("TYPE"),
      Flag.optional,
      Flag.withDescription("only events of this type")
    ),
    worker: textFlag("worker", "W", "only what this worker claimed, renewed, finished or lost").pipe(
      Flag.optional
    ),
    step: textFlag(
      "step",
      "S",
      "only the events of this step: its id, the beginning of it, or its numbers"
    ).pipe(Flag.optional),
    since: textFlag(
      "since",
      "TIME",
      "only events of this time or later, such as 2026-11-27T10:11:12.345Z"
    ).pipe(Flag.optional),
    until: textFlag("until", "TIME", "only events of this time or earlier").pipe(Flag.optional),
    follow: switchFlag("follow", "go on with new events, of other processes too, until it is stopped")
  },
  Effect.fnUntraced(function* ({ after, follow, limit, runId, since, step, type, until, worker }) {
    const { run_id } = yield* readOptions({ runId, since, until })
    const wantedEvents: SelectEvents = {
      run_id,
      after,
      type: Option.getOrUndefined(type),
      worker_id: Option.getOrUndefined(worker),
      step: Option.getOrUndefined(step),
      since: Option.getOrUndefined(since),
      until: Option.getOrUndefined(until),
      live: follow
    }
    const line = (yield* Format) === "json" ? eventJsonLine : eventTextLine
    yield* withHistory((history, ledger) =>
      Effect.gen(function* () {
        const events = history.events(wantedEvents)
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
    "Print the event log in order, one event per line; with filters those events that all of them allow. With --format json every line is one event with its data, without an envelope; an error is the last line. A run that is not there is refused; with --follow it is waited for, and a warning says so."
  ),
  Command.withShortDescription("print the event log"),
  Command.withExamples([
    { command: "cortex cassette log --run-id r1" },
    { command: "cortex cassette log --after 100 --limit 50 --format json" },
    { command: "cortex cassette log --type StepRequeued --since 2026-11-27T00:00:00.000Z" },
    { command: "cortex cassette log --step 2.1.1", description: "the story of one step" },
    { command: "cortex cassette log --follow", description: "ends with Ctrl-C" }
  ])
)
