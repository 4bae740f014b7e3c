// The corpus for hosts that want SQLite and files: the application's service with the one layer that wires it to a root
// folder. Hosts with ports of their own take the service from `cortex-cassette/application` instead.
import * as Layer from "effect/Layer"
import { Corpus as CorpusService } from "../../application/corpus/corpus.ts"
import { ExpansionCache } from "../../application/corpus/expansion-cache.ts"
import { whileOpen } from "../../application/foundation/while-open.ts"
import { CorpusClosed, type CorpusOpenError } from "../../domain/corpus/errors.ts"
import { sqliteCorpusLayer, type SqliteCorpusOptions } from "../../infrastructure/corpus/sqlite-corpus.ts"

export type { CacheRepair } from "../../infrastructure/corpus/jsonl-expansion-cache.ts"
export { repairExpansionLines } from "../../infrastructure/corpus/sqlite-corpus.ts"

export type CorpusOptions = SqliteCorpusOptions

export class Corpus extends CorpusService {
  /** The corpus of a root folder and the cache of what was read, with its database in CORTEX/_generated/system1.db. */
  static readonly layer = (
    options: CorpusOptions
  ): Layer.Layer<CorpusService | ExpansionCache, CorpusOpenError> =>
    whileOpen(
      CorpusService.layerNoDeps.pipe(Layer.provideMerge(sqliteCorpusLayer(options))),
      [CorpusService, ExpansionCache],
      () => new CorpusClosed()
    )
}
