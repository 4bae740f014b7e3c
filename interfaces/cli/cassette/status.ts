// `cortex cassette status`: all runs at a glance, or one run with its jobs and steps, as of now.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { JobStatus, RunSummary, StepState } from "../../../application/ledger/reading/ledger-reader.ts"
import type { LedgerShape } from "../../../application/ledger/ledger.ts"
import { nearestTimestamp } from "../../../domain/canonical/timestamp.ts"
import { DEFAULT_PAGE_ROWS, type PageOptions } from "../../../domain/foundation/page.ts"
import { wholeNumberFlag } from "../../shared/options.ts"
import { type CommandAnswer, answer, answerStreamed, tables } from "../output.ts"
import { fieldLines, type Line, table } from "../../shared/terminal-text.ts"
import { requireRun, warnAbout, withLedger } from "./open-ledger.ts"
import { readOptions } from "./read-options.ts"
import { executionsText } from "../workflow/executions-text.ts"
import { onlyRunFlag, textFlag } from "../../shared/flags.ts"

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

const runsLines = <E>(
  ledger: LedgerShape,
  position: number,
  executions: string | undefined,
  runs: Stream.Stream<RunSummary, E>
): Stream.Stream<Line, E> =>
  Stream.concat(
    Stream.fromIterable<Line>([
      ...fieldLines([
        ["ledger", ledger.ledgerId ?? "unknown"],
        ["events", String(position)],
        ...(executions === undefined ? [] : [["workflows", executions] as const])
      ]),
      ""
    ]),
    tables(
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
      Stream.map(runs, (run) => [
        run.run_id,
        ...[run.messages, run.jobs, run.pending, run.leased, run.committed, run.expired_leases].map(String),
        run.oldest_pending_at ?? "-",
        run.oldest_pending_step ?? "-"
      ])
    ).pipe(Stream.orElseIfEmpty(() => Stream.succeed<Line>("no runs yet")))
  )

const answerAll = Effect.fnUntraced(function* (ledger: LedgerShape) {
  const head = yield* ledger.head
  const runs = ledger.runStream
  const { workflowsOf } = yield* Effect.promise(() => import("../../embedding/workflows.ts"))
  const executions = yield* workflowsOf(ledger).counts
  const inOneLine = executionsText(executions)
  yield* answerStreamed({
    data: {
      ledger_id: ledger.ledgerId ?? null,
      head: { position: head.position, hash: head.hash },
      fault: ledger.fault ?? null,
      ...(inOneLine === undefined ? {} : { executions }),
      runs
    },
    lines: runsLines(ledger, head.position, inOneLine, runs)
  })
})

const jobLines = (jobs: ReadonlyArray<JobStatus>) =>
  table(
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

const stepLines = (steps: ReadonlyArray<StepState>, now: string) =>
  table(
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

const statusOfRun = Effect.fnUntraced(function* (ledger: LedgerShape, runId: string, page: PageOptions) {
  const run = (yield* ledger.runSummary(runId)) ?? emptyRun(runId)
  const steps = yield* ledger.stepStates(runId, page)
  const jobIds = [...new Set(steps.map((step) => step.job_id))]
  const jobs = (yield* Effect.forEach(jobIds, ledger.jobStatus)).filter((status) => status !== undefined)
  const now = nearestTimestamp(yield* Clock.currentTimeMillis)
  const last = steps.at(-1)?.step_id
  const more = last !== undefined && (yield* ledger.stepStates(runId, { limit: 1, after: last })).length > 0
  return {
    data: {
      ledger_id: ledger.ledgerId ?? null,
      fault: ledger.fault ?? null,
      run,
      jobs,
      steps,
      next_after: more ? last : null
    },
    lines: () =>
      steps.length === 0
        ? runLines(run)
        : [
            ...runLines(run),
            "",
            ...jobLines(jobs),
            "",
            ...stepLines(steps, now),
            ...(more ? ["", `there are more steps: --after ${last} shows the next`] : [])
          ]
  } satisfies CommandAnswer
})

export const statusCommand = Command.make(
  "status",
  {
    runId: onlyRunFlag,
    limit: wholeNumberFlag("limit", 1).pipe(
      Flag.optional,
      Flag.withDescription(`with --run-id: at most this many steps (default ${DEFAULT_PAGE_ROWS})`)
    ),
    after: textFlag("after", "STEP", "with --run-id: only the steps that follow this one").pipe(Flag.optional)
  },
  Effect.fnUntraced(function* ({ after, limit, runId }) {
    const { run_id } = yield* readOptions({ runId })
    const page = { after: Option.getOrUndefined(after), limit: Option.getOrUndefined(limit) }
    yield* withLedger("read", (ledger) =>
      Effect.gen(function* () {
        yield* warnAbout(ledger)
        yield* requireRun(ledger, run_id)
        if (run_id === undefined) yield* answerAll(ledger)
        else yield* answer(yield* statusOfRun(ledger, run_id, page))
      })
    )
  })
).pipe(
  Command.validate(({ after, limit, runId }) =>
    Option.isNone(runId) && (Option.isSome(after) || Option.isSome(limit))
      ? Effect.fail(new CliError.ValidationError({ message: "--limit and --after need --run-id" }))
      : Effect.void
  ),
  Command.withDescription(
    "Show all runs with their counts, their oldest waiting step and expired leases; with --run-id the run's jobs and steps."
  ),
  Command.withShortDescription("show what waits, what is leased and what is done"),
  Command.withExamples([
    { command: "cortex cassette status" },
    { command: "cortex cassette status --run-id r1 --format json" },
    {
      command: "cortex cassette status --run-id r1 --limit 100 --after step_…",
      description: "the next hundred steps"
    }
  ])
)
