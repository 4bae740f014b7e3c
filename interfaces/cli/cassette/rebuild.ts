// `cortex cassette rebuild --check`: folds the log into an empty place and compares every table with it. It only
// compares; nothing is ever rewritten.
import * as Effect from "effect/Effect"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import { LEDGER_TABLES } from "../../../domain/ledger/rows.ts"
import type { Finding, VerificationReport } from "../../../domain/ledger/verification.ts"
import { Host } from "../host.ts"
import { Format, switchFlag } from "../options.ts"
import { answer, writeNotes, writeResult, writeWarnings } from "../output.ts"
import { tableLines } from "../printable.ts"
import { verdictLine } from "../verdict.ts"
import { withLedger } from "./open-ledger.ts"
import { verdictOf } from "./verify.ts"

/** The first finding of every table; findings about no table are grouped by their code. */
const firstPerTable = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const seen = new Set<string>()
  return findings.filter(({ code, where }) => {
    const subject = LEDGER_TABLES.find((table) => where.startsWith(`${table} `)) ?? code
    return !seen.has(subject) && seen.add(subject)
  })
}

const digestLines = (report: VerificationReport): ReadonlyArray<string> =>
  tableLines(
    ["table", "rows", "digest"],
    Object.entries(report.digests).map(([table, digest]) => [
      table,
      String(report.counts[table] ?? 0),
      digest
    ])
  )

export const rebuildCommand = Command.make(
  "rebuild",
  { check: switchFlag("check", "compare, and change nothing (required: there is no other mode)") },
  Effect.fnUntraced(function* () {
    const report = yield* withLedger("read", (ledger) => ledger.verifyCassette({ rungs: ["projections"] }))
    yield* writeWarnings(report.warnings)
    if (report.verdict === "PASS") yield* writeNotes([verdictLine(yield* Host, 0)])
    else if ((yield* Format) === "text") yield* writeResult(`${digestLines(report).join("\n")}\n`)
    yield* verdictOf(report, firstPerTable(report.findings))
    yield* answer({ data: report, lines: () => digestLines(report) })
  })
).pipe(
  Command.validate(({ check }) =>
    check
      ? Effect.void
      : Effect.fail(
          new CliError.ValidationError({
            message: "Missing required flag: --check (a ledger is never rewritten)"
          })
        )
  ),
  Command.withDescription(
    "Fold the event log into an empty database, compare every table with it and print the digests; names the first difference of each table."
  ),
  Command.withShortDescription("compare the tables with a fold of the log"),
  Command.withExamples([{ command: "cortex cassette rebuild --check" }])
)
