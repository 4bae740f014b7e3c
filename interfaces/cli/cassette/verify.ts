// `cortex cassette verify`: every invariant, judged from the file alone. A negative verdict names every issue.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { VerificationReport } from "../../../domain/ledger/verification.ts"
import { findingCount, VerificationFailed } from "../failures.ts"
import { Host } from "../host.ts"
import { switchFlag } from "../options.ts"
import { answer, writeNotes, writeWarnings } from "../output.ts"
import { fieldLines } from "../printable.ts"
import { verdictLine } from "../verdict.ts"
import { withLedger } from "./open-ledger.ts"
import { readOptions } from "./read-options.ts"
import { onlyRunFlag, textFlag } from "./shared-flags.ts"

/** Lines of what was verified: the head, then how many there were of each thing. */
export const reportLines = (report: VerificationReport): ReadonlyArray<string> =>
  fieldLines([
    ["head", `${report.head.position}  ${report.head.hash}`],
    ...Object.entries(report.counts).map(([name, count]) => [name, String(count)] as const)
  ])

/** A negative report as a failure that lists all its findings. */
export const verdictOf = (
  report: VerificationReport,
  listed = report.findings
): Effect.Effect<VerificationReport, VerificationFailed> =>
  report.verdict === "PASS"
    ? Effect.succeed(report)
    : Effect.fail(
        new VerificationFailed({
          message: `${findingCount(report)} issue(s) found: each has a code, a place and a message`,
          report,
          listed
        })
      )

export const verifyCommand = Command.make(
  "verify",
  {
    runId: onlyRunFlag.pipe(
      Flag.withDescription(
        "look at the leases, steps and receipts of this run only; the chain is checked whole"
      )
    ),
    now: textFlag("now", "T", "judge leases as of this time, such as 2026-11-27T10:11:12.345Z").pipe(
      Flag.optional
    ),
    pure: switchFlag("pure", "leave out what depends on a clock: the verdict follows from the file alone")
  },
  Effect.fnUntraced(function* ({ now, pure, runId }) {
    const given = yield* readOptions({ runId, now })
    const report = yield* withLedger("read", (ledger) =>
      ledger.verifyCassette({ runId: given.run_id, now: given.now, pure })
    )
    yield* writeWarnings(report.warnings)
    if (given.run_id !== undefined && report.counts["cassette_messages"] === 0) {
      yield* writeWarnings([`run ${given.run_id} has no messages in this ledger`])
    }
    yield* verdictOf(report)
    yield* writeNotes([verdictLine(yield* Host, 0)])
    yield* answer({ data: report, lines: () => reportLines(report) })
  })
).pipe(
  Command.withDescription(
    "Verify structure, hash chain, projections, receipts and leases. Exits 0 on PASS and 1 on FAIL; the verdict and the issues go to standard error."
  ),
  Command.withShortDescription("verify every invariant"),
  Command.withExamples([
    { command: "cortex cassette verify" },
    { command: "cortex cassette verify --run-id r1 --format json" },
    { command: "cortex cassette verify --db evidence.db --pure", description: "the same verdict at any time" }
  ])
)
