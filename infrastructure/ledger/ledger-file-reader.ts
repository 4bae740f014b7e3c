// The query port on a file: a read-only connection beside the writer's, and a look at the file now and then for what other processes
// have committed.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LedgerReader } from "../../application/ledger/reading/ledger-reader.ts"
import type { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import type { StoreCorrupt } from "../../domain/ledger/errors.ts"
import { realSleep } from "../sqlite/connection/real-time.ts"
import type { LedgerFile } from "./opening/ledger-file.ts"
import { readHead } from "./statements/ledger-lookups.ts"
import { makeSqliteLedgerReader, readEffect } from "./sqlite-ledger-reader.ts"

/** How often commits of other processes are looked for (milliseconds). */
const POLL_MILLIS = 50

/** The query port on an opened file. */
export const openLedgerReader = Effect.fnUntraced(function* (
  file: LedgerFile
): Effect.fn.Return<LedgerReader["Service"], StorageFailure | StoreCorrupt, Scope.Scope> {
  const own = yield* Effect.acquireRelease(
    readEffect(file.name, file.busyDeadline, file.openReader),
    (connection) => Effect.sync(() => (connection === file.host ? undefined : connection.close()))
  )
  return makeSqliteLedgerReader(file, own, {
    counter: () => (own === file.host ? readHead(own).position : Number(own.pragma("data_version"))),
    wait: realSleep(POLL_MILLIS)
  })
})
