// How work on a ledger's file fails, in the ledger's own errors: damage of its database is damage of the ledger, and what the
// ledger's code throws passes through.
import * as Effect from "effect/Effect"
import { type StoreBusy, StoreNewerThanProgram } from "../../domain/foundation/storage-errors.ts"
import { ClockFarBehindHead, StoreCorrupt } from "../../domain/ledger/errors.ts"
import type { Finding } from "../../domain/ledger/verification.ts"
import { DatabaseDamaged } from "../sqlite/connection/database-damaged.ts"
import { type AttemptFailure, retryBusy } from "../sqlite/connection/busy-retry.ts"
import { type SqliteFailure, sqliteFailure } from "../sqlite/connection/sqlite-errors.ts"

/** The error for a finding that ends the work, and not only goes into a report. */
export const corruptBy = ({
  code,
  message,
  where
}: Pick<Finding, "code" | "message" | "where">): StoreCorrupt =>
  new StoreCorrupt({ code, where, finding: message })

type OfLedger<E> = Exclude<E, DatabaseDamaged> | StoreCorrupt

const ofLedger = <E>(error: E | DatabaseDamaged): OfLedger<E> =>
  error instanceof DatabaseDamaged
    ? new StoreCorrupt({ code: error.code, where: error.where, finding: error.finding })
    : (error as Exclude<E, DatabaseDamaged>)

/** The error for what work on a ledger's database has thrown; anything but a failure of the file (a defect) is thrown again. */
export const ledgerFailure = (file: string, error: unknown): OfLedger<SqliteFailure> => {
  if (error instanceof StoreCorrupt) return error
  return ofLedger(error instanceof DatabaseDamaged ? error : sqliteFailure(file, error))
}

/** How one attempt on a ledger's file can fail for good. */
export type LedgerAttemptFailure = OfLedger<AttemptFailure> | ClockFarBehindHead | StoreNewerThanProgram

const isThrownByLedger = (
  error: unknown
): error is ClockFarBehindHead | StoreCorrupt | StoreNewerThanProgram =>
  error instanceof StoreCorrupt ||
  error instanceof ClockFarBehindHead ||
  error instanceof StoreNewerThanProgram

/** As `retryBusy`, for work on a ledger. */
export const retryOnLedger = <A>(
  file: string,
  deadlineMillis: number,
  work: () => A
): Effect.Effect<A, LedgerAttemptFailure | StoreBusy> =>
  Effect.mapError(retryBusy(file, deadlineMillis, work, isThrownByLedger), ofLedger)
