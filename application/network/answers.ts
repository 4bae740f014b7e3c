// How a question to the network may be narrowed, and what it answers as one list or fails with.
import type { LeftOff } from "../../domain/canonical/answer-budget.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { CassetteAnswer, SearchMode } from "../../domain/network/cassette.ts"
import type { QueryError } from "../../domain/network/errors.ts"
import type { Search } from "./search/hybrid-search.ts"

/** Which cassettes a question goes to, and how complete its answer must be. */
export interface QueryOptions {
  /** Ids; all cassettes when it is left out. An empty list is refused. */
  readonly cassettes?: ReadonlyArray<string> | undefined
  /** Only cassettes that have proven this. */
  readonly capability?: string | undefined
  /** How to search; by default hybrid where there are vectors, else lexical. Lists by cassette are always lexical. */
  readonly mode?: SearchMode | undefined
  /** True: any cassette that does not answer is an error. */
  readonly strict?: boolean | undefined
  /**
   * How large the answer may be as JSON (bytes of UTF-8, 4,096 or more; `Infinity` for no bound). By default 32,768 for hits,
   * and no bound for the one text that a symbol or a hash names. What was left off is told in `left_off`.
   */
  readonly maxBytes?: number | undefined
}

/** Hits of all cassettes as one list. */
export interface MergedAnswer extends Search {
  readonly answers: Readonly<Record<string, CassetteAnswer>>
  readonly partial: boolean
  /** Only where the answer is larger than its budget. */
  readonly left_off?: LeftOff
}

/** Every way in which a question to the network is refused. */
export type AskError = QueryError | InvalidInput
