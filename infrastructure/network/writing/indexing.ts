// Brings a cassette up to date with the files of its configuration: documents are written in groups, each with its
// receipt. An immutable cassette is never written to: it is built in a new file, sealed, and put in the old one's place. What is
// left out is counted with the reason.
import { existsSync, renameSync, rmSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { appendTo } from "../../../domain/foundation/appending.ts"
import type { Skipped, SkipReason } from "../../../domain/foundation/root-files.ts"
import { invalidAt, InvalidInput } from "../../../domain/foundation/errors.ts"
import { StorageFailure } from "../../../domain/foundation/storage-errors.ts"
import type { EmbedderShape } from "../../../application/network/embedder.ts"
import type { IndexReport } from "../../../application/network/keeping/keeping-reports.ts"
import type { EmbedderFailed, EmbedderMismatch } from "../../../domain/network/errors.ts"
import { embedderFault, foldSigns, putVectors, unembedded } from "../vectors/vector-writing.ts"
import { sha256 } from "../../hashing/sha256.ts"
import type { WalkError } from "../../corpus/files/file-walk.ts"
import { CassetteFile } from "../cassette-file.ts"
import {
  type CassetteWriteError,
  checkCassetteFile,
  onFile,
  openCassetteWriter,
  type WriteCassette
} from "./cassette-writer.ts"
import { searchedChunksOf } from "../index/chunk-terms.ts"
import type { ConfiguredCassette } from "../configured-cassette.ts"
import { contentTypesOf, sourcesOf } from "../configured-cassettes.ts"
import { type Cutting, makeCutting } from "./cutting.ts"
import { DocumentGroup, removeGroups, settleGroup, writeGroup } from "./document-groups.ts"
import {
  finishIndexing,
  type GivenDocument,
  seal,
  storedPaths,
  sweepMemories,
  type WriteOutcome
} from "./document-writing.ts"
import { type WriteTime, writeTime } from "./write-time.ts"
import { documentType, globBelowRoot, isOutOfSight, readDocument, sourceFiles } from "./sources.ts"
import { reserveSuccessor } from "../../files/file-system.ts"
import { rulesOf } from "../../../domain/network/mutability.ts"

/** What accompanies indexing. */
export interface IndexingOptions {
  /** Called after every group of documents, with how many files were looked at. */
  readonly progress: (done: number, total: number) => Effect.Effect<void>
  /** What gives texts their vectors, so many at once; none when it is left out. */
  readonly embedding?: Embedding | undefined
  /** True: what no source has is removed also where a source matches nothing. */
  readonly prune?: boolean | undefined
  /** Most documents of one transaction; `MAX_GROUP_DOCUMENTS` when it is left out. */
  readonly groupDocuments?: number | undefined
  /** What cuts the documents; made for the run when it is left out. */
  readonly cutting?: Cutting | undefined
}

type GroupWriting = Pick<IndexingOptions, "cutting" | "groupDocuments" | "progress">

/** An embedder, and how many texts it is given at once. */
export interface Embedding {
  readonly embedder: EmbedderShape
  readonly batchSize: number
}

interface Sources {
  readonly documents: ReadonlyArray<string>
  /** What the walk met and did not take. */
  readonly leftOut: ReadonlyArray<Skipped>
  /** Globs of the configuration that match no file. */
  readonly unmatched: ReadonlyArray<string>
  readonly isGone: (path: string) => boolean
  readonly read: (path: string) => GivenDocument | SkipReason
}

/** Globs of the configuration as globs below the root; one that leads out of it is refused by the name of its list. */
const belowRoot = (
  file: string,
  root: string,
  list: string,
  given: ReadonlyArray<string>
): ReadonlyArray<string> | InvalidInput => {
  const folder = file.slice(0, file.lastIndexOf("/"))
  const below = given.map((glob) => globBelowRoot(root, folder, glob))
  const outside = below.indexOf(undefined)
  if (outside === -1) return below as ReadonlyArray<string>
  return invalidAt(list, `${given[outside]} leads out of the root folder`)
}

const sourcesIn = (
  file: string,
  root: string,
  { configuration, id }: ConfiguredCassette
): Result.Result<Sources | undefined, WalkError> => {
  const given = sourcesOf(file, root, configuration)
  const below = belowRoot(file, root, `cassettes.${id}.sources`, given)
  if (below instanceof InvalidInput) return Result.fail(below)
  const types = contentTypesOf(file, root, configuration)
  const typed = belowRoot(file, root, `cassettes.${id}.content_types`, Object.keys(types))
  if (typed instanceof InvalidInput) return Result.fail(typed)
  if (below.length === 0) return Result.succeed(undefined)
  const names = Object.values(types)
  const typeOf = documentType(typed.map((glob, index) => [glob, names[index]!]))
  return Result.map(sourceFiles(root, below), ({ files, isGone, leftOut, unmatched }) => ({
    documents: files,
    leftOut,
    // A source that stands for a folder of the standard network is not in the file.
    unmatched: configuration.sources === undefined ? [] : unmatched.map((index) => given[index]!),
    isGone,
    read: (path) => readDocument(root, path, typeOf(path))
  }))
}

interface Tally {
  readonly counts: Record<Exclude<WriteOutcome, "refused" | "expired">, number>
  readonly refused: Array<string>
  readonly skipped: Array<{ readonly path: string; readonly reason: SkipReason | "EXPIRED" }>
  readonly withheld: Array<string>
  embedded: number
}

const newTally = (): Tally => ({
  counts: { added: 0, replaced: 0, unchanged: 0, removed: 0 },
  refused: [],
  skipped: [],
  withheld: [],
  embedded: 0
})

const count = (tally: Tally, path: string, outcome: WriteOutcome): void => {
  if (outcome === "refused") tally.refused.push(path)
  else if (outcome === "expired") tally.skipped.push({ path, reason: "EXPIRED" })
  else tally.counts[outcome] += 1
}

/** Documents that belong into one group, and how many files were looked at until then. */
interface ReadGroup {
  readonly documents: ReadonlyArray<GivenDocument>
  readonly done: number
}

/** Reads the files of a run group by group; what is no document is counted. */
function* readGroups({ documents, read }: Sources, tally: Tally, most?: number): Generator<ReadGroup> {
  let group = new DocumentGroup(most)
  for (const [index, path] of documents.entries()) {
    const document = read(path)
    if (typeof document === "string") tally.skipped.push({ path, reason: document })
    group.add(typeof document === "string" ? undefined : document)
    if (!group.isFull && index + 1 < documents.length) continue
    yield { documents: group.documents, done: index + 1 }
    group = new DocumentGroup(most)
  }
}

/** How many groups are read before the one that is written, while another thread cuts them. */
const GROUPS_AHEAD = 2

const putAll = Effect.fnUntraced(function* (
  write: WriteCassette,
  sources: Sources,
  time: WriteTime,
  tally: Tally,
  { cutting: given, groupDocuments, progress }: GroupWriting
) {
  appendTo(tally.skipped, sources.leftOut)
  const total = sources.documents.length
  const cutting = given ?? (yield* makeCutting)
  const waiting: Array<Effect.Effect<void, CassetteWriteError>> = []
  for (const { documents, done } of readGroups(sources, tally, groupDocuments)) {
    const settled = yield* settleGroup(write, documents, time)
    const chunks = cutting.cut(settled.changed)
    waiting.push(
      Effect.gen(function* () {
        const outcomes = yield* writeGroup(write, settled, yield* chunks, time)
        for (const [place, outcome] of outcomes.entries()) count(tally, documents[place]!.path, outcome)
        cutting.look(done, total)
        yield* progress(done, total)
        yield* Effect.yieldNow
      })
    )
    while (waiting.length > (cutting.isAside ? GROUPS_AHEAD : 0)) yield* waiting.shift()!
  }
  for (const each of waiting) yield* each
}, Effect.scoped)

/** Gives every text a vector that has none; gives how many there were. */
export const embedMissing = Effect.fnUntraced(function* (
  write: WriteCassette,
  id: string,
  { batchSize, embedder }: Embedding
): Effect.fn.Return<number, CassetteWriteError | EmbedderFailed | EmbedderMismatch> {
  const { identity } = embedder
  const fault = yield* write((connection) => embedderFault(connection, id, identity))
  if (fault !== undefined) return yield* fault
  let embedded = 0
  while (true) {
    const batch = yield* write((connection) => unembedded(connection, batchSize))
    if (batch.length === 0) {
      yield* write((connection) => connection.transaction(() => foldSigns(connection)))
      return embedded
    }
    const vectors = yield* embedder.embed(batch.map(({ text }) => text))
    yield* write((connection) =>
      putVectors(
        connection,
        identity,
        batch.map(({ hash }, index) => ({ hash, vector: vectors[index]! }))
      )
    )
    embedded += batch.length
  }
})

const update = Effect.fnUntraced(function* (
  configured: ConfiguredCassette,
  sources: Sources | undefined,
  { embedding, prune = false, ...writing }: IndexingOptions,
  tally: Tally
) {
  // Before the file is opened, which may make it.
  const time = yield* writeTime(configured.birth.ttlMillis)
  const write = yield* openCassetteWriter(configured.file, configured.birth, "normal")
  yield* write((connection) => sweepMemories(connection, time.now))
  if (sources === undefined) return
  yield* putAll(write, sources, time, tally, writing)
  const kept = new Set(sources.documents)
  const left = (yield* write(storedPaths)).filter(
    (path) => !kept.has(path) && !isOutOfSight(sources.leftOut, path)
  )
  const gone = left.filter((path) => prune || sources.isGone(path))
  const isRemoved = new Set(gone)
  appendTo(
    tally.withheld,
    left.filter((path) => !isRemoved.has(path))
  )
  const outcomes = yield* removeGroups(write, gone)
  for (const [place, outcome] of outcomes.entries()) count(tally, gone[place]!, outcome)
  yield* write(finishIndexing)
  if (embedding !== undefined) tally.embedded = yield* embedMissing(write, configured.id, embedding)
})

/** What stands in the sources of a sealed cassette now, and what of them cannot be taken. */
const seenIn = ({ documents, read, leftOut }: Sources) => {
  const seen = new Map<string, string>()
  const skipped = [...leftOut]
  for (const path of documents) {
    const document = read(path)
    if (typeof document === "string") skipped.push({ path, reason: document })
    else seen.set(path, `${document.type}\n${sha256(document.text)}`)
  }
  return { seen, skipped }
}

/** True when a sealed cassette holds exactly what is seen, beside what is out of sight, with the embedder's vectors. */
const holdsExactly = (
  sealed: CassetteFile,
  id: string,
  { seen, skipped }: ReturnType<typeof seenIn>,
  embedding: Embedding | undefined
): boolean => {
  const held = sealed.read(({ connection }) => ({
    documents: connection.all<{ path: string; type: string; content_hash: string }>(
      "SELECT path, type, content_hash FROM documents"
    ),
    lacksVectors:
      embedding !== undefined &&
      (unembedded(connection, 1).length > 0 ||
        embedderFault(connection, id, embedding.embedder.identity) !== undefined)
  }))
  if (!("value" in held) || held.value.lacksVectors) return false
  const judged = held.value.documents.filter(({ path }) => seen.has(path) || !isOutOfSight(skipped, path))
  return (
    judged.length === seen.size &&
    judged.every(({ content_hash, path, type }) => seen.get(path) === `${type}\n${content_hash}`)
  )
}

const pathsOf = (old: CassetteFile): ReadonlyArray<string> => {
  const held = old.read(({ connection }) => storedPaths(connection))
  return "value" in held ? held.value : []
}

/** True for what a sealed cassette holds and no source has, where a source matches nothing and may be mistyped. */
const isMissing = (
  { isGone }: Sources,
  { seen, skipped }: ReturnType<typeof seenIn>,
  path: string
): boolean => !seen.has(path) && !isOutOfSight(skipped, path) && !isGone(path)

/** What is out of sight now stands in the new cassette as it stood in the old one; it may still be there. */
const keepUnseen = Effect.fnUntraced(function* (
  write: WriteCassette,
  old: CassetteFile,
  time: WriteTime,
  { skipped }: Tally
): Effect.fn.Return<void, CassetteWriteError> {
  if (skipped.length === 0) return
  const written = new Set(yield* write(storedPaths))
  const kept = old.read(({ connection }) =>
    storedPaths(connection)
      .filter((path) => !written.has(path) && isOutOfSight(skipped, path))
      .flatMap((path) =>
        connection.all<GivenDocument>("SELECT path, type, text FROM documents WHERE path = ?", [path])
      )
  )
  if (!("value" in kept)) {
    const reason = `some of its sources cannot be read, and what it holds of them neither: ${kept.reason}`
    return yield* new StorageFailure({ file: old.file, code: "SOURCES_UNREADABLE", reason })
  }
  const settled = yield* settleGroup(write, kept.value, time)
  yield* writeGroup(write, settled, searchedChunksOf(settled.changed), time)
})

const rebuildSealed = Effect.fnUntraced(function* (
  configured: ConfiguredCassette,
  sources: Sources,
  { embedding, prune = false, ...writing }: IndexingOptions,
  tally: Tally
) {
  // What stands at the path must be this cassette, whose place is taken only by a whole new one.
  yield* checkCassetteFile(configured.file, configured.birth)
  const old = yield* Effect.acquireRelease(
    Effect.sync(() =>
      existsSync(configured.file) ? new CassetteFile(configured.file, configured.id) : undefined
    ),
    (open) => Effect.sync(() => open?.close())
  )
  if (old !== undefined) {
    const found = seenIn(sources)
    if (holdsExactly(old, configured.id, found, embedding)) {
      tally.counts.unchanged = found.seen.size
      appendTo(tally.skipped, found.skipped)
      return
    }
    const lost = prune ? [] : pathsOf(old).filter((path) => isMissing(sources, found, path))
    if (lost.length > 0) {
      appendTo(tally.withheld, lost)
      return
    }
  }
  const fresh = `${configured.file}.new`
  const clear = () => {
    for (const ending of ["", "-wal", "-shm", "-journal"]) rmSync(`${fresh}${ending}`, { force: true })
  }
  clear()
  yield* Effect.scoped(
    Effect.gen(function* () {
      // Before the file is opened, which makes its folder too.
      const time = yield* writeTime(0)
      if (old !== undefined) yield* onFile(fresh, () => reserveSuccessor(fresh, old.file))
      const write = yield* openCassetteWriter(fresh, configured.birth, "normal")
      yield* putAll(write, sources, time, tally, writing)
      if (old !== undefined) yield* keepUnseen(write, old, time, tally)
      if (embedding !== undefined) tally.embedded = yield* embedMissing(write, configured.id, embedding)
      yield* write(seal)
      // Nothing is written any more: without a log, the file is all there is, and can be put in another's place.
      yield* write((connection) => connection.pragma("journal_mode = DELETE"))
    })
  ).pipe(Effect.onError(() => Effect.sync(clear)))
  yield* onFile(configured.file, () => renameSync(fresh, configured.file))
})

const NO_SOURCES: Sources = {
  documents: [],
  leftOut: [],
  unmatched: [],
  isGone: () => true,
  read: () => "UNREADABLE"
}

/** Without sources a sealed cassette that is there keeps what it was given otherwise. */
const indexSealed = Effect.fnUntraced(function* (
  configured: ConfiguredCassette,
  sources: Sources | undefined,
  options: IndexingOptions,
  tally: Tally
) {
  if (sources === undefined && existsSync(configured.file)) {
    return yield* checkCassetteFile(configured.file, configured.birth)
  }
  yield* rebuildSealed(configured, sources ?? NO_SOURCES, options, tally)
})

/** Indexes one cassette of the configuration in `file`; without sources it is only made, if it is missing. */
export const indexCassette = Effect.fnUntraced(function* (
  file: string,
  root: string,
  configured: ConfiguredCassette,
  options: IndexingOptions
): Effect.fn.Return<IndexReport, CassetteWriteError | EmbedderFailed | EmbedderMismatch | WalkError> {
  const start = yield* Clock.monotonicTimeNanos
  const sources = yield* Effect.fromResult(sourcesIn(file, root, configured))
  const tally = newTally()
  yield* rulesOf(configured.birth.mutability).seals
    ? Effect.scoped(indexSealed(configured, sources, options, tally))
    : Effect.scoped(update(configured, sources, options, tally))
  const took = Number((yield* Clock.monotonicTimeNanos) - start) / 1e6
  return {
    cassette_id: configured.id,
    ...tally.counts,
    refused: tally.refused,
    skipped: tally.skipped,
    unmatched: sources?.unmatched ?? [],
    withheld: tally.withheld,
    embedded: tally.embedded,
    took_ms: Math.round(took)
  }
})
