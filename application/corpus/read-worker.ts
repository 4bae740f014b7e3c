// The worker: claims the steps of a run that read, reads each through the expansion cache, and commits the receipt, until
// no step waits. What cannot be read is a receipt of failure; a store that cannot be used, a step of another kind, or a
// wish to stop gives the step in hand back. It never takes a step from another worker, and never tries one again.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Corpus, type CorpusShape } from "./corpus.ts"
import type { Resolved, ResolveError } from "./resolving.ts"
import type { CommandFailure } from "../ledger/commands/commands.ts"
import { decodeInput } from "../foundation/input.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import { Ledger, type LedgerShape } from "../ledger/ledger.ts"
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
import type { ClaimStep } from "../../domain/ledger/commands.ts"
import type { Claimed } from "../../domain/ledger/decide.ts"
import { errorCode, type InvalidInput } from "../../domain/foundation/errors.ts"
import type { LeaseRefusal } from "../../domain/ledger/errors.ts"
import type { Outcome } from "../../domain/ledger/rows.ts"

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

export interface WorkOptions extends ClaimStep {
  /** Told after every step. */
  readonly onStep?: (tally: WorkTally) => Effect.Effect<void>
}

export type WorkError = CommandFailure<LeaseRefusal> | NotAReadStep | ReadError | ResolveError

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
): Effect.fn.Return<Done, NotAReadStep | ResolveError> {
  const { job_id, payload, step_id } = claimed
  const op = readOperationOf(payload)
  if (op === undefined) return yield* new NotAReadStep({ step_id, job_id })
  // The payload is whatever was posted; it is decoded here.
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

/** Claims one step and finishes it, or gives it back; the tally after it. An interruption waits for either. */
const workStep = (ledger: LedgerShape, corpus: CorpusShape, claim: ClaimStep, tally: WorkTally) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const claimed = yield* ledger.claimStep(claim)
      // A lease that cannot be given back ends by itself; what went wrong before is what must be told.
      const giveBack = (reason: string) => Effect.ignore(ledger.requeueStep({ ...claimed.lease, reason }))
      const done = yield* restore(readStep(corpus, claim.run_id, claimed)).pipe(
        Effect.onInterrupt(() => giveBack("the worker was stopped")),
        Effect.tapError((error) => giveBack(`the worker cannot read: ${errorCode(error)}`))
      )
      const { outcome, receipt } = done
      return yield* ledger
        .completeStep({
          ...claimed.lease,
          outcome,
          receipt_payload: receipt as JsonObject
        })
        .pipe(
          Effect.as(counted(tally, done)),
          Effect.catchTag(["LeaseExpired", "NotLeased", "StaleFencingToken", "WrongWorker"], () =>
            Effect.succeed({ ...tally, lost: tally.lost + 1 })
          )
        )
    })
  )

/** Works the steps of a run, or of one of its jobs, until none waits. */
export const work = Effect.fn("Worker.work")(function* ({
  onStep = () => Effect.void,
  ...claim
}: WorkOptions): Effect.fn.Return<WorkTally, WorkError, Corpus | Ledger> {
  const ledger = yield* Ledger
  const corpus = yield* Corpus
  let tally: WorkTally = {
    worker_id: claim.worker_id,
    succeeded: 0,
    failed: 0,
    lost: 0,
    hits: 0,
    misses: 0,
    bytes_read: 0
  }
  for (;;) {
    const next = yield* workStep(ledger, corpus, claim, tally).pipe(
      Effect.catchTag("NoPendingStep", () => Effect.undefined)
    )
    if (next === undefined) return tally
    tally = next
    yield* onStep(tally)
  }
})

/** How many steps of a run, or of one of its jobs, are left. */
export interface WorkLeft {
  readonly waiting: number
  /** Leased by whomever; the lease may have ended. */
  readonly leased: number
}

/** What is left of a run, or of one of its jobs. */
export const workLeft = Effect.fn("Worker.left")(function* (
  run_id: string,
  job_id: string | undefined
): Effect.fn.Return<WorkLeft, InvalidInput | ReadError, Ledger> {
  const ledger = yield* Ledger
  const counts = yield* job_id === undefined ? ledger.runSummary(run_id) : ledger.jobStatus(job_id)
  return { waiting: counts?.pending ?? 0, leased: counts?.leased ?? 0 }
})
