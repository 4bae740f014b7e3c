// `cortex cassette status`: all runs at a glance, or one run with its jobs and steps, as of now.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import type { JobStatus, ReadError, RunSummary } from "../../../application/ledger/ledger-reader.ts"
import type { LedgerShape } from "../../../application/ledger/ledger.ts"
import { timestampFromMillis } from "../../../domain/canonical/timestamp.ts"
import type { ReceiptRow, StepRow } from "../../../domain/ledger/rows.ts"
import { type Answer, answer } from "../output.ts"
import { fieldLines, tableLines } from "../printable.ts"
import { warnAbout, withLedger } from "./open-ledger.ts"
import { readOptions } from "./read-options.ts"
import { onlyRunFlag } from "./shared-flags.ts"

/** A run without a message: nothing waits, nothing was done. */
const emptyRun = (run_id: string): RunSummary => ({
  run_id,
  messages: 0,
  jobs: 0,
  pending: 0,
  leased: 0,
  committed: 0,
  oldest_pending_step: null,
  oldest_pending_at: null,
  expired_leases: 0
})

const runsLines = (ledger: LedgerShape, position: number, runs: ReadonlyArray<RunSummary>) => [
  ...fieldLines([
    ["ledger", ledger.ledgerId ?? "unknown"],
    ["events", String(position)]
  ]),
  "",
  ...(runs.length === 0
    ? ["no runs yet"]
    : tableLines(
        [
          "run",
          "messages",
          "jobs",
          "pending",
          "leased",
          "committed",
          "expired",
          "waiting since",
          "oldest waiting step"
        ],
        runs.map((run) => [
          run.run_id,
          ...[run.messages, run.jobs, run.pending, run.leased, run.committed, run.expired_leases].map(String),
          run.oldest_pending_at ?? "-",
          run.oldest_pending_step ?? "-"
        ])
      ))
]

const statusOfAll = Effect.fnUntraced(function* (ledger: LedgerShape) {
  const head = yield* ledger.head
  const runs = yield* ledger.runs
  return {
    data: {
      ledger_id: ledger.ledgerId ?? null,
      head: { position: head.position, hash: head.hash },
      fault: ledger.fault ?? null,
      runs
    },
    lines: () => runsLines(ledger, head.position, runs)
  } satisfies Answer
})

/** A step as status shows it: its state, and the outcome of its receipt. The payload stays in the log. */
const stepState = (step: StepRow, receipt: ReceiptRow | undefined) => ({
  step_id: step.step_id,
  job_id: step.job_id,
  ordinal: step.ordinal,
  status: step.status,
  lease_owner: step.lease_owner,
  lease_expires_at: step.lease_expires_at,
  fencing_token: step.fencing_token,
  created_at: step.created_at,
  receipt_id: receipt?.receipt_id ?? null,
  outcome: receipt?.outcome ?? null
})

const jobLines = (jobs: ReadonlyArray<JobStatus>) =>
  tableLines(
    ["job", "intent", "pending", "leased", "committed", "outcomes"],
    jobs.map((status) => [
      status.job.job_id,
      status.job.intent === "" ? "-" : status.job.intent,
      ...[status.pending, status.leased, status.committed].map(String),
      Object.entries(status.outcomes)
        .map(([outcome, count]) => `${outcome} ${count}`)
        .join(", ") || "-"
    ])
  )

const stepLines = (steps: ReadonlyArray<ReturnType<typeof stepState>>, now: string) =>
  tableLines(
    ["step", "status", "token", "worker", "lease", "outcome"],
    steps.map((step) => [
      step.step_id,
      step.status,
      String(step.fencing_token),
      step.lease_owner ?? "-",
      step.lease_expires_at === null
        ? "-"
        : `${step.lease_expires_at}${step.status === "LEASED" && step.lease_expires_at <= now ? " expired" : ""}`,
      step.outcome ?? "-"
    ])
  )

const runLines = (run: RunSummary) =>
  fieldLines([
    ["run", run.run_id],
    ["messages", String(run.messages)],
    ["jobs", String(run.jobs)],
    ["steps", `${run.pending} pending, ${run.leased} leased, ${run.committed} committed`],
    ["expired leases", String(run.expired_leases)],
    ["waiting since", run.oldest_pending_at ?? "-"],
    ["oldest waiting step", run.oldest_pending_step ?? "-"]
  ])

const statusOfRun = Effect.fnUntraced(function* (ledger: LedgerShape, runId: string) {
  const run = (yield* ledger.runSummary(runId)) ?? emptyRun(runId)
  const rows = yield* ledger.steps({ run_id: runId })
  const receipts = new Map(
    (yield* ledger.receipts({ run_id: runId })).map((receipt) => [receipt.step_id, receipt])
  )
  const steps = rows.map((step) => stepState(step, receipts.get(step.step_id)))
  const jobIds = [...new Set(rows.map((step) => step.job_id))]
  const jobs = (yield* Effect.forEach(jobIds, ledger.jobStatus)).filter((status) => status !== undefined)
  const now = timestampFromMillis(yield* Clock.currentTimeMillis)
  return {
    data: { ledger_id: ledger.ledgerId ?? null, fault: ledger.fault ?? null, run, jobs, steps },
    lines: () =>
      steps.length === 0
        ? runLines(run)
        : [...runLines(run), "", ...jobLines(jobs), "", ...stepLines(steps, now)]
  } satisfies Answer
})

const statusOf = (ledger: LedgerShape, runId: string | undefined): Effect.Effect<Answer, ReadError> =>
  runId === undefined ? statusOfAll(ledger) : statusOfRun(ledger, runId)

export const statusCommand = Command.make(
  "status",
  { runId: onlyRunFlag },
  Effect.fnUntraced(function* ({ runId }) {
    const { run_id } = yield* readOptions({ runId })
    const status = yield* withLedger("read", (ledger) =>
      Effect.andThen(warnAbout(ledger), statusOf(ledger, run_id))
    )
    yield* answer(status)
  })
).pipe(
  Command.withDescription(
    "Show all runs with their counts, their oldest waiting step and expired leases; with --run-id the run's jobs and steps."
  ),
  Command.withShortDescription("show what waits, what is leased and what is done"),
  Command.withExamples([
    { command: "cortex cassette status" },
    { command: "cortex cassette status --run-id r1 --format json" }
  ])
)
