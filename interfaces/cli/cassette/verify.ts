// `cortex cassette verify`: every invariant, judged from the file alone. A negative verdict names every issue.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { parseCheckpoint } from "../../../domain/evidence/checkpoint.ts"
import type { VerificationReport } from "../../../domain/ledger/verification.ts"
import { findingCount, VerificationFailed } from "../../shared/failures.ts"
import { switchFlag } from "../../shared/options.ts"
import { withProgress } from "../progress.ts"
import { answer, writeWarnings } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { writePass } from "../verdict.ts"
import { oneStandardInput, readEvidence, readPoint, readTrust } from "./evidence-files.ts"
import { withLedger } from "./open-ledger.ts"
import { readOptions } from "./read-options.ts"
import { onlyRunFlag, textFlag, trustFlag } from "../../shared/flags.ts"

const narrowedRungs = ({ rungs }: VerificationReport) =>
  rungs
    .filter(({ run_id, since }) => run_id !== null || since !== null)
    .map(({ name, run_id, since }) => {
      const parts = [
        ...(since === null ? [] : [`after position ${since}`]),
        ...(run_id === null ? [] : [`run ${run_id}`])
      ]
      return ["narrowed", `${name}: only ${parts.join(", ")}`] as const
    })

/** How much of the history the checkpoint that stands covers. */
const coveredText = (report: VerificationReport, note: string): ReadonlyArray<readonly [string, string]> => {
  const checkpoint = Result.getOrUndefined(parseCheckpoint(note))
  if (checkpoint === undefined) return []
  const { size } = checkpoint
  const newer = report.head.position - size
  const rest = newer === 0 ? "" : `; the ${newer} after them are not under it`
  return [["checkpoint", `stands: the first ${size} events are those that were signed${rest}`]]
}

/** Lines of what was verified: the head, the checkpoint it was held against, what was narrowed, how many there were of each thing. */
export const reportLines = (report: VerificationReport, note?: string): ReadonlyArray<string> =>
  fieldLines([
    ["head", `${report.head.position}  ${report.head.hash}`],
    ...(note === undefined ? [] : coveredText(report, note)),
    ...narrowedRungs(report),
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
        "verify this run only, at a cost that does not grow with other runs: its events and their links, its rows, leases and receipts"
      )
    ),
    now: textFlag("now", "T", "judge leases as of this time, such as 2026-11-27T10:11:12.345Z").pipe(
      Flag.optional
    ),
    pure: switchFlag("pure", "leave out what depends on a clock: the verdict follows from the file alone"),
    since: textFlag(
      "since",
      "P:HASH",
      "check only what came after this point: a position and its hash, as verify printed them"
    ).pipe(Flag.optional),
    expectHead: textFlag("expect-head", "P:HASH", "this event must still stand in the chain").pipe(
      Flag.optional
    ),
    checkpoint: textFlag(
      "checkpoint",
      "FILE",
      "the history must bear out this signed checkpoint (needs --trust); - is standard input"
    ).pipe(Flag.optional),
    trust: trustFlag.pipe(Flag.optional)
  },
  Effect.fnUntraced(function* ({ checkpoint, expectHead, now, pure, runId, since, trust }) {
    const given = yield* readOptions({ runId, now })
    const options = {
      runId: given.run_id,
      now: given.now,
      pure,
      since: yield* readPoint("--since", since),
      expectHead: yield* readPoint("--expect-head", expectHead),
      checkpoint:
        Option.isSome(checkpoint) && Option.isSome(trust)
          ? {
              note: yield* readEvidence("--checkpoint", checkpoint.value),
              trust: yield* readTrust(trust.value)
            }
          : undefined
    }
    const report = yield* withLedger("read", (ledger) => ledger.verifyCassette(options)).pipe(
      withProgress("verifying")
    )
    yield* writeWarnings(report.warnings)
    yield* verdictOf(report)
    yield* writePass
    yield* answer({ data: report, lines: () => reportLines(report, options.checkpoint?.note) })
  })
).pipe(
  Command.validate(({ checkpoint, trust }) =>
    Option.isSome(checkpoint) === Option.isSome(trust)
      ? oneStandardInput(checkpoint, trust)
      : Effect.fail(
          new CliError.ValidationError({
            message:
              "--checkpoint needs --trust, and --trust needs --checkpoint: a signature means nothing without a key"
          })
        )
  ),
  Command.withDescription(
    "Verify structure, hash chain, projections, receipts and leases. Exits 0 on PASS and 1 on FAIL; the verdict and the issues go to standard error. LEASE_EXPIRED is an issue too: a lease has ended and its step was not requeued. The history is sound then and a worker is probably dead; cortex cassette leases --expired lists such steps, and --pure leaves leases out."
  ),
  Command.withShortDescription("verify every invariant"),
  Command.withExamples([
    { command: "cortex cassette verify" },
    { command: "cortex cassette verify --run-id r1 --format json" },
    {
      command: "cortex cassette verify --db evidence.db --pure",
      description: "the same verdict at any time"
    },
    {
      command: "cortex cassette verify --checkpoint monday.txt --trust trust.json",
      description: "refuses a history that was cut or rewritten since monday.txt was signed"
    }
  ])
)
