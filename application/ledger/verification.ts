// Verification, rung by rung over one consistent snapshot: the store's structure, the hash chain and its head,
// the projections against a fold of the log, receipts against steps, leases against the clock. It reads and
// reports; it never repairs, and a rung that cannot be climbed is a finding, not a crash.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { timestampFromMillis } from "../../domain/canonical/timestamp.ts"
import type { StoreCorrupt } from "../../domain/ledger/errors.ts"
import { EMPTY_HEAD, type Head } from "../../domain/ledger/event-envelope.ts"
import type { FindingCode, VerificationReport } from "../../domain/ledger/verification.ts"
import { verifyChain } from "./chain-verification.ts"
import { Hashing } from "./hashing.ts"
import { clockWarning } from "./head-guard.ts"
import { LedgerEvidence } from "./ledger-evidence.ts"
import type { ReadError } from "./ledger-reader.ts"
import { verifyProjections } from "./projection-verification.ts"
import { FindingList, reading, type Rungs } from "./rungs.ts"
import { verifySteps } from "./step-verification.ts"

export interface VerificationOptions {
  /** Narrows leases, steps, receipts and projections to one run; structure and chain are checked whole. */
  readonly runId?: string | undefined
  /** Judges leases as of this timestamp instead of the Clock's now. */
  readonly now?: string | undefined
  /** Leaves out what depends on a clock, so that the verdict is a function of the content alone. */
  readonly pure?: boolean | undefined
}

/** Runs one rung; damage that stops it becomes a finding with the rung's name. */
const rung = <R>(
  list: FindingList,
  name: string,
  climb: Effect.Effect<void, ReadError, R>
): Effect.Effect<void, Exclude<ReadError, StoreCorrupt>, R> =>
  climb.pipe(
    Effect.catchTag("StoreCorrupt", (error) =>
      Effect.sync(() => list.add(error.code as FindingCode, `${name}: ${error.where}`, error.finding))
    )
  )

/** Verifies a ledger and reports; fails only when the evidence itself cannot be read. */
export const verify = (
  options: VerificationOptions = {}
): Effect.Effect<VerificationReport, ReadError, LedgerEvidence | Hashing> => Effect.scoped(climbAll(options))

const climbAll = Effect.fnUntraced(function* (
  options: VerificationOptions
): Effect.fn.Return<VerificationReport, ReadError, LedgerEvidence | Hashing | Scope.Scope> {
  const evidence = yield* LedgerEvidence
  const snapshot = yield* evidence.snapshot
  const nowMillis = yield* Clock.currentTimeMillis
  const list = new FindingList()
  const rungs: Rungs = { snapshot, list, counts: {}, digests: {} }
  let head: Head = EMPTY_HEAD

  yield* rung(
    list,
    "structure",
    reading(() => {
      for (const { code, message, where } of snapshot.structure()) list.add(code, where, message)
    })
  )
  yield* rung(
    list,
    "chain",
    verifyChain(rungs).pipe(
      Effect.map((verified) => {
        head = verified
      })
    )
  )
  yield* rung(list, "projections", verifyProjections(rungs, options.runId))
  const expiryTime = options.pure === true ? undefined : (options.now ?? timestampFromMillis(nowMillis))
  yield* rung(list, "steps", verifySteps(rungs, options.runId, expiryTime))

  const lead = options.pure === true || options.now !== undefined ? undefined : clockWarning(head, nowMillis)
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
