// `cortex thought verify`: the hash chains of thoughts, of one task or of all. A broken chain names its first broken
// record; the whole ledger is the business of `cassette verify`.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Command from "effect/cli/Command"
import { decodeInput } from "../../../application/foundation/input.ts"
import type { Finding } from "../../../domain/ledger/verification.ts"
import type { TaskChainReport, ThoughtChainReport } from "../../../domain/ledger/thoughts/chain-report.ts"
import { VerifyThoughts } from "../../../domain/ledger/thoughts/commands.ts"
import { warnAbout, withLedger } from "../cassette/open-ledger.ts"
import { VerificationFailed } from "../../shared/failures.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { withProgress } from "../progress.ts"
import { writePass } from "../verdict.ts"
import { onlyTaskFlag } from "./task-flag.ts"

const decode = decodeInput(VerifyThoughts, Result.succeed)

const tasksOf = (
  report: ThoughtChainReport,
  task: string | undefined
): ReadonlyArray<[string, TaskChainReport]> =>
  task === undefined ? Object.entries(report.by_task ?? {}) : [[task, report]]

const findings = (report: ThoughtChainReport, task: string | undefined): ReadonlyArray<Finding> =>
  tasksOf(report, task)
    .filter(([, { valid }]) => !valid)
    .map(([task_id, { broken_count, first_broken_at, record_count }]) => ({
      code: "THOUGHT_CHAIN_BROKEN",
      where: `task ${task_id}`,
      message: `${broken_count} broken of ${record_count} records, the first is ${first_broken_at}`
    }))

export const verifyCommand = Command.make(
  "verify",
  { task: onlyTaskFlag },
  Effect.fnUntraced(function* ({ task }) {
    const { task_id } = yield* Effect.fromResult(decode({ task_id: Option.getOrUndefined(task) }))
    const report = yield* withLedger("read", (ledger, thoughts) =>
      Effect.andThen(warnAbout(ledger), thoughts.verifyChain({ task_id }))
    ).pipe(withProgress("verifying"))
    if (!report.valid) {
      const message = `${report.broken_count} broken record(s) found, the first is ${report.first_broken_at}`
      return yield* Effect.fail(
        new VerificationFailed({ message, report, listed: findings(report, task_id) })
      )
    }
    yield* writePass
    yield* answer({
      data: report,
      lines: () =>
        fieldLines([
          ["tasks", String(tasksOf(report, task_id).length)],
          ["records", String(report.record_count)]
        ])
    })
  })
).pipe(
  Command.withDescription(
    "Recompute the hash chains of thoughts and compare every record with its event. Exits 0 on PASS and 1 on FAIL; the verdict and the broken tasks go to standard error."
  ),
  Command.withShortDescription("verify the chains of thoughts"),
  Command.withExamples([
    { command: "cortex thought verify" },
    { command: "cortex thought verify --task t1 --format json" }
  ])
)
