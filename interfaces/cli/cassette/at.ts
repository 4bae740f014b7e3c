// `cortex cassette at`: the state as it was at a position or a time, folded from the log. It asks the events alone, so
// that it answers the same on any copy of the history, whatever became of the tables.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type { StateRows } from "../../../application/ledger/state-at.ts"
import { isTimestamp } from "../../../domain/canonical/timestamp.ts"
import type { StepRow } from "../../../domain/ledger/rows.ts"
import { refusedFlag } from "../options.ts"
import { answerStreamed } from "../output.ts"
import { type Line, fieldLines, table } from "../printable.ts"
import { requireRun, warnAbout, withLedger } from "./open-ledger.ts"
import { readOptions } from "./read-options.ts"
import { onlyRunFlag } from "./shared-flags.ts"

/** How many steps one table holds. */
const STEPS_PER_TABLE = 1_000

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

const stepsLines = (steps: ReadonlyArray<StepRow>): ReadonlyArray<Line> =>
  table(
    ["step", "status", "owner", "token", "lease ends"],
    steps.map((step) => [
      step.step_id,
      step.status,
      step.lease_owner ?? "-",
      String(step.fencing_token),
      step.lease_expires_at ?? "-"
    ])
  )

/** How many there are of what, by run. */
type RunCounts = ReadonlyMap<string, ReadonlyMap<string, number>>

const runsLines = (counts: RunCounts): ReadonlyArray<Line> => {
  const cell = (own: ReadonlyMap<string, number>, what: string) => String(own.get(what) ?? 0)
  return table(
    ["run", "messages", "pending", "leased", "committed"],
    Array.from(counts, ([run, own]) => [
      run,
      cell(own, "messages"),
      cell(own, "PENDING"),
      cell(own, "LEASED"),
      cell(own, "COMMITTED")
    ])
  )
}

/** Walks a state once and counts. */
const counted = Effect.fnUntraced(function* (state: StateRows) {
  const runs = new Map<string, Map<string, number>>()
  const count = (run: string, what: string) => {
    const own = runs.get(run) ?? new Map<string, number>()
    runs.set(run, own.set(what, (own.get(what) ?? 0) + 1))
  }
  let messages = 0
  let steps = 0
  yield* Stream.runForEachArray(state.messages, (page) => {
    messages += page.length
    for (const { run_id } of page) count(run_id, "messages")
    return Effect.void
  })
  yield* Stream.runForEachArray(state.steps, (page) => {
    steps += page.length
    for (const { run_id, status } of page) count(run_id, status)
    return Effect.void
  })
  const [jobs, receipts, thoughts] = [
    yield* Stream.runCount(state.jobs),
    yield* Stream.runCount(state.receipts),
    yield* Stream.runCount(state.thoughts)
  ]
  return { runs, messages, jobs, steps, receipts, thoughts }
})

/** The lines for people; the steps of a run come in tables of a page each. */
const stateLines = (state: StateRows, runId: string | undefined) =>
  Stream.unwrap(
    Effect.map(counted(state), ({ jobs, messages, receipts, runs, steps, thoughts }) => {
      const fields = fieldLines([
        ["position", String(state.position)],
        ["messages", String(messages)],
        ["jobs", String(jobs)],
        ["steps", String(steps)],
        ["receipts", String(receipts)],
        ...(runId === undefined ? ([["thoughts", String(thoughts)]] as const) : [])
      ])
      if (messages === 0) return Stream.fromIterable<Line>(fields)
      const rows =
        runId === undefined
          ? Stream.fromIterable(runsLines(runs))
          : state.steps.pipe(
              Stream.grouped(STEPS_PER_TABLE),
              Stream.flatMap((page) => Stream.fromIterable(stepsLines(page)))
            )
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
        yield* answerStreamed({ data: { ...state }, lines: stateLines(state, run_id) })
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
