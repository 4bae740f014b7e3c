// Verification, rung by rung over one consistent snapshot: the store's structure, the hash chain and its head, every
// event for itself, the thoughts' chains, the projections against a fold of the log, receipts against steps, leases against the clock, and
// what was noted elsewhere against all of it. It reads and reports; it never repairs, and a rung that cannot be climbed
// is a finding, not a crash.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { nearestTimestamp } from "../../../domain/canonical/timestamp.ts"
import type { InvalidInput } from "../../../domain/foundation/errors.ts"
import { RunNotFound } from "../../../domain/ledger/errors.ts"
import {
  EMPTY_HEAD,
  type EventEnvelope,
  type Head,
  headOf,
  runStream
} from "../../../domain/ledger/event-envelope.ts"
import type { TrustedPoint, VerificationReport } from "../../../domain/ledger/verification.ts"
import { verifyThoughts } from "../thoughts/chain-verification.ts"
import { verifyChain } from "./chain-verification.ts"
import { EventPass } from "./event-pass.ts"
import { verifyEvents } from "./event-verification.ts"
import {
  believed,
  type CheckpointEvidence,
  type UnbelievedCheckpoint,
  PrefixRoot,
  verifySignedRoot
} from "./checkpoint-rung.ts"
import { ALL_RUNGS, decodeVerification, type Rung, RUN_RUNGS } from "./evidence-input.ts"
import { Hashing } from "../../foundation/hashing.ts"
import { copyOf } from "../../foundation/input.ts"
import { clockWarning } from "../commands/head-check.ts"
import { Ladder, stoppedByDamage, WHOLE } from "./ladder.ts"
import { LedgerEvidence } from "./ledger-evidence.ts"
import type { ReadError } from "../reading/ledger-reader.ts"
import { verifyPoint } from "./point-rung.ts"
import { verifyProjections } from "./projection-verification.ts"
import { verifyRunChain } from "./run-chain-verification.ts"
import { FindingList, reading, type Rungs } from "./rungs.ts"
import { Signing } from "../../foundation/signing.ts"
import { verifySteps } from "./step-verification.ts"

/** What is verified, all of it by default, and against what that was noted elsewhere. */
export interface VerificationOptions {
  /**
   * Narrows everything to one run, which must be there (`RunNotFound`), at a cost that grows with the run alone: it checks the schema, and this run's
   * events with their neighbours. It says nothing about other runs, pages and the whole chain.
   */
  readonly runId?: string | undefined
  /** Judges leases as of this timestamp instead of the Clock's now. */
  readonly now?: string | undefined
  /** Leaves out what depends on a clock, so that the verdict is a function of the content alone. */
  readonly pure?: boolean | undefined
  /** Climbs only these rungs; by default all. */
  readonly rungs?: ReadonlyArray<Rung> | undefined
  /**
   * Checks only what came after this point: chain and events from there on, and thoughts and projections of the streams that
   * have an event after it. A point that does not stand is a finding, and then nothing is narrowed.
   */
  readonly since?: TrustedPoint | undefined
  /** An event that must still stand in the chain. */
  readonly expectHead?: TrustedPoint | undefined
  /** A signed checkpoint that the history must bear out; one without a trusted signature is an error. */
  readonly checkpoint?: CheckpointEvidence | undefined
}

/** Why a ledger could not be judged. A negative verdict is a report, not an error. */
export type VerificationError = ReadError | InvalidInput | RunNotFound | UnbelievedCheckpoint

type Ports = LedgerEvidence | Hashing | Signing

/** Verifies a ledger and reports; fails only when the evidence itself cannot be read, or is no evidence. */
export const verify = (
  options: VerificationOptions = {}
): Effect.Effect<VerificationReport, VerificationError, Ports> => Effect.scoped(climbAll(options))

/** A point without what else a caller's value holds: a head has a time too. */
const bare = (point: TrustedPoint | undefined) => point && { position: point.position, hash: point.hash }

const readStructure = ({ list, snapshot }: Rungs, runId: string | undefined) =>
  reading(() => {
    const findings = runId === undefined ? snapshot.structure() : snapshot.schema()
    for (const { code, message, where } of findings) list.add(code, where, message)
  })

/** Nothing can be said of a run that is not there; where something was found, that may be why it is not. */
const requireRun = Effect.fnUntraced(function* ({ list, snapshot }: Rungs, runId: string | undefined) {
  if (runId === undefined || list.total > 0) return
  const [first] = yield* reading(() => snapshot.eventsAfter(0, 1, runStream(runId)))
  if (first === undefined) return yield* new RunNotFound({ run_id: runId })
})

const readHead = ({ snapshot }: Rungs) =>
  reading((): Head => {
    const stored = snapshot.head()
    const newest = stored && snapshot.eventsAfter(stored.size - 1, 1)[0]
    return newest === undefined ? EMPTY_HEAD : headOf(newest)
  })

/** What the rungs of the ledger itself are given. */
interface Climb {
  readonly options: VerificationOptions
  readonly wanted: ReadonlyArray<Rung>
  readonly since: Head | undefined
  readonly expiryTime: string | undefined
  readonly prefix: PrefixRoot | undefined
}

/** The reading that chain and events share; the fold of a whole log shares it too. */
const eventPass = Effect.fnUntraced(function* (
  { snapshot }: Rungs,
  wanted: ReadonlyArray<Rung>,
  runId: string | undefined,
  since: number | undefined
) {
  if (runId !== undefined || !wanted.includes("chain") || !wanted.includes("events")) return undefined
  const { sha256 } = yield* Hashing
  const { foldTarget } = yield* LedgerEvidence
  const folds = since === undefined && wanted.includes("projections")
  // Without a place to fold into, the projections rung asks for one again, and tells why there is none.
  const version = reading(() => snapshot.version())
  const place = Effect.orElseSucceed(Effect.all({ target: foldTarget, version }), () => undefined)
  return new EventPass(sha256, folds ? yield* place : undefined)
})

/** Climbs the wanted rungs of the ledger itself; gives the newest event's place. */
const climbLedger = Effect.fnUntraced(function* (
  rungs: Rungs,
  ladder: Ladder,
  { expiryTime, options: { runId }, prefix, since, wanted }: Climb
): Effect.fn.Return<Head, ReadError, LedgerEvidence | Hashing | Scope.Scope> {
  const position = since?.position
  const run_id = runId ?? null
  const pass = yield* eventPass(rungs, wanted, runId, position)
  const onEvent = (event: EventEnvelope) => {
    prefix?.add(event)
    pass?.add(event)
  }
  const after = { since: position ?? null, run_id: null }
  let head: Head | undefined
  const place = (found: Head) => {
    head = found
  }
  const ofRun = { since: null, run_id }
  const narrowed = runId === undefined ? after : ofRun
  // Narrowed to a run, the projections leave the thoughts to the rung of the thoughts.
  const compared = runId === undefined && wanted.includes("projections")
  const climbs = {
    structure: [ofRun, readStructure(rungs, runId)],
    chain: [
      narrowed,
      runId === undefined
        ? Effect.map(verifyChain(rungs, { since, onEvent }), place)
        : verifyRunChain(rungs, runId)
    ],
    events: [
      narrowed,
      Effect.suspend(() => {
        if (pass?.judged === true) return Effect.void
        return runId === undefined
          ? verifyEvents(rungs, position)
          : verifyEvents(rungs, undefined, runStream(runId))
      })
    ],
    thoughts: [after, verifyThoughts(rungs, compared, position)],
    projections: [
      narrowed,
      Effect.suspend(() => {
        const judged = wanted.includes("events")
        return verifyProjections(rungs, { runId, since: position, judged, folded: pass?.folded })
      })
    ],
    steps: [ofRun, verifySteps(rungs, runId, expiryTime)]
  } as const
  for (const name of ALL_RUNGS) {
    const [scope, rung] = climbs[name]
    const { told } = rungs.list
    if (wanted.includes(name)) yield* ladder.climb<void, LedgerEvidence | Hashing>(name, scope, rung)
    if (name === "chain" && rungs.list.told > told) pass?.giveUp()
  }
  if (head === undefined) head = yield* stoppedByDamage(rungs.list, "chain", readHead(rungs))
  return head ?? EMPTY_HEAD
})

const climbAll = Effect.fnUntraced(function* (
  given: VerificationOptions
): Effect.fn.Return<VerificationReport, VerificationError, Ports | Scope.Scope> {
  const copy = yield* Effect.fromResult(copyOf(given))
  const options = yield* Effect.fromResult(
    decodeVerification({ ...copy, since: bare(copy.since), expectHead: bare(copy.expectHead) })
  )
  const evidence = yield* LedgerEvidence
  const { sha256 } = yield* Signing
  const snapshot = yield* evidence.snapshot
  const nowMillis = yield* Clock.currentTimeMillis
  const list = new FindingList()
  const ladder = new Ladder(list, snapshot.takeDamage)
  const rungs: Rungs = { snapshot, list, counts: {}, digests: {} }
  const wanted = options.rungs ?? (options.runId === undefined ? ALL_RUNGS : RUN_RUNGS)
  const timeless = options.pure === true
  const expiryTime = timeless ? undefined : (options.now ?? nearestTimestamp(nowMillis))
  const signed = options.checkpoint && (yield* believed(rungs, options.checkpoint))

  const since = options.since && (yield* ladder.climb("since", WHOLE, verifyPoint(rungs, options.since)))
  // The chain rung reads every event when it is whole; else the checkpoint rung reads those it needs.
  const shared =
    signed !== undefined && options.runId === undefined && since === undefined && wanted.includes("chain")
  const prefix = shared ? new PrefixRoot(sha256, signed.size) : undefined
  const head = yield* climbLedger(rungs, ladder, { options, wanted, since, expiryTime, prefix })
  if (options.expectHead !== undefined) {
    yield* ladder.climb("expected_head", WHOLE, verifyPoint(rungs, options.expectHead))
  }
  if (signed !== undefined) {
    yield* ladder.climb("checkpoint", WHOLE, verifySignedRoot(rungs, signed, head.position, prefix))
  }

  yield* requireRun(rungs, options.runId)
  const lead = timeless || options.now !== undefined ? undefined : clockWarning(head, nowMillis)
  const { findings, findings_left_off, verdict } = list.report
  return {
    verdict,
    rungs: ladder.reports,
    findings,
    findings_left_off,
    warnings: lead === undefined ? evidence.warnings : [...evidence.warnings, lead],
    counts: rungs.counts,
    head: { position: head.position, hash: head.hash },
    digests: rungs.digests
  }
})
