// Puts a backup in the place of a ledger's file. A verified draft is made beside the file; under the file's write lock the
// log is emptied into it, it gets a second name under which it is kept, its log and the log's index are taken away, and
// the draft is renamed onto it. So the old file or the new one stands at every moment, and neither with the other's log.
// The draft stays locked until nothing of the old file is left beside it.
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { dirname, resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { decodeInput } from "../../application/ledger/input.ts"
import type { BackupError } from "../../application/ledger/ledger-evidence.ts"
import { timestampFromMillis } from "../../domain/canonical/timestamp.ts"
import {
  InvalidInput,
  NotALedger,
  type OpenError,
  RestoreRefused,
  StoreCorrupt,
  StoreNewerThanProgram,
  WrongLedger
} from "../../domain/ledger/errors.ts"
import { type RestorableHistory, restoreRefusal } from "../../domain/ledger/restoring.ts"
import type { VerificationReport } from "../../domain/ledger/verification.ts"
import { type Connection, openForWriting } from "../sqlite/better-sqlite3-host.ts"
import { busyDeadlineMillis, retryBusy } from "../sqlite/busy-retry.ts"
import { permissionsLike } from "../sqlite/file-access.ts"
import { Filename, fileOptions } from "../sqlite/file-options.ts"
import { pathFault } from "../sqlite/file-system.ts"
import { leftLogFault } from "../sqlite/left-log.ts"
import { KEPT_INFIX } from "../sqlite/lone-file.ts"
import { Busy, sqliteFailure } from "../sqlite/sqlite-errors.ts"
import { copyFailure, copyInto, draftBeside, flush } from "./ledger-backup.ts"
import { inspected, judge, openLedgerFile } from "./ledger-file.ts"
import type { LedgerFileOptions } from "./ledger-options.ts"
import { checkOpening } from "./opening-check.ts"
import { schemaSteps } from "./schema-snapshots.ts"
import { verifyFile } from "./sqlite-ledger-evidence.ts"

export interface RestoreOptions extends Pick<LedgerFileOptions, "allowNetworkFs" | "busyDeadline"> {
  /** The file that takes the ledger's place; it is read and stays as it is. */
  readonly backup: string
  /** The ledger's file, which may be missing or damaged. */
  readonly filename: string
  /** Restores although events of the ledger are newer than the backup, or the histories differ (default false). */
  readonly discardNewer?: boolean | undefined
}

export interface Restored {
  readonly file: string
  /** What was replaced, under the names that it has now: the file, and its log if that was kept. */
  readonly kept: ReadonlyArray<string>
  /** The verification of what stands in the file now. */
  readonly report: VerificationReport
}

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

const stands = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

interface Place {
  /** The draft, opened and locked. */
  readonly fresh: Connection
  readonly file: string
  readonly kept: string
  readonly draft: string
  readonly ledgerId: string | undefined
  readonly discardNewer: boolean
}

/** Refuses what may not be replaced; false when the file is damaged, so that nothing can be compared. */
const judgeStanding = ({ discardNewer, file, fresh, ledgerId }: Place, old: Connection): boolean => {
  const found = inspected(old)
  if (found.kind === "empty") return false
  const refusal = judge(file, found, undefined)
  if (refusal !== undefined) throw refusal
  if (found.kind === "ledger" && found.ledgerId !== undefined && found.ledgerId !== ledgerId) {
    throw new WrongLedger({ file: "the backup", expected: found.ledgerId, actual: String(ledgerId) })
  }
  if (checkOpening(old, file, schemaSteps()).fault !== undefined) return false
  if (discardNewer) return true
  const lost = restoreRefusal(file, historyOf(old), historyOf(fresh))
  if (lost !== undefined) throw lost
  return true
}

/** Gives the old file its second name, takes its logs away, and puts the draft in its place. */
const exchange = ({ draft, file, kept }: Place): ReadonlyArray<string> => {
  const names: Array<string> = []
  if (stands(file)) {
    linkSync(file, kept)
    names.push(kept)
  }
  for (const part of ["-wal", "-journal"]) {
    const size = statSync(`${file}${part}`, { throwIfNoEntry: false })?.size ?? 0
    if (size === 0) rmSync(`${file}${part}`, { force: true })
    else {
      renameSync(`${file}${part}`, `${kept}${part}`)
      names.push(`${kept}${part}`)
    }
  }
  rmSync(`${file}-shm`, { force: true })
  flush(dirname(file))
  renameSync(draft, file)
  return names
}

const logBytes = (file: string): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0

const isRefusal = (
  error: unknown
): error is RestoreRefused | NotALedger | StoreNewerThanProgram | WrongLedger =>
  [RestoreRefused, NotALedger, StoreNewerThanProgram, WrongLedger].some((kind) => error instanceof kind)

/** The exchange under the file's write lock; a file that SQLite cannot lock for its damage has no writer of ours. */
const exchangeLocked = (place: Place): ReadonlyArray<string> => {
  const { file } = place
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return exchange(place)
  const old = openForWriting(file)
  let mustEmptyLog = false
  try {
    return old.transaction(() => {
      // What is in the log of a sound file must be in the file before the log may go.
      mustEmptyLog = judgeStanding(place, old) && logBytes(file) > 0
      if (mustEmptyLog) throw new Busy()
      return exchange(place)
    })
  } catch (error) {
    if (mustEmptyLog) old.pragma("wal_checkpoint(TRUNCATE)")
    if (error instanceof Busy || isRefusal(error) || "syscall" in (error as object)) throw error
    const failure = error instanceof StoreCorrupt ? error : sqliteFailure(file, error)
    if (failure instanceof StoreCorrupt || failure instanceof NotALedger) return exchange(place)
    throw error
  } finally {
    old.close()
  }
}

/** The exchange with the new file locked from before it has its name until nothing of the old one is beside it. */
const replaceFile = (place: Omit<Place, "fresh">): ReadonlyArray<string> | RestoreError => {
  const { draft, file } = place
  const fresh = openForWriting(draft)
  try {
    fresh.run("BEGIN EXCLUSIVE")
    const kept = exchangeLocked({ ...place, fresh })
    for (const part of ["-wal", "-shm", "-journal", ".merkle"]) rmSync(`${file}${part}`, { force: true })
    flush(dirname(file))
    return kept
  } catch (error) {
    if (isRefusal(error)) return error
    if (!(error instanceof Busy) && "syscall" in (error as object)) return copyFailure(file, error)
    throw error
  } finally {
    fresh.close()
  }
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
  const draft = yield* draftBeside(file, backup)
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: (error) => copyFailure(file, error) })
  yield* attempt(() => chmodSync(draft, statSync(draft).mode & permissionsLike(file).file))
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
  // A missing file beside its log is what a restore is for.
  const fault =
    pathFault(backup, { mode: "read", allowNetworkFs: true }) ??
    (leftLogFault(named) === undefined ? pathFault(named, { mode: "write", allowNetworkFs }) : undefined)
  if (fault !== undefined) return yield* Effect.fail(fault)
  const file = existsSync(named) ? realpathSync(named) : named
  if (realpathSync(backup) === file) {
    return yield* invalid("/backup", `${backup} is the ledger itself: name a backup of it`)
  }
  const now = timestampFromMillis(yield* Clock.currentTimeMillis).replaceAll(":", "-")
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const { draft, ledgerId, report } = yield* draftOf(backup, file)
      const place = { draft, file, kept: `${file}${KEPT_INFIX}${now}`, ledgerId, discardNewer }
      const done = yield* retryBusy(file, busyDeadlineMillis(busyDeadline), () => replaceFile(place)).pipe(
        Effect.mapError((error) =>
          error._tag === "InvariantViolation" || error._tag === "ClockFarBehindHead"
            ? copyFailure(file, error)
            : error
        )
      )
      if ("_tag" in done) return yield* Effect.fail(done)
      return { file, kept: done, report }
    })
  )
})
