// Writes the documents of an index run in groups: many are one transaction, so that the disk does not decide how long a
// run takes. What needs no database (reading, cutting, taking words apart) is done before the file is locked, and a group
// that takes long is divided, so that others who write get their turn.
import * as Effect from "effect/Effect"
import { appendTo } from "../../../domain/foundation/appending.ts"
import { MAX_GROUP_DOCUMENTS, MAX_GROUP_MILLIS, MAX_GROUP_UNITS } from "../../../domain/network/limits.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { SearchedChunk } from "../index/chunk-terms.ts"
import { realSleep } from "../../sqlite/connection/real-time.ts"
import type { CassetteWriteError, WriteCassette } from "./cassette-writer.ts"
import {
  duringIndexing,
  type GivenDocument,
  hashDocument,
  type HashedDocument,
  putDocuments,
  removeDocuments,
  settledOutcomes,
  withChunks,
  type WriteOutcome
} from "./document-writing.ts"
import type { WriteTime } from "./write-time.ts"

/** How long the file is left alone when there is more to write (milliseconds): longer than any wait between two attempts. */
const TURN_OF_OTHERS_MILLIS = 5

type WriteUnit<A> = (
  connection: Connection,
  items: ReadonlyArray<A>,
  isLate: () => boolean
) => ReadonlyArray<WriteOutcome>

const inUnits = Effect.fnUntraced(function* <A>(
  write: WriteCassette,
  items: ReadonlyArray<A>,
  unit: WriteUnit<A>
): Effect.fn.Return<ReadonlyArray<WriteOutcome>, CassetteWriteError> {
  const outcomes: Array<WriteOutcome> = []
  while (outcomes.length < items.length) {
    if (outcomes.length > 0) yield* realSleep(TURN_OF_OTHERS_MILLIS)
    const rest = items.slice(outcomes.length)
    const done = yield* write((connection) => {
      const start = performance.now()
      const isLate = () => performance.now() - start >= MAX_GROUP_MILLIS
      return duringIndexing(connection, () => unit(connection, rest, isLate))
    })
    appendTo(outcomes, done)
  }
  return outcomes
})

/** A group of documents of which it is known what is stored already as it is given, and what has changed. */
export interface SettledGroup {
  readonly held: ReadonlyArray<WriteOutcome | undefined>
  readonly changed: ReadonlyArray<HashedDocument>
}

export const settleGroup = (
  write: WriteCassette,
  documents: ReadonlyArray<GivenDocument>,
  { now }: WriteTime
): Effect.Effect<SettledGroup, CassetteWriteError> => {
  const hashed = documents.map(hashDocument)
  return Effect.map(
    write((connection) => settledOutcomes(connection, hashed, now)),
    (held) => ({ held, changed: hashed.filter((_, index) => held[index] === undefined) })
  )
}

/** Stores what has changed in a group, in its order, given the chunks of each; gives the outcome of every document. */
export const writeGroup = Effect.fnUntraced(function* (
  write: WriteCassette,
  { changed, held }: SettledGroup,
  chunks: ReadonlyArray<ReadonlyArray<SearchedChunk>>,
  time: WriteTime
): Effect.fn.Return<ReadonlyArray<WriteOutcome>, CassetteWriteError> {
  const prepared = changed.map((document, index) => withChunks(document, chunks[index]!))
  const written = yield* inUnits(write, prepared, (connection, rest, isLate) =>
    putDocuments(connection, rest, time, isLate)
  )
  let next = 0
  return held.map((outcome) => outcome ?? written[next++]!)
})

/** Removes the documents of these paths; gives the outcome of each. */
export const removeGroups = (write: WriteCassette, paths: ReadonlyArray<string>) =>
  inUnits(write, paths, removeDocuments)

/** Collects what belongs into one group; `isFull` also where much was looked at and nothing of it taken. */
export class DocumentGroup {
  readonly documents: Array<GivenDocument> = []
  private looked = 0
  private units = 0
  private readonly most: number

  constructor(most = MAX_GROUP_DOCUMENTS) {
    this.most = most
  }

  /** Counts a file, with its document if it is one. */
  add(document: GivenDocument | undefined): void {
    this.looked += 1
    if (document === undefined) return
    this.documents.push(document)
    this.units += document.text.length
  }

  get isFull(): boolean {
    return this.looked >= this.most || this.units >= MAX_GROUP_UNITS
  }
}
