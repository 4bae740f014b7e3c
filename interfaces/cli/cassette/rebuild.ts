// `cortex cassette rebuild`: with --check it folds the log into an empty place and compares every table with it; with
// --to it writes a new database from the log alone. A ledger itself is never rewritten.
import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { LEDGER_TABLES } from "../../../domain/ledger/rows.ts"
import type { Finding, VerificationReport } from "../../../domain/ledger/verification.ts"
import { Host } from "../../shared/host.ts"
import { absolutePath, Format, switchFlag } from "../../shared/options.ts"
import { reported } from "../../../application/foundation/progress.ts"
import { withProgress } from "../progress.ts"
import { answer, writeResult, writeWarnings } from "../output.ts"
import { type Line, fieldLines, laidOut, table } from "../../shared/terminal-text.ts"
import { writePass } from "../verdict.ts"
import { warnAbout, withLedger } from "./open-ledger.ts"
import { textFlag } from "../../shared/flags.ts"
import { reportLines, verdictOf } from "./verify.ts"

/** The first finding of every table; findings about no table are grouped by their code. */
const firstPerTable = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const seen = new Set<string>()
  return findings.filter(({ code, where }) => {
    const subject = LEDGER_TABLES.find((table) => where.startsWith(`${table} `)) ?? code
    return !seen.has(subject) && seen.add(subject)
  })
}

const digestLines = (report: VerificationReport): ReadonlyArray<Line> =>
  table(
    ["table", "rows", "digest"],
    Object.entries(report.digests).map(([table, digest]) => [
      table,
      String(report.counts[table] ?? 0),
      digest
    ])
  )

const writeRebuilt = Effect.fnUntraced(function* (to: string) {
  const file = yield* absolutePath("--to", to)
  const report = yield* withLedger("read", (ledger) =>
    Effect.andThen(warnAbout(ledger), reported("from the log", ledger.rebuild(file)))
  ).pipe(withProgress("rebuilding"))
  const bytes = statSync(file).size
  yield* answer({
    data: { file, bytes, report },
    lines: () => [
      ...fieldLines([
        ["file", file],
        ["bytes", String(bytes)]
      ]),
      ...reportLines(report)
    ]
  })
})

export const rebuildCommand = Command.make(
  "rebuild",
  {
    check: switchFlag("check", "compare the tables with a fold of the log, and change nothing"),
    to: textFlag(
      "to",
      "FILE",
      "write a database rebuilt from the log alone; the file must not exist yet"
    ).pipe(Flag.optional)
  },
  Effect.fnUntraced(function* ({ to }) {
    if (Option.isSome(to)) return yield* writeRebuilt(to.value)
    const report = yield* withLedger("read", (ledger) =>
      ledger.verifyCassette({ rungs: ["projections"] })
    ).pipe(withProgress("comparing"))
    yield* writeWarnings(report.warnings)
    if (report.verdict === "PASS") yield* writePass
    else if ((yield* Format) === "text")
      yield* writeResult(`${laidOut(digestLines(report), (yield* Host).columns("stdout")).join("\n")}\n`)
    yield* verdictOf(report, firstPerTable(report.findings))
    yield* answer({ data: report, lines: () => digestLines(report) })
  })
).pipe(
  Command.validate(({ check, to }) =>
    check !== Option.isSome(to)
      ? Effect.void
      : Effect.fail(
          new CliError.ValidationError({
            message:
              "Give either --check (compare) or --to FILE (a new database): a ledger is never rewritten"
          })
        )
  ),
  Command.withDescription(
    "With --check: fold the event log into an empty database, compare every table with it and print the digests; names the first difference of each table. With --to: write a new database from the log alone, through all guards, and verify it before the file appears."
  ),
  Command.withShortDescription("compare the tables with the log, or make them again"),
  Command.withExamples([
    { command: "cortex cassette rebuild --check" },
    { command: "cortex cassette rebuild --to rebuilt.db" }
  ])
)
