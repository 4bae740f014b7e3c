// Verification of everything that follows from a ledger's content alone, for adapters that must know before they go on:
// an opening that was asked for it, a rebuilt database before it gets its name.
import * as Effect from "effect/Effect"
import type { Hashing } from "../../../application/foundation/hashing.ts"
import { LedgerEvidence } from "../../../application/ledger/verification/ledger-evidence.ts"
import type { Signing } from "../../../application/foundation/signing.ts"
import { verify } from "../../../application/ledger/verification/verification.ts"
import { StorageFailure } from "../../../domain/foundation/storage-errors.ts"
import type { VerificationReport } from "../../../domain/ledger/verification.ts"

/** The report on a ledger's content, without any clock; `file` is what errors call it. */
export const verifyContent = (
  evidence: LedgerEvidence["Service"],
  file: string
): Effect.Effect<VerificationReport, StorageFailure, Hashing | Signing> =>
  verify({ pure: true }).pipe(
    Effect.provideService(LedgerEvidence, evidence),
    Effect.mapError((error) => new StorageFailure({ file, code: error._tag, reason: error.message }))
  )
