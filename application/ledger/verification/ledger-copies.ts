// The port for copies of a ledger as files. A ledger that lies in no file has none, and then no copy can be asked for.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { InvalidInput } from "../../../domain/foundation/errors.ts"
import type { ReadOnlyStore, StorageFull } from "../../../domain/foundation/storage-errors.ts"
import type { VerificationReport } from "../../../domain/ledger/verification.ts"
import type { ReadError } from "../reading/ledger-reader.ts"

/** Every way in which a copy of a ledger fails; no file is left then. */
export type BackupError = ReadError | InvalidInput | ReadOnlyStore | StorageFull

/** Port: copies of the whole ledger as files. */
export class LedgerCopies extends Context.Service<
  LedgerCopies,
  {
    /** Writes a consistent copy to a file that does not exist yet. */
    readonly backup: (file: string) => Effect.Effect<void, BackupError>
    /** Writes a verified database, rebuilt from the log alone, to a file that does not exist yet. */
    readonly rebuild: (file: string) => Effect.Effect<VerificationReport, BackupError>
  }
>()("cortex-cassette/application/LedgerCopies") {}
