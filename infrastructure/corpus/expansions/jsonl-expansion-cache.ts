// The expansion cache in a file of JSON lines, for those who want their expansions as text. Writers take turns under a
// lock that no crash leaves behind; a line is durable before it is given out. A torn last line is reported and removed
// by an explicit repair alone.
import { closeSync } from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { makeFolders } from "../../files/new-folders.ts"
import { type CacheStats, ExpansionCache, type Stored } from "../../../application/corpus/expansion-cache.ts"
import type { CheckReport } from "../../../domain/corpus/check-report.ts"
import {
  CacheDamaged,
  CacheTorn,
  DuplicateExpansion,
  type ExpansionCacheError,
  NotACache
} from "../../../domain/corpus/expansion-errors.ts"
import type { Expansion } from "../../../domain/corpus/expansion.ts"
import { ReadOnlyStore } from "../../../domain/foundation/storage-errors.ts"
import { DEFAULT_BUSY_DEADLINE_MILLIS } from "../../sqlite/connection/busy-retry.ts"
import { isWritable } from "../../files/file-access.ts"
import { fileFailure, flush } from "../../files/file-system.ts"
import { makeProcessLock, type ProcessLock } from "../../sqlite/connection/process-lock.ts"
import { appendLine, cutAt, lastLineEnd, openLines, sizeOf } from "../../files/json-lines.ts"
import { verifyJsonLines } from "./jsonl-verification.ts"
import { type JsonlRecords, lineOfExpansion, lookAt, makeJsonlRecords } from "./jsonl-records.ts"

export interface JsonlCacheOptions {
  /** The file; its folder is made when the first expansion is stored. */
  readonly file: string
  /** How long to wait for other writers (milliseconds). */
  readonly busyDeadline?: number | undefined
  /** True when nothing may be stored. */
  readonly readOnly?: boolean | undefined
}

const failureOf = (file: string, error: unknown): ExpansionCacheError => {
  if (
    error instanceof CacheDamaged ||
    error instanceof CacheTorn ||
    error instanceof DuplicateExpansion ||
    error instanceof NotACache
  ) {
    return error
  }
  if (!(error instanceof Error) || !("code" in error)) throw error
  if (error.code === "EEXIST") return new NotACache({ file: dirname(file), reason: "it is no folder" })
  return fileFailure("cache", file, error)
}

const attempt = <A>(file: string, work: () => A): Effect.Effect<A, ExpansionCacheError> =>
  Effect.try({ try: work, catch: (error) => failureOf(file, error) })

/** Runs work that may throw while no other process writes. */
const locked = <A>(file: string, lock: ProcessLock, work: () => A): Effect.Effect<A, ExpansionCacheError> =>
  lock(() => Result.try({ try: work, catch: (error) => failureOf(file, error) })).pipe(
    Effect.catchTags({
      DatabaseDamaged: ({ finding }) => new NotACache({ file: lockFile(file), reason: finding }),
      NotALedger: ({ reason }) => new NotACache({ file: lockFile(file), reason })
    }),
    Effect.flatMap(Effect.fromResult)
  )

const lockFile = (file: string): string => `${file}.lock`

/** Adds a line, unless its key is taken; the lock is held. */
const append = (file: string, records: JsonlRecords, expansion: Expansion): Stored => {
  const isNew = lookAt(file) === undefined
  const descriptor = openLines(file, "append")
  try {
    if (isNew) flush(dirname(file))
    const torn = records.refresh()
    if (torn > 0) throw new CacheTorn({ file, line: records.nextLine(), bytes: torn })
    const standing = records.find(expansion)
    if (standing !== undefined) return { expansion: standing, created: false }
    appendLine(descriptor, sizeOf(descriptor), lineOfExpansion(expansion))
    return { expansion, created: true }
  } finally {
    closeSync(descriptor)
  }
}

const statsOf = (file: string, records: JsonlRecords): CacheStats => {
  const runs = new Set<string>()
  const references = new Set<string>()
  let expansions = 0
  let bytes_expanded = 0
  for (const [key, place] of records.entries()) {
    const [run = "", reference = ""] = key.split("\n")
    runs.add(run)
    references.add(reference)
    expansions += 1
    bytes_expanded += place.bytes_expanded
  }
  return {
    substrate: "jsonl",
    file,
    expansions,
    runs: runs.size,
    references: references.size,
    bytes_expanded
  }
}

const makeCache = Effect.fnUntraced(function* ({
  busyDeadline = DEFAULT_BUSY_DEADLINE_MILLIS,
  file,
  readOnly = false
}: JsonlCacheOptions): Effect.fn.Return<ExpansionCache["Service"], never, Scope.Scope> {
  const lock = yield* makeProcessLock(lockFile(file), busyDeadline)
  const records = makeJsonlRecords(file)
  yield* Effect.addFinalizer(() => Effect.sync(records.close))

  /** Where no lock can be made no other process is waited for. */
  const undisturbed = <A>(work: () => A): Effect.Effect<A, ExpansionCacheError> =>
    isWritable(dirname(file)) ? locked(file, lock, work) : attempt(file, work)

  const upToDate = () => {
    const torn = records.refresh()
    if (torn > 0) throw new CacheTorn({ file, line: records.nextLine(), bytes: torn })
  }

  /** Reads what others have added. A line without an end is theirs to finish, or torn. */
  const refreshed: Effect.Effect<void, ExpansionCacheError> = Effect.flatMap(
    attempt(file, records.refresh),
    (torn) => (torn === 0 ? Effect.void : undisturbed(upToDate))
  )

  return {
    substrate: "jsonl",
    lookup: (key) =>
      Effect.andThen(
        refreshed,
        attempt(file, () => records.find(key))
      ),
    store: (expansion) =>
      readOnly
        ? Effect.fail(new ReadOnlyStore({ file }))
        : Effect.andThen(
            attempt(file, () => makeFolders(dirname(file))),
            locked(file, lock, () => append(file, records, expansion))
          ),
    stats: Effect.map(refreshed, () => statsOf(file, records)),
    verify: Effect.flatMap(
      attempt(file, () => verifyJsonLines(file)),
      (report): Effect.Effect<CheckReport, ExpansionCacheError> =>
        report.findings.some(({ code }) => code === "LINE_TORN")
          ? undisturbed(() => verifyJsonLines(file))
          : Effect.succeed(report)
    )
  }
})

/** The cache in a file of JSON lines. */
export const jsonlExpansionCacheLayer = (options: JsonlCacheOptions): Layer.Layer<ExpansionCache> =>
  Layer.effect(ExpansionCache, makeCache(options))

/** What a repair did. */
export interface CacheRepair {
  readonly file: string
  /** Bytes of the torn last line; 0 when there was none. */
  readonly removed_bytes: number
}

/** Removes a torn last line, under the lock; no other line is touched or judged. */
export const repairJsonlCache = ({
  busyDeadline = DEFAULT_BUSY_DEADLINE_MILLIS,
  file
}: JsonlCacheOptions): Effect.Effect<CacheRepair, ExpansionCacheError> =>
  Effect.scoped(
    Effect.gen(function* () {
      if ((yield* attempt(file, () => lookAt(file))) === undefined) return { file, removed_bytes: 0 }
      const lock = yield* makeProcessLock(lockFile(file), busyDeadline)
      return yield* locked(file, lock, () => {
        const descriptor = openLines(file, "append")
        try {
          const size = sizeOf(descriptor)
          const end = lastLineEnd(descriptor, size)
          if (end < size) cutAt(descriptor, end)
          return { file, removed_bytes: size - end }
        } finally {
          closeSync(descriptor)
        }
      })
    })
  )
