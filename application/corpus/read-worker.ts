// The worker of the corpus: reads each step of a run through the expansion cache, until no step waits. A target that cannot be
// read is a receipt of failure. A store that cannot be used, or a step of another kind, ends the worker, and the step in hand is
// given back. It never takes a step from another worker, and never tries one again.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Corpus, type CorpusShape } from "./corpus.ts"
import type { Resolved, ResolveError } from "./resolving.ts"
import { decodeInput } from "../foundation/input.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import { Ledger } from "../ledger/ledger.ts"
import {
  finished,
  run,
  type StepEnding,
  type WorkerError,
  type WorkerOptions
} from "../ledger/worker/worker.ts"
import type { JsonObject } from "../../domain/canonical/json.ts"
import {
  type ReadOperation,
  readOperationOf,
  ReadStep,
  receiptOfFailure,
  receiptOfReading,
  refOfStep,
  sliceOfStep
} from "../../domain/corpus/read-step.ts"
import type { Claimed } from "../../domain/ledger/decide.ts"
import { errorCode, type InvalidInput } from "../../domain/foundation/errors.ts"
import type { Outcome } from "../../domain/ledger/rows.ts"
import { traced } from "../foundation/telemetry.ts"

/** The oldest waiting step of the run is none that reads; it was given back. */
export class NotAReadStep extends Schema.TaggedError<NotAReadStep>()("NotAReadStep", {
  step_id: Schema.String,
  job_id: Schema.String
}) {
  override get message() {
    return `Step ${this.step_id} does not read symbols or sections, and was given back: work it by other means, or name the job to work`
  }
}

/** What one worker did. */
export interface WorkTally {
  readonly worker_id: string
  /** Steps that were finished, by their outcome. */
  readonly succeeded: number
  readonly failed: number
  /** Steps whose lease had ended, or had gone to another worker, before they were finished. */
  readonly lost: number
  readonly hits: number
  readonly misses: number
  /** Bytes of UTF-8 over everything that was read. */
  readonly bytes_read: number
}

/** Whose reading steps are worked. `ttl_seconds` is how long a lease lasts, in seconds (default 300). */
export interface WorkOptions extends Pick<WorkerOptions, "job_id" | "ttl_seconds" | "worker_id"> {
  readonly run_id: string
  /** Told after every step. */
  readonly onStep?: (tally: WorkTally) => Effect.Effect<void>
}

/** What ends the worker: the step in hand was given back. */
type Stop = NotAReadStep | Exclude<ResolveError, StepFault>

/** Every way in which `work` ends early. What cannot be read is no error but a receipt of FAILURE. */
export type WorkError = WorkerError | Stop

/** How a reading ended that concerns the step alone, and neither the cache nor the index. */
type StepFault = Exclude<
  ResolveError,
  {
    readonly _tag:
      | "CacheDamaged"
      | "CacheTorn"
      | "CorpusClosed"
      | "CorpusCorrupt"
      | "DuplicateExpansion"
      | "ExpansionDiffers"
      | "InvariantViolation"
      | "NotACache"
      | "NotACorpus"
      | "ReadOnlyStore"
      | "StorageFailure"
      | "StorageFull"
      | "StoreBusy"
  }
>

/** Every such fault by its tag, so that a new kind of error must be put on one side or the other. */
const stepFaults: { readonly [Tag in StepFault["_tag"]]: true } = {
  AmbiguousHeading: true,
  ExpansionTooLarge: true,
  FileChanged: true,
  FileNotIndexed: true,
  FileTooLarge: true,
  FileUnreadable: true,
  HeadingNotFound: true,
  InvalidInput: true,
  InvalidSlice: true,
  NotAFile: true,
  NotText: true,
  PathOutsideRoot: true,
  SectionNotFound: true,
  SliceOutOfRange: true,
  SymbolNotFound: true,
  TargetVanished: true,
  UnboundedSlice: true
}

const isStepFault = (error: ResolveError): error is StepFault => Object.hasOwn(stepFaults, error._tag)

const decodeStep = decodeInput(ReadStep, Result.succeed)

/** What a step came to: its outcome and receipt, and what was read. */
interface Done {
  readonly outcome: Outcome
  readonly receipt: object
  readonly read: Resolved | undefined
}

const failure = (claimed: Claimed, op: ReadOperation, error: StepFault): Done => ({
  outcome: "FAILURE",
  receipt: receiptOfFailure(claimed.step_id, op, claimed.payload, {
    code: errorCode(error),
    message: error.message
  }),
  read: undefined
})

const readStep = Effect.fnUntraced(function* (
  corpus: CorpusShape,
  run_id: string,
  claimed: Claimed
): Effect.fn.Return<Done, Stop> {
  const { job_id, payload, step_id } = claimed
  const op = readOperationOf(payload)
  if (op === undefined) return yield* new NotAReadStep({ step_id, job_id })
  // Any payload may have been posted, so it is decoded here.
  const reading = Effect.fromResult(decodeStep(payload as unknown as ReadStep)).pipe(
    Effect.flatMap((step) =>
      Effect.map(
        corpus.resolve({ symbol_id: refOfStep(step), slice: sliceOfStep(step), run_id }),
        (read): Done => ({ outcome: "SUCCESS", receipt: receiptOfReading(step_id, step, read), read })
      )
    )
  )
  return yield* Effect.catchIf(reading, isStepFault, (error) => Effect.succeed(failure(claimed, op, error)))
})

const counted = (tally: WorkTally, { outcome, read }: Done): WorkTally => ({
  ...tally,
  succeeded: tally.succeeded + (outcome === "SUCCESS" ? 1 : 0),
  failed: tally.failed + (outcome === "SUCCESS" ? 0 : 1),
  hits: tally.hits + (read?.cache === "HIT" ? 1 : 0),
  misses: tally.misses + (read?.cache === "MISS" ? 1 : 0),
  bytes_read: tally.bytes_read + (read?.bytes_expanded ?? 0)
})

/** The tally after a step. */
const talliedStep = (tally: WorkTally, ending: StepEnding, done: Done | undefined): WorkTally => {
  if (ending._tag === "Lost") return { ...tally, lost: tally.lost + 1 }
  return ending._tag === "Completed" && done !== undefined ? counted(tally, done) : tally
}

/** Works the steps of a run, or of one of its jobs, until none waits. */
export const work = traced("cassette.worker.work")(function* ({
  onStep = () => Effect.void,
  ...options
}: WorkOptions): Effect.fn.Return<WorkTally, WorkError, Corpus | Ledger> {
  const corpus = yield* Corpus
  let tally: WorkTally = {
    worker_id: options.worker_id,
    succeeded: 0,
    failed: 0,
    lost: 0,
    hits: 0,
    misses: 0,
    bytes_read: 0
  }
  // One step is in hand at a time.
  let done: Done | undefined
  yield* run<Stop, never, Stop>(
    {
      ...options,
      untilEmpty: true,
      stopOn: (_error): _error is Stop => true,
      onStep: (ending) =>
        Effect.suspend(() => {
          tally = talliedStep(tally, ending, done)
          return ending._tag === "GivenBack" ? Effect.void : onStep(tally)
        })
    },
    (step) =>
      Effect.map(readStep(corpus, options.run_id, step), (result) => {
        done = result
        return finished(result.outcome, result.receipt as JsonObject)
      })
  )
  return tally
})

/** How many steps of a run, or of one of its jobs, are left. */
export interface WorkLeft {
  readonly waiting: number
  /** Leased by whomever; the lease may have ended. */
  readonly leased: number
}

/** What is left of a run, or of one of its jobs. */
export const workLeft = traced("cassette.worker.left")(function* (
  run_id: string,
  job_id: string | undefined
): Effect.fn.Return<WorkLeft, InvalidInput | ReadError, Ledger> {
  const ledger = yield* Ledger
  const counts = yield* job_id === undefined ? ledger.runSummary(run_id) : ledger.jobStatus(job_id)
  return { waiting: counts?.pending ?? 0, leased: counts?.leased ?? 0 }
})
