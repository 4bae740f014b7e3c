// Works a run for `cortex work` and `cortex run`: in this process, or in several, with progress on a terminal and one
// account of what was done. The ledger and the corpus must be there; nothing is made but receipts and expansions.
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { Corpus } from "../../../application/corpus/corpus.ts"
import type { CacheSubstrate } from "../../../application/corpus/expansion-cache.ts"
import { decodeInput } from "../../../application/foundation/input.ts"
import { Ledger, type LedgerShape } from "../../../application/ledger/ledger.ts"
import { ClaimStep, prepareClaim } from "../../../domain/ledger/commands.ts"
import { DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS, MIN_TTL_SECONDS } from "../../../domain/ledger/limits.ts"
import { work, workLeft, type WorkLeft, type WorkTally } from "../../../application/corpus/read-worker.ts"
import { AllowNetworkFs, Db, Durability } from "../cassette/ledger-flags.ts"
import { JobNotFound } from "../../../domain/ledger/errors.ts"
import { requireRun, warnAbout, withLedger } from "../cassette/open-ledger.ts"
import { WorkersFailed } from "../../shared/failures.ts"
import { Host } from "../../shared/host.ts"
import { absolutePath, refusedFlag, rootFolder, wholeNumberFlag } from "../../shared/options.ts"
import { writeNotes, writeWarnings } from "../output.ts"
import { progressLine } from "../progress.ts"
import { withCorpus } from "./open-corpus.ts"
import { MAX_PROCESSES, runWorkers, type WorkerEnd, workerNames } from "./worker-processes.ts"

/** What was done, by whom, and what is left. */
export interface WorkReport extends Omit<WorkTally, "worker_id">, WorkLeft {
  readonly run_id: string
  readonly job_id: string | null
  /** One entry for each worker that came to its end. */
  readonly workers: ReadonlyArray<WorkTally>
}

/** How to work. */
export interface WorkSettings {
  readonly run_id: string
  readonly worker: string
  readonly job_id: string | undefined
  readonly ttl_seconds: number | undefined
  readonly processes: number
  readonly cache: CacheSubstrate
}

export const processesFlag = wholeNumberFlag("processes", 1).pipe(
  Flag.withDefault(1),
  Flag.withDescription(
    `how many worker processes, 1 to ${MAX_PROCESSES} (default 1); several are named W-1, W-2 and so on`
  )
)

export const leaseFlag = wholeNumberFlag("ttl", 0).pipe(
  Flag.withMetavar("SECONDS"),
  Flag.optional,
  Flag.withDescription(
    `how long the lease of each step lasts, ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS} (default ${DEFAULT_TTL_SECONDS})`
  )
)

/** How often the progress of other processes is looked at (milliseconds). */
const PROGRESS_MILLIS = 250

const decodeClaim = decodeInput(ClaimStep, prepareClaim)

const claimOf = ({ job_id, run_id, ttl_seconds }: WorkSettings, worker_id: string): ClaimStep => ({
  run_id,
  worker_id,
  job_id,
  ttl_seconds
})

const progressText = (tally: Omit<WorkTally, "worker_id">): string =>
  `${tally.succeeded + tally.failed} step(s) done, ${tally.failed} failed, ${tally.hits} from the cache`

const sumOf = (tallies: ReadonlyArray<WorkTally>): Omit<WorkTally, "worker_id"> => {
  const sum = (name: keyof Omit<WorkTally, "worker_id">) =>
    tallies.reduce((total, tally) => total + tally[name], 0)
  return {
    succeeded: sum("succeeded"),
    failed: sum("failed"),
    lost: sum("lost"),
    hits: sum("hits"),
    misses: sum("misses"),
    bytes_read: sum("bytes_read")
  }
}

/** Says on standard error how a stop left the work. */
const noteStop =
  (note: () => string) =>
  <A, E, R>(working: Effect.Effect<A, E, R>) =>
    Effect.onInterrupt(working, () => Effect.suspend(() => writeNotes([note()])))

/** Refuses a run, or a job of it, that is not there: that no step of it waits would say nothing. */
const requireWork = Effect.fnUntraced(function* (ledger: LedgerShape, { job_id, run_id }: WorkSettings) {
  yield* requireRun(ledger, run_id)
  if (job_id === undefined) return
  const status = yield* ledger.jobStatus(job_id)
  if (status === undefined) return yield* new JobNotFound({ run_id, job_id })
  const message = yield* ledger.message(status.job.message_id)
  if (message?.run_id !== run_id) return yield* new JobNotFound({ run_id, job_id })
})

/** In this process. */
const workHere = (settings: WorkSettings) =>
  withLedger("append", (ledger) =>
    withCorpus(
      "append",
      (corpus) =>
        Effect.gen(function* () {
          yield* warnAbout(ledger)
          yield* requireWork(ledger, settings)
          const progress = yield* progressLine
          let done = 0
          const tally = yield* work({
            ...claimOf(settings, settings.worker),
            onStep: (tally) => {
              done = tally.succeeded + tally.failed
              return progress.show(progressText(tally))
            }
          }).pipe(
            Effect.ensuring(progress.clear),
            Effect.provideService(Corpus, corpus),
            noteStop(() => `stopped after ${done} step(s); no step is left in hand`)
          )
          return { tallies: [tally], left: yield* workLeft(settings.run_id, settings.job_id) }
        }).pipe(Effect.provideService(Corpus, corpus), Effect.provideService(Ledger, ledger)),
      settings.cache
    )
  )

/** The flags that make another process work the same ledger and corpus. */
const sameFlags = Effect.fnUntraced(function* ({ cache, job_id, run_id, ttl_seconds }: WorkSettings) {
  const db = yield* Db
  const file = Option.isSome(db) ? [`--db=${yield* absolutePath("--db", db.value)}`] : []
  return [
    "work",
    `--root=${yield* rootFolder}`,
    ...file,
    `--durability=${yield* Durability}`,
    ...((yield* AllowNetworkFs) ? ["--allow-network-fs"] : []),
    `--cache=${cache}`,
    `--run-id=${run_id}`,
    ...(job_id === undefined ? [] : [`--job=${job_id}`]),
    ...(ttl_seconds === undefined ? [] : [`--ttl=${ttl_seconds}`])
  ]
})

/** Shows on a terminal, forever, what is left. */
const showLeft = (ledger: LedgerShape, { job_id, run_id }: WorkSettings) =>
  Effect.gen(function* () {
    if (!(yield* Host).isTerminal("stderr")) return
    const progress = yield* progressLine
    const look = Effect.gen(function* () {
      const { leased, waiting } = yield* workLeft(run_id, job_id)
      yield* progress.show(`${waiting} step(s) wait, ${leased} are leased`)
      yield* Effect.sleep(PROGRESS_MILLIS)
    })
    yield* Effect.forever(look).pipe(Effect.ensuring(progress.clear))
  }).pipe(Effect.provideService(Ledger, ledger))

const failuresOf = (ends: ReadonlyArray<WorkerEnd>) =>
  ends.flatMap(({ failure, killed, worker_id }) =>
    failure === undefined ? [] : [{ worker_id, killed, ...failure }]
  )

/** In several processes. A worker that was killed is no failure when the others have done the rest. */
const workThere = Effect.fnUntraced(function* (settings: WorkSettings, workers: ReadonlyArray<string>) {
  const flags = yield* sameFlags(settings)
  return yield* withLedger("read", (ledger) =>
    Effect.gen(function* () {
      yield* warnAbout(ledger)
      yield* requireWork(ledger, settings)
      const shown = yield* Effect.forkChild(showLeft(ledger, settings))
      const ends = yield* runWorkers(workers, flags).pipe(
        noteStop(() => `stopped; all ${workers.length} workers have ended`)
      )
      yield* Fiber.interrupt(shown)
      const left = yield* workLeft(settings.run_id, settings.job_id)
      const failures = failuresOf(ends)
      if (failures.some(({ killed }) => !killed) || (failures.length > 0 && left.waiting > 0)) {
        const listed = failures.map(({ code, message, worker_id }) => ({ worker_id, code, message }))
        return yield* new WorkersFailed({ workers: listed, ...left })
      }
      yield* writeWarnings(failures.map(({ message, worker_id }) => `worker ${worker_id}: ${message}`))
      return { tallies: ends.flatMap(({ tally }) => tally ?? []), left }
    }).pipe(Effect.provideService(Ledger, ledger))
  )
})

/** The names of the workers; what the settings say otherwise is judged with them, and nothing is done yet. */
export const workersOf = Effect.fnUntraced(function* (settings: WorkSettings) {
  const { processes, worker } = settings
  if (processes > MAX_PROCESSES) {
    return yield* Effect.fail(refusedFlag("--processes", `at most ${MAX_PROCESSES}`))
  }
  const workers = processes === 1 ? [worker] : workerNames(worker, processes)
  yield* Effect.forEach(workers, (name) => Effect.fromResult(decodeClaim(claimOf(settings, name))))
  return workers
})

/** Works a run, or one of its jobs, until no step waits. */
export const workRun = Effect.fnUntraced(function* (settings: WorkSettings) {
  const workers = yield* workersOf(settings)
  const { left, tallies } = yield* workers.length === 1 ? workHere(settings) : workThere(settings, workers)
  const report: WorkReport = {
    run_id: settings.run_id,
    job_id: settings.job_id ?? null,
    ...sumOf(tallies),
    ...left,
    workers: tallies
  }
  return report
})

/** What people read of work that was done. */
export const workFields = (report: WorkReport): ReadonlyArray<readonly [string, string]> => [
  ["run", report.run_id],
  ["workers", report.workers.map(({ worker_id }) => worker_id).join(", ") || "-"],
  ["steps", `${report.succeeded} succeeded, ${report.failed} failed, ${report.lost} lost`],
  ["read", `${report.bytes_read} bytes, ${report.hits} hits and ${report.misses} misses of the cache`],
  ["waiting", String(report.waiting)],
  ["still leased", String(report.leased)]
]
