// The port to the expansions that were made. It only ever grows: what is stored under a key stands, and anyone who comes
// second gets the expansion that stands. Every adapter keeps the same contract, and none is put in another's place
// silently.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CheckReport } from "../../domain/corpus/check-report.ts"
import type { ExpansionCacheError } from "../../domain/corpus/expansion-errors.ts"
import type { Expansion, ExpansionKey } from "../../domain/corpus/expansion.ts"

/** Where expansions are kept: the corpus database, or a file of JSON lines. */
export const CACHE_SUBSTRATES = ["sqlite", "jsonl"] as const
/** Where expansions are kept: a database, or a file of JSON lines. */
export type CacheSubstrate = (typeof CACHE_SUBSTRATES)[number]

/** How much a cache holds: expansions, the runs and references that they are of, and the bytes of their texts. */
export interface CacheStats {
  readonly substrate: CacheSubstrate
  /** The file that holds the expansions. */
  readonly file: string
  readonly expansions: number
  readonly runs: number
  /** Different symbols and section ids that were read. */
  readonly references: number
  /** Bytes of UTF-8 over all payloads. */
  readonly bytes_expanded: number
}

/** The expansion that stands under its key, and whether it is the one that was just stored. */
export interface Stored {
  readonly expansion: Expansion
  readonly created: boolean
}

/** Port: what was read, once for each run, reference and slice. */
export class ExpansionCache extends Context.Service<
  ExpansionCache,
  {
    readonly substrate: CacheSubstrate
    /** What was expanded under a key, undefined where nothing was. */
    readonly lookup: (key: ExpansionKey) => Effect.Effect<Expansion | undefined, ExpansionCacheError>
    /** Stores an expansion unless its key is taken; it ends when what stands is as durable as the store can make it. */
    readonly store: (expansion: Expansion) => Effect.Effect<Stored, ExpansionCacheError>
    /** How much the cache holds. */
    readonly stats: Effect.Effect<CacheStats, ExpansionCacheError>
    /** Looks at every expansion: its form, its hash, its length. What is wrong is a finding, not an error. */
    readonly verify: Effect.Effect<CheckReport, ExpansionCacheError>
  }
>()("cortex-cassette/application/ExpansionCache") {}
