// Verification, rung by rung over one consistent snapshot: the store's structure, the hash chain and its head,
// the thoughts' chains, the projections against a fold of the log, receipts against steps, leases against the clock. It reads and
// reports; it never repairs, and a rung that cannot be climbed is a finding, not a crash.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { timestampFromMillis } from "../../domain/canonical/timestamp.ts"
import { EMPTY_HEAD, type Head, headOf } from "../../domain/ledger/event-envelope.ts"
import type { FindingCode, VerificationReport } from "../../domain/ledger/verification.ts"
import { verifyThoughts } from "../thoughts/chain-verification.ts"
import { verifyChain } from "./chain-verification.ts"
import type { Hashing } from "./hashing.ts"
import { clockWarning } from "./head-guard.ts"
import { LedgerEvidence } from "./ledger-evidence.ts"
import type { ReadError } from "./ledger-reader.ts"
import { verifyProjections } from "./projection-verification.ts"
import { FindingList, reading, type Rungs } from "./rungs.ts"
import { verifySteps } from "./step-verification.ts"

export interface VerificationOptions {
  /** Narrows leases, steps, receipts and projections to one run; structure and chains are checked whole. */
  readonly runId?: string | undefined
  /** Judges leases as of this timestamp instead of the Clock's now. */
  readonly now?: string | undefined
  /** Leaves out what depends on a clock, so that the verdict is a function of the content alone. */
  readonly pure?: boolean | undefined
  /** Climbs only these rungs; by default all. */
  readonly rungs?: ReadonlyArray<Rung> | undefined
}

/** The rungs in the order in which they are climbed. */
const ALL_RUNGS = ["structure", "chain", "thoughts", "projections", "steps"] as const
export type Rung = (typeof ALL_RUNGS)[number]

/**
 * Runs one rung; damage that stops it becomes a finding with the rung's name: pages that SQLite cannot read, or a
 * table that is not there.
 */
const climb = <R>(
  list: FindingList,
  name: Rung,
  rung: Effect.Effect<void, ReadError, R>
): Effect.Effect<void, ReadError, R> =>
  rung.pipe(
    Effect.catchTags({
      StoreCorrupt: (error) =>
        Effect.sync(() => list.add(error.code as FindingCode, `${name}: ${error.where}`, error.finding)),
      StorageFailure: (error) =>
        error.code === "SQLITE_ERROR"
          ? Effect.sync(() => list.add("INTEGRITY", `${name}: ${error.file}`, error.reason))
          : Effect.fail(error)
    })
  )

/** Verifies a ledger and reports; fails only when the evidence itself cannot be read. */
export const verify = (
  options: VerificationOptions = {}
): Effect.Effect<VerificationReport, ReadError, LedgerEvidence | Hashing> => Effect.scoped(climbAll(options))

const readStructure = ({ list, snapshot }: Rungs) =>
  reading(() => {
    for (const { code, message, where } of snapshot.structure()) list.add(code, where, message)
  })

const readHead = ({ snapshot }: Rungs) =>
  reading((): Head => {
    const stored = snapshot.head()
    const newest = stored && snapshot.eventsAfter(stored.size - 1, 1)[0]
    return newest === undefined ? EMPTY_HEAD : headOf(newest)
  })

const climbAll = Effect.fnUntraced(function* (
  options: VerificationOptions
): Effect.fn.Return<VerificationReport, ReadError, LedgerEvidence | Hashing | Scope.Scope> {
  const evidence = yield* LedgerEvidence
  const snapshot = yield* evidence.snapshot
  const nowMillis = yield* Clock.currentTimeMillis
  const list = new FindingList()
  const rungs: Rungs = { snapshot, list, counts: {}, digests: {} }
  const wanted = options.rungs ?? ALL_RUNGS
  const timeless = options.pure === true
  const expiryTime = timeless ? undefined : (options.now ?? timestampFromMillis(nowMillis))
  let head: Head = EMPTY_HEAD
  const place = (found: Head) => {
    head = found
  }

  const climbs = {
    structure: readStructure(rungs),
    chain: Effect.map(verifyChain(rungs), place),
    // Narrowed to a run, the projections leave the thoughts to this rung.
    thoughts: verifyThoughts(rungs, options.runId === undefined && wanted.includes("projections")),
    projections: verifyProjections(rungs, options.runId),
    steps: verifySteps(rungs, options.runId, expiryTime)
  }
  for (const name of ALL_RUNGS) if (wanted.includes(name)) yield* climb(list, name, climbs[name])
  if (!wanted.includes("chain")) yield* climb(list, "chain", Effect.map(readHead(rungs), place))

  const lead = timeless || options.now !== undefined ? undefined : clockWarning(head, nowMillis)
  return {
    verdict: list.findings.length === 0 ? "PASS" : "FAIL",
    findings: list.findings,
    findings_left_off: list.leftOff,
    warnings: lead === undefined ? evidence.warnings : [...evidence.warnings, lead],
    counts: rungs.counts,
    head: { position: head.position, hash: head.hash },
    digests: rungs.digests
  }
})
