// Brings the index to what the files below the root are now: unchanged files are passed over by their stat, changed ones
// are read and cut, vanished ones leave the index. A file that cannot be taken is reported and stops nothing; symbols
// are never touched.
import * as Effect from "effect/Effect"
import { appendTo } from "../../domain/foundation/appending.ts"
import type { CorpusStoreError, FileReadError } from "../../domain/corpus/errors.ts"
import { isUnchanged } from "../../domain/corpus/freshness.ts"
import { type IndexReport } from "../../domain/corpus/index-report.ts"
import { SKIP_REASONS, type Skipped, type SkipReason } from "../../domain/foundation/root-files.ts"
import { MAX_LISTED_SKIPS } from "../../domain/corpus/limits.ts"
import type { IndexedFile } from "../../domain/corpus/rows.ts"
import { invalidAt, type InvalidInput } from "../../domain/foundation/errors.ts"
import { CorpusFiles, type Walk, type WalkOptions } from "./corpus-files.ts"
import { CorpusStore, type KnownFile } from "./corpus-store.ts"
import { leavesHeadingsOut } from "./current-sections.ts"

/** How many of the files are done. */
export interface IndexProgress {
  readonly done: number
  readonly total: number
}

/** What is indexed: paths and globs below the root, all of it by default. */
export interface IndexOptions extends Partial<WalkOptions> {
  /** Told now and then how many files have been looked at. */
  readonly onProgress?: ((progress: IndexProgress) => Effect.Effect<void>) | undefined
}

/** How many files go into one transaction, and between two reports of progress. */
const BATCH_FILES = 200

const reasonOf = (error: Exclude<FileReadError, { readonly _tag: "TargetVanished" }>): SkipReason => {
  switch (error._tag) {
    case "NotText":
      return error.reason
    case "FileTooLarge":
      return "TOO_LARGE"
    case "FileChanged":
      return "CHANGED"
    case "FileUnreadable":
      return "UNREADABLE"
    case "NotAFile":
      return "NOT_A_FILE"
    case "PathOutsideRoot":
      return "LINK_OUTSIDE_ROOT"
  }
}

const isBelowAny = (starts: ReadonlyArray<string>, path: string): boolean =>
  starts.some((start) => start === "" || path === start || path.startsWith(`${start}/`))

/** A named path below which there is neither a file nor anything indexed is a slip. */
const missingStart = (walk: Walk, known: ReadonlyArray<string>): InvalidInput | undefined => {
  if (walk.missing.length === 0) return undefined
  const met = [...walk.files, ...known, ...walk.skipped.map(({ path }) => path)]
  const start = walk.missing.find((each) => !met.some((path) => isBelowAny([each], path)))
  if (start === undefined) return undefined
  return invalidAt("/paths", `there is no ${start}, and nothing of it is indexed`)
}

interface Tally {
  readonly indexed: Array<IndexedFile>
  readonly skipped: Array<Skipped>
  readonly large: Array<string>
  readonly present: Set<string>
  added: number
  changed: number
  repaired: number
  unchanged: number
}

const countsOf = (skipped: ReadonlyArray<Skipped>): IndexReport["skipped_counts"] => {
  const groups = Map.groupBy(skipped, ({ reason }) => reason)
  return Object.fromEntries(
    SKIP_REASONS.flatMap((reason) => {
      const group = groups.get(reason)
      return group === undefined ? [] : [[reason, group.length]]
    })
  )
}

const byPath = (left: Skipped, right: Skipped): number => (left.path < right.path ? -1 : 1)

/** Builds `index` on the given way of reading a file. */
export const makeIndexing = Effect.fnUntraced(function* (
  readFile: (path: string) => Effect.Effect<IndexedFile, FileReadError>
) {
  const files = yield* CorpusFiles
  const store = yield* CorpusStore

  /** Looks at one file; what was found about it goes into the tally. */
  const look = Effect.fnUntraced(function* (tally: Tally, path: string, known: KnownFile | undefined) {
    const stat = files.stat(path)
    if (known?.isWhole === true && stat !== undefined && isUnchanged(known, stat)) {
      tally.unchanged++
      tally.present.add(path)
      if (leavesHeadingsOut(path, known.size)) tally.large.push(path)
      return
    }
    const indexed = yield* readFile(path).pipe(
      Effect.catch((error) => {
        if (error._tag !== "TargetVanished") tally.skipped.push({ path, reason: reasonOf(error) })
        return Effect.undefined
      })
    )
    if (indexed === undefined) return
    tally.indexed.push(indexed)
    tally.present.add(path)
    if (leavesHeadingsOut(path, indexed.file.size)) tally.large.push(path)
    if (known === undefined) tally.added++
    else if (!known.isWhole) tally.repaired++
    else if (known.content_hash === indexed.file.content_hash) tally.unchanged++
    else tally.changed++
  })

  const flush = (tally: Tally): Effect.Effect<void, CorpusStoreError> =>
    tally.indexed.length === 0 ? Effect.void : store.update({ indexed: tally.indexed.splice(0), removed: [] })

  /** Indexes what the options name, the whole root by default. */
  return Effect.fnUntraced(function* ({ exclude = [], include = [], onProgress, paths = [] }: IndexOptions) {
    const walk = yield* files.walk({ paths, include, exclude })
    const rows = (yield* store.files).filter(({ path }) => isBelowAny(walk.starts, path))
    const known = new Map(rows.map((row) => [row.path, row]))
    const slip = missingStart(walk, [...known.keys()])
    if (slip !== undefined) return yield* slip
    const tally: Tally = {
      indexed: [],
      skipped: [...walk.skipped],
      large: [],
      present: new Set(),
      added: 0,
      changed: 0,
      repaired: 0,
      unchanged: 0
    }
    for (const [index, path] of walk.files.entries()) {
      yield* look(tally, path, known.get(path))
      if ((index + 1) % BATCH_FILES !== 0) continue
      yield* flush(tally)
      if (onProgress !== undefined) yield* onProgress({ done: index + 1, total: walk.files.length })
      yield* Effect.yieldNow
    }
    const removed = rows.flatMap(({ path }) => (tally.present.has(path) ? [] : [path]))
    yield* flush(tally)
    appendTo(removed, yield* store.strayPaths)
    if (removed.length > 0) yield* store.update({ indexed: [], removed })
    const report: IndexReport = {
      files: tally.present.size,
      added: tally.added,
      changed: tally.changed,
      repaired: tally.repaired,
      unchanged: tally.unchanged,
      removed: removed.length,
      skipped: tally.skipped.sort(byPath).slice(0, MAX_LISTED_SKIPS),
      skipped_left_off: Math.max(0, tally.skipped.length - MAX_LISTED_SKIPS),
      skipped_counts: countsOf(tally.skipped),
      headings_left_out: tally.large
    }
    return report
  })
})
