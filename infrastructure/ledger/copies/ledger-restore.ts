// Puts a backup in the place of a ledger's file. A verified draft is made beside the file; under the file's write lock the
// log is emptied into it, and the two are exchanged (file-exchange.ts). The draft stays locked until nothing of the old file
// is left beside it.
import { existsSync, realpathSync, rmSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { decodeInput } from "../../../application/foundation/input.ts"
import type { BackupError } from "../../../application/ledger/verification/ledger-copies.ts"
import { timestampFromMillis } from "../../../domain/canonical/timestamp.ts"
import { InvalidInput } from "../../../domain/foundation/errors.ts"
import { NotALedger, StoreNewerThanProgram } from "../../../domain/foundation/storage-errors.ts"
import { type OpenError, RestoreRefused, WrongLedger } from "../../../domain/ledger/errors.ts"
import { type RestorableHistory, restoreRefusal } from "../../../domain/ledger/restoring.ts"
import type { VerificationReport } from "../../../domain/ledger/verification.ts"
import { DatabaseDamaged } from "../../sqlite/connection/database-damaged.ts"
import { type Connection, openForWriting } from "../../sqlite/connection/better-sqlite3-host.ts"
import { busyDeadlineMillis } from "../../sqlite/connection/busy-retry.ts"
import { Filename, fileOptions } from "../../sqlite/files/file-options.ts"
import { flush } from "../../files/file-system.ts"
import { pathFault } from "../../sqlite/files/database-path.ts"
import { hasJournal } from "../../sqlite/files/private-copy.ts"
import { Busy, isSqliteError, sqliteFailure } from "../../sqlite/connection/sqlite-errors.ts"
import { lookUntouched } from "../../sqlite/files/untouched-look.ts"
import { lookThrough } from "../../sqlite/files/wal-leftovers.ts"
import { retryOnLedger } from "../ledger-failures.ts"
import { copyFailure, copyInto, draftBeside } from "./ledger-backup.ts"
import { type Exchange, exchangeFile } from "./file-exchange.ts"
import { checkFile, inspected, openLedgerFile } from "../opening/ledger-file.ts"
import { type Inspection, judge } from "../opening/ledger-inspection.ts"
import type { LedgerFileOptions } from "../opening/ledger-options.ts"
import { verifyFile } from "../sqlite-ledger-evidence.ts"

/**
 * The backup, and the ledger's file that it replaces. `discardNewer` allows to lose events that the backup has
 * not.
 */
export interface RestoreOptions extends Pick<LedgerFileOptions, "allowNetworkFs" | "busyDeadline"> {
  /** The file that takes the ledger's place; it is read and stays as it is. */
  readonly backup: string
  /** The ledger's file, which may be missing or damaged. */
  readonly filename: string
  /** Restores although events of the ledger are newer than the backup, or the histories differ (default false). */
  readonly discardNewer?: boolean | undefined
}

/** The file that stands in the ledger's place, the files that were kept beside it, and the backup's verification. */
export interface Restored {
  readonly file: string
  /** What was replaced, under the names that it has now: the file, and its log if that was kept. */
  readonly kept: ReadonlyArray<string>
  /** The verification of what stands in the file now. */
  readonly report: VerificationReport
}

/** Every way in which a backup is not put in place; the ledger stays as it was. */
export type RestoreError = OpenError | BackupError | RestoreRefused

const decodeRestore = decodeInput(
  Schema.Struct({
    backup: Filename,
    filename: Filename,
    discardNewer: Schema.optional(Schema.Boolean),
    busyDeadline: fileOptions.busyDeadline,
    allowNetworkFs: fileOptions.allowNetworkFs
  } satisfies Record<keyof RestoreOptions, Schema.Top>),
  Result.succeed
)

/** How many findings of a refused backup are named. */
const NAMED_FINDINGS = 3

const verified = Effect.fnUntraced(function* (
  file: string,
  backup: string,
  path: string
): Effect.fn.Return<VerificationReport, BackupError | RestoreRefused> {
  const report = yield* verifyFile(path)
  if (report.verdict === "PASS") return report
  const named = report.findings
    .slice(0, NAMED_FINDINGS)
    .map(({ code, message, where }) => `${code} at ${where}: ${message}`)
  return yield* new RestoreRefused({
    file,
    code: "BACKUP_DAMAGED",
    reason: `the backup ${backup} does not verify, ${report.findings.length} issue(s), first: ${named.join("; ")}; choose another backup`
  })
})

const historyOf = (connection: Connection): RestorableHistory => {
  const [head] = connection.all<{ size: number; hash: string }>("SELECT size, hash FROM head")
  return {
    size: head?.size ?? 0,
    hash: head?.hash ?? "",
    hashAt: (position) =>
      connection.all<{ hash: string }>("SELECT hash FROM events WHERE position = ?", [position])[0]?.hash
  }
}

interface RestorePlace extends Exchange {
  /** The draft, opened and locked. */
  readonly fresh: Connection
  readonly ledgerId: string | undefined
  readonly discardNewer: boolean
}

/** What stands in the place; a file that is no database at all has nothing to compare, like an empty one. */
const standingIn = (old: Connection): Inspection => {
  try {
    return inspected(old)
  } catch (error) {
    if (error instanceof NotALedger) return { kind: "empty" }
    throw error
  }
}

/** Refuses what may not be replaced; false when the file is damaged, so that nothing can be compared. */
const judgeStanding = ({ discardNewer, file, fresh, ledgerId }: RestorePlace, old: Connection): boolean => {
  const found = standingIn(old)
  if (found.kind === "empty") return false
  const refusal = judge(file, found, undefined)
  if (refusal !== undefined) throw refusal
  if (found.kind === "ledger" && found.ledgerId !== undefined && found.ledgerId !== ledgerId) {
    throw new WrongLedger({ file: "the backup", expected: found.ledgerId, actual: String(ledgerId) })
  }
  if (checkFile(old, file).fault !== undefined) return false
  if (discardNewer) return true
  const lost = restoreRefusal(file, historyOf(old), historyOf(fresh))
  if (lost !== undefined) throw lost
  return true
}

/**
 * Moves what is in the log into the file, while another connection has it locked for writing: what is in the log of a sound
 * ledger must be in the file before the log may go. False while a reader is at what is older.
 */
const isLogMoved = (file: string): boolean =>
  lookThrough(openForWriting(file), (connection) => {
    const [moved] = connection.all<{ busy: number; log: number; checkpointed: number }>(
      "PRAGMA wal_checkpoint(PASSIVE)"
    )
    return moved?.busy === 0 && moved.log === moved.checkpointed
  })

const isRefusal = (
  error: unknown
): error is RestoreRefused | NotALedger | StoreNewerThanProgram | WrongLedger =>
  [RestoreRefused, NotALedger, StoreNewerThanProgram, WrongLedger].some((kind) => error instanceof kind)

/** True for what SQLite says of a file that it cannot read or lock for its damage. */
const isDamage = (file: string, error: unknown): boolean => {
  if (error instanceof DatabaseDamaged) return true
  return isSqliteError(error) && sqliteFailure(file, error) instanceof DatabaseDamaged
}

/** Refuses before anything of the file may change; false when it is damaged. */
const judgeUntouched = (place: RestorePlace): boolean => {
  try {
    return lookUntouched(place.file, (old) => judgeStanding(place, old))
  } catch (error) {
    if (isDamage(place.file, error)) return false
    throw error
  }
}

/** The exchange under the file's write lock; a file that SQLite cannot lock for its damage has no writer of ours. */
const exchangeLocked = (place: RestorePlace): ReadonlyArray<string> => {
  const { file } = place
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return exchangeFile(place)
  // A journal that SQLite would undo in a damaged file is kept beside it instead.
  if (!judgeUntouched(place) && hasJournal(file)) return exchangeFile(place)
  const old = openForWriting(file)
  try {
    return old.transaction(() => {
      const isSound = judgeStanding(place, old)
      if (isSound && !isLogMoved(file)) throw new Busy()
      return exchangeFile({ ...place, isLogMoved: isSound })
    })
  } catch (error) {
    if (isDamage(file, error)) return exchangeFile(place)
    throw error
  } finally {
    old.close()
  }
}

/** The exchange with the new file locked from before it has its name until nothing of the old one is beside it. */
const replaceFile = (
  place: Omit<RestorePlace, "fresh">
): Result.Result<ReadonlyArray<string>, RestoreError> => {
  const { draft, file } = place
  const fresh = openForWriting(draft)
  try {
    fresh.run("BEGIN EXCLUSIVE")
    const kept = exchangeLocked({ ...place, fresh })
    for (const part of ["-wal", "-shm", "-journal", ".merkle"]) rmSync(`${file}${part}`, { force: true })
    flush(dirname(file))
    return Result.succeed(kept)
  } catch (error) {
    if (isRefusal(error)) return Result.fail(error)
    if (!(error instanceof Busy) && "syscall" in (error as object))
      return Result.fail(copyFailure(file, error))
    throw error
  } finally {
    fresh.close()
  }
}

const isSameFile = (left: string, right: string): boolean => {
  const [one, other] = [left, right].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

const invalid = (field: string, message: string) =>
  new InvalidInput({ message, issues: [{ path: field, message }] })

/** A verified copy of the backup in a folder beside the file, never more open than either; it goes with the scope. */
const draftOf = Effect.fnUntraced(function* (
  backup: string,
  file: string
): Effect.fn.Return<
  { readonly draft: string; readonly ledgerId: string | undefined; readonly report: VerificationReport },
  RestoreError,
  Scope.Scope
> {
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: (error) => copyFailure(file, error) })
  const standing = yield* attempt(() => statSync(file, { throwIfNoEntry: false }))
  const draft = yield* draftBeside(file, backup, standing)
  const ledgerId = yield* Effect.scoped(
    Effect.gen(function* () {
      const opened = yield* openLedgerFile({ filename: backup, mode: "read", allowNetworkFs: true })
      yield* verified(file, backup, backup)
      yield* attempt(() => copyInto(opened, draft))
      return opened.ledgerId
    })
  )
  const report = yield* verified(file, backup, draft)
  yield* attempt(() => flush(draft))
  return { draft, ledgerId, report }
})

/**
 * Puts a verified backup in the place of a ledger's file and keeps what it replaces beside it. Another ledger's backup is
 * `WrongLedger`; one that does not verify, and one that would cost events, is `RestoreRefused`. A program that has
 * the file open fails with `StorageFailure` (`FILE_REPLACED`) from then on.
 */
export const restoreLedger = Effect.fnUntraced(function* (
  given: RestoreOptions
): Effect.fn.Return<Restored, RestoreError> {
  const options = yield* Effect.fromResult(decodeRestore(given))
  const named = resolve(options.filename)
  const backup = resolve(options.backup)
  const { allowNetworkFs = false, busyDeadline, discardNewer = false } = options
  const fault =
    pathFault(backup, { mode: "read", allowNetworkFs: true }) ??
    pathFault(named, { mode: "replace", allowNetworkFs })
  if (fault !== undefined) return yield* Effect.fail(fault)
  const file = existsSync(named) ? realpathSync(named) : named
  if (isSameFile(backup, file)) {
    return yield* invalid("/backup", `${backup} is the ledger itself: name a backup of it`)
  }
  const now = timestampFromMillis(yield* Clock.currentTimeMillis).replaceAll(":", "-")
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const { draft, ledgerId, report } = yield* draftOf(backup, file)
      const place = { draft, file, time: now, ledgerId, discardNewer }
      const done = yield* retryOnLedger(file, busyDeadlineMillis(busyDeadline), () =>
        replaceFile(place)
      ).pipe(
        Effect.mapError((error) =>
          error._tag === "InvariantViolation" || error._tag === "ClockFarBehindHead"
            ? copyFailure(file, error)
            : error
        )
      )
      return { file, kept: yield* Effect.fromResult(done), report }
    })
  )
})
