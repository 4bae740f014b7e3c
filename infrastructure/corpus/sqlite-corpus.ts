// Wires the corpus of one root folder: its files, its database below CORTEX/_generated, the Markdown parser and the
// hashes. It makes the database's folder for writers and nothing else.

import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { makeFolders } from "../files/new-folders.ts"
import type { CorpusFiles } from "../../application/corpus/corpus-files.ts"
import type { CorpusStore } from "../../application/corpus/corpus-store.ts"
import {
  CACHE_SUBSTRATES,
  type CacheSubstrate,
  type ExpansionCache
} from "../../application/corpus/expansion-cache.ts"
import type { Markdown } from "../../application/corpus/markdown.ts"
import { decodeInput } from "../../application/foundation/input.ts"
import type { Hashing } from "../../application/foundation/hashing.ts"
import type { CorpusOpenError } from "../../domain/corpus/errors.ts"
import type { ExpansionCacheError } from "../../domain/corpus/expansion-errors.ts"
import { ReadOnlyStore, StorageFailure, StorageFull } from "../../domain/foundation/storage-errors.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { busyDeadlineMillis } from "../sqlite/connection/busy-retry.ts"
import { fileOptions } from "../sqlite/files/file-options.ts"
import { type CorpusDatabase, type CorpusDatabaseOptions, corpusDatabaseLayer } from "./corpus-database.ts"
import {
  type CacheRepair,
  jsonlExpansionCacheLayer,
  repairJsonlCache
} from "./expansions/jsonl-expansion-cache.ts"
import { markdownLayer } from "./texts/markdown-headings.ts"
import { corpusFilesLayer, realRoot } from "./files/node-corpus-files.ts"
import { sqliteCorpusStoreLayer } from "./sqlite-corpus-store.ts"
import { sqliteExpansionCacheLayer } from "./expansions/sqlite-expansion-cache.ts"

/** Where a corpus database lies below the root. */
const CORPUS_PATH = ["CORTEX", "_generated", "system1.db"] as const

/** Where the expansions lie when they are kept as JSON lines. */
const LINES_PATH = ["CORTEX", "_cache", "expansions.jsonl"] as const

export interface SqliteCorpusOptions extends Omit<CorpusDatabaseOptions, "filename"> {
  /** The folder whose files may be read; its CORTEX/ holds the database. */
  readonly root: string
  /** Where expansions are kept: in the database (`sqlite`, the default) or in CORTEX/_cache/expansions.jsonl. */
  readonly cache?: CacheSubstrate | undefined
}

const folderFailure = (file: string, error: unknown): ReadOnlyStore | StorageFailure | StorageFull => {
  const { code = "UNKNOWN", message } = error as NodeJS.ErrnoException
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return new ReadOnlyStore({ file })
  return code === "ENOSPC" ? new StorageFull({ file }) : new StorageFailure({ file, code, reason: message })
}

/** What the corpus service needs, and the database behind it. */
export type CorpusPorts = CorpusDatabase | CorpusFiles | CorpusStore | ExpansionCache | Hashing | Markdown

/** The file that holds the expansions of a root as JSON lines. */
const expansionLines = (root: string): string => join(root, ...LINES_PATH)

const cacheLayer = (
  root: string,
  { busyDeadline, cache = "sqlite", mode }: Omit<SqliteCorpusOptions, "root">
): Layer.Layer<ExpansionCache, never, CorpusDatabase> =>
  cache === "sqlite"
    ? sqliteExpansionCacheLayer
    : jsonlExpansionCacheLayer({
        file: expansionLines(root),
        busyDeadline: busyDeadlineMillis(busyDeadline),
        readOnly: mode === "read"
      })

const rootField = Schema.String.check(Schema.isNonEmpty({ expected: "a folder" }))

/** Every option has its field here, or this does not compile. */
const fields = {
  ...fileOptions,
  root: rootField,
  cache: Schema.optional(Schema.Literals(CACHE_SUBSTRATES)),
  asFound: Schema.optional(Schema.Boolean)
} satisfies Record<keyof SqliteCorpusOptions, Schema.Top>

const decodeOptions = decodeInput(Schema.Struct(fields), Result.succeed)

const decodeRepair = decodeInput(
  Schema.Struct({ root: rootField, busyDeadline: fileOptions.busyDeadline }),
  Result.succeed
)

/** The ports of the corpus below a root. */
export const sqliteCorpusLayer = (given: SqliteCorpusOptions): Layer.Layer<CorpusPorts, CorpusOpenError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { root, ...options } = yield* Effect.fromResult(decodeOptions(given))
      const real = yield* realRoot(root)
      const filename = join(real, ...CORPUS_PATH)
      if ((options.mode ?? "write") === "write") {
        yield* Effect.try({
          try: () => makeFolders(dirname(filename)),
          catch: (error) => folderFailure(dirname(filename), error)
        })
      }
      return Layer.mergeAll(
        sqliteCorpusStoreLayer,
        corpusFilesLayer(real),
        markdownLayer,
        nodeHashingLayer,
        cacheLayer(real, options)
      ).pipe(Layer.provideMerge(corpusDatabaseLayer({ ...options, filename })))
    })
  )

/** Removes a torn last line from the file that holds the expansions of a root as JSON lines. */
export const repairExpansionLines = Effect.fnUntraced(function* (
  given: Pick<SqliteCorpusOptions, "busyDeadline" | "root">
): Effect.fn.Return<CacheRepair, ExpansionCacheError> {
  const { busyDeadline, root } = yield* Effect.fromResult(decodeRepair(given))
  const file = expansionLines(yield* realRoot(root))
  return yield* repairJsonlCache({ file, busyDeadline: busyDeadlineMillis(busyDeadline) })
})
