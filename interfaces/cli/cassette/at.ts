// `cortex cassette at`: the state as it was at a position or a time, folded from the log. It asks the events alone, so
// that it answers the same on any copy of the history, whatever became of the tables.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type { LedgerState } from "../../../application/ledger/state-at.ts"
import { isTimestamp } from "../../../domain/canonical/timestamp.ts"
import type { StepRow } from "../../../domain/ledger/rows.ts"
import { refusedFlag } from "../options.ts"
import { answer } from "../output.ts"
import { type Line, fieldLines, table } from "../printable.ts"
import { requireRun, warnAbout, withLedger } from "./open-ledger.ts"
import { readOptions } from "./read-options.ts"
import { onlyRunFlag } from "./shared-flags.ts"

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

const runsLines = ({ messages, steps }: LedgerState): ReadonlyArray<Line> => {
  const counts = new Map<string, Map<string, number>>()
  const count = (run: string, what: string) => {
    const own = counts.get(run) ?? new Map<string, number>()
    counts.set(run, own.set(what, (own.get(what) ?? 0) + 1))
  }
  for (const { run_id } of messages) count(run_id, "messages")
  for (const { run_id, status } of steps) count(run_id, status)
  const cell = (own: Map<string, number>, what: string) => String(own.get(what) ?? 0)
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

const stateLines = (state: LedgerState, runId: string | undefined): ReadonlyArray<Line> => {
  const { jobs, messages, position, receipts, steps, thoughts } = state
  const table = runId === undefined ? runsLines(state) : stepsLines(steps)
  return [
    ...fieldLines([
      ["position", String(position)],
      ["messages", String(messages.length)],
      ["jobs", String(jobs.length)],
      ["steps", String(steps.length)],
      ["receipts", String(receipts.length)],
      ...(runId === undefined ? ([["thoughts", String(thoughts.length)]] as const) : [])
    ]),
    ...(messages.length === 0 ? [] : ["", ...table])
  ]
}

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
    const state = yield* withLedger("read", (ledger) =>
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
        return yield* ledger.stateAt({ ...when, runId: run_id })
      })
    )
    yield* answer({ data: state, lines: () => stateLines(state, run_id) })
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
