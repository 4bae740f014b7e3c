// Makes a cassette of a cartridge: into a new file beside its place, with every line judged before it is written, and put
// in its place as a whole when all of it was found sound. A cassette that is there is never changed. Chunks and
// indexes are made here, from the texts; nothing derived is taken from anybody else.
import { randomUUID } from "node:crypto"
import { linkSync, lstatSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { makeFolders } from "../../files/new-folders.ts"
import type { CartridgeRecord } from "../../../domain/network/cartridges/cartridge.ts"
import {
  CartridgeRefused,
  CassetteFileExists,
  type EmbedderFailed,
  type EmbedderMismatch
} from "../../../domain/network/errors.ts"
import { flushFile } from "../../files/folder-draft.ts"
import { type Connection, openForWriting } from "../../sqlite/connection/better-sqlite3-host.ts"
import { fileFailure, flush, reserveFile } from "../../files/file-system.ts"
import { openCartridge } from "./cartridge-files.ts"
import { type CartridgeReader, type CartridgeWrite, readCartridge } from "./cartridge-reading.ts"
import { insertSaveOf } from "./cartridge-statements.ts"
import { beginCassette, copyReceipt } from "../cassette-schema.ts"
import type { CartridgeError } from "../../../application/network/keeping/cassette-files.ts"
import type { ImportReport } from "../../../application/network/keeping/keeping-reports.ts"
import {
  attemptOnCassette,
  type CassetteWriteError,
  configureCassette,
  onFile
} from "../writing/cassette-writer.ts"
import { reindex } from "../writing/document-writing.ts"
import { setMeta } from "../writing/index-writing.ts"
import { insertDocument } from "../writing/document-statements.ts"
import { insertMemory } from "../writing/memory-statements.ts"
import { type Embedding, embedMissing } from "../writing/indexing.ts"

/** How many writes stand in one transaction of the draft, and how long their texts may be together (UTF-16 units). */
const BATCH_WRITES = 256
const BATCH_UNITS = 4 * 1_048_576

type ReadFailure = CartridgeError

/** Synchronous reading of a cartridge; what the disk says is a typed error. */
const reading = <A>(path: string, read: () => A): Effect.Effect<A, ReadFailure> =>
  Effect.try({
    try: read,
    catch: (error) => (error instanceof CartridgeRefused ? error : fileFailure("cartridge", path, error))
  })

/** A cartridge that is open for the scope's life, with its manifest judged. */
export const openedCartridge = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<CartridgeReader, ReadFailure, Scope.Scope> {
  const cartridge = yield* Effect.acquireRelease(
    reading(path, () => openCartridge(path)),
    ({ close }) => Effect.sync(close)
  )
  return yield* reading(path, () => readCartridge(cartridge))
})

const nextBatch = (writes: Generator<CartridgeWrite, void>): ReadonlyArray<CartridgeWrite> => {
  const batch: Array<CartridgeWrite> = []
  let units = 0
  while (batch.length < BATCH_WRITES && units < BATCH_UNITS) {
    const next = writes.next()
    if (next.done === true) break
    batch.push(next.value)
    const { record } = next.value
    units += record !== undefined && "text" in record ? record.text.length : 0
  }
  return batch
}

/** Judges a cartridge to its last line, and hands every batch of writes over. */
export const eachBatch = Effect.fnUntraced(function* <E>(
  path: string,
  reader: CartridgeReader,
  take: (batch: ReadonlyArray<CartridgeWrite>) => Effect.Effect<void, E>
): Effect.fn.Return<void, E | ReadFailure> {
  const writes = reader.writes()
  while (true) {
    const batch = yield* reading(path, () => nextBatch(writes))
    if (batch.length === 0) return
    yield* take(batch)
    yield* Effect.yieldNow
  }
})

type OwnFields<Record> = Record extends unknown ? Omit<Record, "entry_hash" | "receipt_index"> : never

/** Writes a record whose receipt is the newest. */
export const writeRecord = (connection: Connection, record: OwnFields<CartridgeRecord>): void => {
  switch (record.kind) {
    case "document":
      insertDocument.first(connection, record)
      return
    case "memory":
      insertMemory.run(connection, record)
      return
    case "save":
      insertSaveOf.run(connection, record)
  }
}

const writeBatch = (connection: Connection, batch: ReadonlyArray<CartridgeWrite>): void => {
  connection.transaction(() => {
    for (const { receipt, record } of batch) {
      copyReceipt(connection, receipt)
      if (record !== undefined) writeRecord(connection, record)
    }
  })
}

const endings = ["", "-wal", "-shm", "-journal"] as const

/** Fails when anything stands where the cassette is to be, a log that SQLite would take for its own included. */
const checkPlace = (file: string, id: string): Effect.Effect<void, CassetteFileExists> =>
  Effect.suspend(() => {
    const taken = endings.find(
      (ending) => lstatSync(`${file}${ending}`, { throwIfNoEntry: false }) !== undefined
    )
    return taken === undefined
      ? Effect.void
      : Effect.fail(new CassetteFileExists({ cassette_id: id, file: `${file}${taken}` }))
  })

const put = (draft: string, file: string, id: string) =>
  Effect.try({
    try: () => {
      flushFile(draft)
      // A link is refused when the name is taken, which a rename would not be.
      linkSync(draft, file)
      flush(dirname(file))
    },
    catch: (error) =>
      (error as NodeJS.ErrnoException).code === "EEXIST"
        ? new CassetteFileExists({ cassette_id: id, file })
        : fileFailure("path", file, error)
  })

const fill = Effect.fnUntraced(function* (
  path: string,
  reader: CartridgeReader,
  draft: string,
  embedding: Embedding | undefined
): Effect.fn.Return<
  ImportReport,
  CassetteWriteError | EmbedderFailed | EmbedderMismatch | ReadFailure,
  Scope.Scope
> {
  const { manifest } = reader
  const write = <A>(work: (connection: Connection) => A) => attemptOnCassette(draft, () => work(connection))
  const connection = yield* Effect.acquireRelease(
    attemptOnCassette(draft, () => openForWriting(draft)),
    (open) => Effect.sync(() => open.close())
  )
  yield* write(() => {
    configureCassette(connection, "normal")
    const { cassette_id: id, memories, mutability, ttl_ms: ttlMillis } = manifest
    connection.transaction(() => {
      beginCassette(connection, { id, memories, mutability, ttlMillis })
      // Until all receipts are there, and the index is made from what they left.
      setMeta(connection, "reindexing", "1")
    })
  })
  yield* eachBatch(path, reader, (batch) => write(() => writeBatch(connection, batch)))
  const chunks = yield* write(reindex)
  const embedded = embedding === undefined ? 0 : yield* embedMissing(write, manifest.cassette_id, embedding)
  yield* write(() => {
    if (manifest.sealed) connection.transaction(() => setMeta(connection, "sealed", "1"))
    // Without a log, the file is all there is, and can be put in its place.
    connection.pragma("journal_mode = DELETE")
  })
  return { manifest, chunks, embedded }
})

/** Makes the cassette of an open cartridge in a file where nothing stands. */
export const importCartridge = Effect.fnUntraced(function* (
  path: string,
  reader: CartridgeReader,
  file: string,
  embedding?: Embedding
): Effect.fn.Return<
  ImportReport,
  CassetteFileExists | CassetteWriteError | EmbedderFailed | EmbedderMismatch | ReadFailure
> {
  const id = reader.manifest.cassette_id
  yield* checkPlace(file, id)
  yield* onFile(file, () => makeFolders(dirname(file)))
  const draft = join(dirname(file), `.${basename(file)}.partial-${randomUUID()}`)
  const clear = Effect.sync(() => {
    for (const ending of endings) rmSync(`${draft}${ending}`, { force: true })
  })
  return yield* Effect.gen(function* () {
    yield* onFile(file, () => reserveFile(draft, path))
    const report = yield* Effect.scoped(fill(path, reader, draft, embedding))
    yield* checkPlace(file, id)
    yield* put(draft, file, id)
    return report
  }).pipe(Effect.ensuring(clear))
})
