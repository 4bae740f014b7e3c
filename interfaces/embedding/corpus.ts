// The corpus for hosts that want SQLite and files: the application's service with the one layer that wires it to a root
// folder. Hosts with ports of their own take the service from `cortex-cassette/application` instead. Parsers, globs and statements
// load when a corpus is opened: a program with a ledger alone does without them.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Corpus as CorpusService } from "../../application/corpus/corpus.ts"
import { ExpansionCache } from "../../application/corpus/expansion-cache.ts"
import { whileOpen } from "../../application/foundation/while-open.ts"
import { CorpusClosed, type CorpusOpenError } from "../../domain/corpus/errors.ts"
import type { ExpansionCacheError } from "../../domain/corpus/expansion-errors.ts"
import type { CacheRepair } from "../../infrastructure/corpus/expansions/jsonl-expansion-cache.ts"
import type { SqliteCorpusOptions } from "../../infrastructure/corpus/sqlite-corpus.ts"

export type { CacheRepair }

const onSqlite = Effect.promise(() => import("../../infrastructure/corpus/sqlite-corpus.ts"))

/** Removes a torn last line from the file that holds the expansions of a root as JSON lines. */
export const repairExpansionLines = (
  options: Pick<SqliteCorpusOptions, "busyDeadline" | "root">
): Effect.Effect<CacheRepair, ExpansionCacheError> =>
  Effect.flatMap(onSqlite, ({ repairExpansionLines: repair }) => repair(options))

/** Which folder, and how its database is opened. */
export type CorpusOptions = SqliteCorpusOptions

/**
 * The corpus of a folder, with its one layer on SQLite and files.
 *
 * @example
 * import { writeFileSync } from "node:fs"
 * import * as Effect from "effect/Effect"
 * import { Corpus } from "cortex-cassette"
 *
 * const program = Effect.gen(function* () {
 *   const corpus = yield* Corpus
 *   yield* corpus.index({ include: ["*.md"] })
 *   yield* corpus.addSymbol({ symbol_id: "@GUIDE/install", path: "guide.md", heading: "Guide/Install" })
 *   const request = { symbol_id: "@GUIDE/install", slice: "head(40)", run_id: "reading" }
 *   const { payload } = yield* corpus.resolve(request)
 *   return payload
 * })
 *
 * writeFileSync("guide.md", "# Guide\n\n## Install\n\nnpm install cortex-cassette\n")
 * await Effect.runPromise(Effect.provide(program, Corpus.layer({ root: "." })))
 */
export class Corpus extends CorpusService {
  /** The corpus of a root folder and the cache of what was read, with its database in CORTEX/_generated/system1.db. */
  static readonly layer = (
    options: CorpusOptions
  ): Layer.Layer<CorpusService | ExpansionCache, CorpusOpenError> =>
    whileOpen(
      CorpusService.layerNoDeps.pipe(
        Layer.provideMerge(
          Layer.unwrap(Effect.map(onSqlite, ({ sqliteCorpusLayer }) => sqliteCorpusLayer(options)))
        )
      ),
      [CorpusService, ExpansionCache],
      () => new CorpusClosed()
    )
}
