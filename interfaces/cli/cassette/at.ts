// `cortex cassette at`: the state as it was at a position or a time, folded from the log. It asks the events alone, so
// that it answers the same on any copy of the history, with any tables.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type { StateRows } from "../../../application/ledger/reading/state-at.ts"
import { isTimestamp } from "../../../domain/canonical/timestamp.ts"
import { refusedFlag } from "../../shared/options.ts"
import { answerStreamed, tables } from "../output.ts"
import { type Line, fieldLines } from "../../shared/terminal-text.ts"
import { requireRun, warnAbout, withLedger } from "./open-ledger.ts"
import { readOptions } from "./read-options.ts"
import { onlyRunFlag } from "../../shared/flags.ts"

/** What the argument says: a position in whole decimal digits, or a time. */
const momentOf = (text: string) => {
  const position = Number(text)
  if (/^(?:0|[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(position)) return Effect.succeed({ position })
  return isTimestamp(text)
    ? Effect.succeed({ time: text })
    : Effect.fail(
        refusedFlag(
          "position-or-time",
          `${JSON.stringify(text)} is no position (whole decimal digits) and no time (2026-11-27T10:11:12.345Z)`
        )
      )
}

const stepsLines = (steps: StateRows["steps"]) =>
  tables(
    ["step", "status", "owner", "token", "lease ends"],
    Stream.map(steps, (step) => [
      step.step_id,
      step.status,
      step.lease_owner ?? "-",
      String(step.fencing_token),
      step.lease_expires_at ?? "-"
    ])
  )

const runsLines = (runs: StateRows["runs"]) =>
  tables(
    ["run", "messages", "pending", "leased", "committed"],
    Stream.map(runs, (run) => [
      run.run_id,
      ...[run.messages, run.pending, run.leased, run.committed].map(String)
    ])
  )

/** The lines for people: how much there is, then every run, or every step of the run that was asked for. */
const stateLines = (state: StateRows, runId: string | undefined) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const messages = yield* Stream.runCount(state.messages)
      const fields = fieldLines([
        ["position", String(state.position)],
        ["messages", String(messages)],
        ["jobs", String(yield* Stream.runCount(state.jobs))],
        ["steps", String(yield* Stream.runCount(state.steps))],
        ["receipts", String(yield* Stream.runCount(state.receipts))],
        ...(runId === undefined
          ? ([["thoughts", String(yield* Stream.runCount(state.thoughts))]] as const)
          : [])
      ])
      if (messages === 0) return Stream.fromIterable<Line>(fields)
      const rows = runId === undefined ? runsLines(state.runs) : stepsLines(state.steps)
      return Stream.concat(Stream.fromIterable<Line>([...fields, ""]), rows)
    })
  )

export const atCommand = Command.make(
  "at",
  {
    moment: Argument.String("position-or-time").pipe(
      Argument.withDescription("the last position, or the latest time, whose events count")
    ),
    runId: onlyRunFlag
  },
  Effect.fnUntraced(function* ({ moment, runId }) {
    const { run_id } = yield* readOptions({ runId })
    const when = yield* momentOf(moment)
    yield* withLedger("read", (ledger) =>
      Effect.gen(function* () {
        yield* warnAbout(ledger)
        yield* requireRun(ledger, run_id)
        const { position } = yield* ledger.head
        if ("position" in when && when.position > position) {
          return yield* Effect.fail(
            refusedFlag(
              "position-or-time",
              `there is no event at ${when.position}: the newest is at ${position}`
            )
          )
        }
        const state = yield* ledger.stateRowsAt({ ...when, runId: run_id })
        const { runs: _, ...data } = state
        yield* answerStreamed({ data, lines: stateLines(state, run_id) })
      }).pipe(Effect.scoped)
    )
  })
).pipe(
  Command.withDescription(
    "Show the messages, jobs, steps, receipts and thoughts as they were after the event at a position, or at a time, folded from the log alone. With --format json every row."
  ),
  Command.withShortDescription("show the state as of a position or a time"),
  Command.withExamples([
    { command: "cortex cassette at 12" },
    { command: "cortex cassette at 2026-11-27T10:11:12.345Z --run-id r1" }
  ])
)
