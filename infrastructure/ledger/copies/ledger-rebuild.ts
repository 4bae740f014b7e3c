// A new database made from the log of a ledger alone, which sees nothing but events: tables and guards may be damaged.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { corrupt } from "../../../application/ledger/commands/head-check.ts"
import type { BackupError } from "../../../application/ledger/verification/ledger-copies.ts"
import { EMPTY_HEAD, type Head } from "../../../domain/ledger/event-envelope.ts"
import type { VerificationReport } from "../../../domain/ledger/verification.ts"
import type { LedgerFile } from "../opening/ledger-file.ts"
import { attempt, opened, type Replaying, replayed, replayEvent, type VerifyReplayed } from "./replay.ts"
import { eventPage } from "../statements/stored-events.ts"

const PAGE = 1_000

const replayAll = Effect.fnUntraced(function* (
  file: LedgerFile,
  { connection, target }: Replaying
): Effect.fn.Return<void, BackupError, Scope.Scope> {
  const source = yield* opened(file.name, file.openSnapshot)
  yield* attempt(file.name, () => source.run("BEGIN"))
  let head: Head = EMPTY_HEAD
  // From the lowest number on, so that no event stands before the first one unseen.
  let after = Number.MIN_SAFE_INTEGER
  while (true) {
    const from = after
    const events = yield* attempt(target, () => eventPage(source, { after: from, limit: PAGE }))
    if (events.length === 0) break
    head = yield* attempt(target, () =>
      connection.transaction(() =>
        events.reduce((before, event) => replayEvent(connection, before, event), head)
      )
    )
    after = head.position
    yield* Effect.yieldNow
  }
  if (head.position > 0) return
  return yield* Effect.fail(
    corrupt({ code: "HEAD_MISMATCH", where: "events", message: "the log is empty: nothing can be rebuilt" })
  )
})

/** Writes a database rebuilt from the log alone to a file that does not exist yet, and gives its verification. */
export const rebuildTo = (
  file: LedgerFile,
  target: string,
  verify: VerifyReplayed
): Effect.Effect<VerificationReport, BackupError> =>
  replayed({ target, source: file.name, verify }, (replaying) => replayAll(file, replaying))
