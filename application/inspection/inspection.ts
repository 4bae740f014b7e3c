// A ledger as a page about it asks: each question is bounded, reads along an index and changes nothing. It is built over the
// ledger's own services and its reader, so that a file, a ledger in memory and a host's own store are looked at alike.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { hexText } from "../../domain/canonical/bytes.ts"
import { parseCheckpoint } from "../../domain/evidence/checkpoint.ts"
import { formatProof } from "../../domain/evidence/proof.ts"
import type { TrustFile } from "../../domain/evidence/trust.ts"
import type {
  CheckpointSeen,
  Drawing,
  FailedStep,
  Moment,
  Overview,
  Page,
  Run,
  RunItem,
  StepFilter,
  StepItem,
  ThoughtItem
} from "../../domain/inspection/answers.ts"
import { MAX_POSITION } from "../../domain/inspection/positions.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { runStream } from "../../domain/ledger/event-envelope.ts"
import type { VerificationReport } from "../../domain/ledger/verification.ts"
import type { Signing } from "../foundation/signing.ts"
import { Ledger, type LedgerShape } from "../ledger/ledger.ts"
import { believedCheckpoint, ledgerOrigin } from "../ledger/proofs/checkpoint.ts"
import { Checkpoints, type CheckpointsShape } from "../ledger/proofs/checkpoints.ts"
import { LedgerReader, type ReadError } from "../ledger/reading/ledger-reader.ts"
import type { VerificationError } from "../ledger/verification/verification.ts"
import { moment } from "./moment.ts"
import { failedBefore, runItemOf, runsBefore, stuckAt } from "./overview.ts"
import { drawingOfRun } from "./run-drawing.ts"
import { countsOf, PAGE_ROWS, stepsOfRun } from "./run-pages.ts"
import { thoughtsOf } from "./thought-pages.ts"

export interface InspectionOptions {
  /** What the ledger is called on the page. */
  readonly file: string
  /** The newest signed checkpoint: a note's text, and whom to believe. */
  readonly checkpoint?: string | undefined
  readonly trust?: TrustFile | undefined
  /** The configuration of a network that the page may ask too. */
  readonly network?: string | undefined
}

type Read<A> = Effect.Effect<A, ReadError | InvalidInput>

export interface InspectionShape {
  readonly overview: Read<Overview>
  /** Runs by their newest event, before a position. */
  readonly runs: (before: number) => Read<Page<RunItem, number>>
  /** Runs in the order of their ids, behind one. */
  readonly runsByName: (after: string) => Read<Page<RunItem, string>>
  readonly failed: (before: number) => Read<Page<FailedStep, number>>
  readonly run: (runId: string) => Read<Run | undefined>
  readonly steps: (
    runId: string,
    after: string,
    filter: StepFilter | undefined
  ) => Read<Page<StepItem, string>>
  readonly drawing: (runId: string) => Read<Moment & { readonly drawing: Drawing | null }>
  /** Thoughts of a task in the order of the log, behind a position. */
  readonly thoughts: (taskId: string, after: number | undefined) => Read<Page<ThoughtItem, number>>
  /** The newest event and the time. */
  readonly moment: Read<Moment>
  /** The proof that an event is among those of the checkpoint, as its one canonical text. */
  readonly proof: (
    position: number
  ) => Effect.Effect<string | undefined, Effect.Error<ReturnType<CheckpointsShape["proveInclusion"]>>>
  /** The verdict without what depends on a clock, held against the checkpoint where its trust file is there. */
  readonly verify: Effect.Effect<VerificationReport, VerificationError>
  /** The head once it is behind a position, or as it is after 25 seconds. */
  readonly growth: (since: number) => Read<Moment>
}

/** How long a question for news is held. */
const PATIENCE = "25 seconds"

const checkpointSeen = Effect.fnUntraced(function* ({ checkpoint: note, trust }: InspectionOptions) {
  if (note === undefined) return null
  const reader = yield* LedgerReader
  const parsed = parseCheckpoint(note)
  if (Result.isFailure(parsed)) return unreadable(parsed.failure.message)
  const { origin, root, size } = parsed.success
  const expected = yield* ledgerOrigin
  const believed =
    trust === undefined ? undefined : yield* Effect.result(believedCheckpoint(note, trust, expected))
  const untrusted = believed !== undefined && Result.isFailure(believed) ? believed.failure.message : null
  const isOther = origin !== expected
  const [last] = size === 0 || isOther ? [] : yield* reader.events(size - 1, 1)
  const seen: CheckpointSeen = {
    size,
    root: hexText(root),
    signers: parsed.success.note.signatures.map(({ name }) => name),
    is_trusted: believed === undefined ? null : untrusted === null,
    fault: isOther ? `it is of another ledger: ${origin}` : untrusted,
    covers_until: last?.recorded_at ?? null
  }
  return seen
})

const unreadable = (fault: string): CheckpointSeen => ({
  size: 0,
  root: "",
  signers: [],
  is_trusted: null,
  fault,
  covers_until: null
})

/** An answer with the moment that it is of, which is read first: what grows meanwhile is news later. */
const dated = <A extends object, E>(answer: (at: Moment) => Effect.Effect<A, E, LedgerReader>) =>
  Effect.gen(function* () {
    const at = yield* moment
    return { ...at, ...(yield* answer(at)) }
  })

/** As `dated`, of what may not be there. */
const datedIfThere = <A extends object, E>(
  answer: (at: Moment) => Effect.Effect<A | undefined, E, LedgerReader>
) =>
  Effect.gen(function* () {
    const at = yield* moment
    const found = yield* answer(at)
    return found === undefined ? undefined : { ...at, ...found }
  })

const runAt = (runId: string) =>
  datedIfThere(
    Effect.fnUntraced(function* ({ now }) {
      const reader = yield* LedgerReader
      const [newest] = yield* reader.eventsBefore(MAX_POSITION, 1, runStream(runId))
      if (newest === undefined) return undefined
      const events = yield* reader.streamLength(runStream(runId))
      return {
        run: yield* runItemOf(runId, newest),
        events,
        counts: yield* countsOf(runId, now, events)
      }
    })
  )

const runsByName = (after: string) =>
  dated(
    Effect.fnUntraced(function* () {
      const places = yield* (yield* LedgerReader).runPlaces({ after, limit: PAGE_ROWS })
      const items = yield* Effect.forEach(places, (place) => runItemOf(place.run_id, place))
      return { items, next: places.length < PAGE_ROWS ? null : (places.at(-1)?.run_id ?? null) }
    })
  )

const failedAt = (before: number) =>
  dated(() =>
    Effect.map(failedBefore(before, PAGE_ROWS), (items) => ({
      items,
      next: items.length < PAGE_ROWS ? null : (items.at(-1)?.position ?? null)
    }))
  )

/** How many rows of failures and runs the overview has. */
const SHOWN = 10

const overviewOf = (ledger: LedgerShape, options: InspectionOptions) =>
  Effect.gen(function* () {
    const at = yield* moment
    const { items, next } = yield* runsBefore(MAX_POSITION, SHOWN * 2)
    const overview: Overview = {
      kind: "ledger",
      ...at,
      file: options.file,
      ledger_id: ledger.ledgerId ?? null,
      fault: ledger.fault ?? null,
      warnings: yield* ledger.warnings,
      checkpoint: yield* checkpointSeen(options),
      stuck: yield* stuckAt(at.now),
      failed: yield* failedBefore(undefined, SHOWN),
      runs: items,
      next_runs: next,
      network: options.network ?? null
    }
    return overview
  })

const makeInspection = Effect.fnUntraced(function* (options: InspectionOptions) {
  const ledger = yield* Ledger
  const checkpoints = yield* Checkpoints
  const ports = yield* Effect.context<LedgerReader | Signing>()
  const on = <A, E>(answer: Effect.Effect<A, E, LedgerReader | Signing>) =>
    Effect.provideContext(answer, ports)
  const { checkpoint, trust } = options
  const evidence = checkpoint !== undefined && trust !== undefined ? { note: checkpoint, trust } : undefined
  const shape: InspectionShape = {
    overview: on(overviewOf(ledger, options)),
    runs: (before) => on(dated(() => runsBefore(before, PAGE_ROWS))),
    runsByName: (after) => on(runsByName(after)),
    failed: (before) => on(failedAt(before)),
    run: (runId) => on(runAt(runId)),
    steps: (runId, after, filter) => on(dated(({ now }) => stepsOfRun(runId, now, after, filter))),
    drawing: (runId) =>
      on(dated(({ now }) => Effect.map(drawingOfRun(runId, now), (drawing) => ({ drawing })))),
    thoughts: (taskId, after) => on(dated(() => thoughtsOf(taskId, after))),
    proof: (position) =>
      checkpoint === undefined
        ? Effect.succeed(undefined)
        : Effect.map(checkpoints.proveInclusion({ position, checkpoint }), formatProof),
    moment: on(moment),
    verify: ledger.verifyCassette({ pure: true, checkpoint: evidence }),
    growth: (since) => on(Effect.andThen(Effect.timeoutOption(ledger.changed(since), PATIENCE), moment))
  }
  return shape
})

export class Inspection extends Context.Service<Inspection, InspectionShape>()("cortex-cassette/Inspection") {
  /** The inspection of a ledger that is open. */
  static readonly layerWith = (
    options: InspectionOptions
  ): Layer.Layer<Inspection, never, Ledger | Checkpoints | LedgerReader | Signing> =>
    Layer.effect(this, makeInspection(options))
}
