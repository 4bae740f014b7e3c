// What the hub asks of an index that ranks as one with others, and what such an index answers: plain data, so that it
// can be asked in this process or in another one. Every question names its scope; nothing outside it is counted,
// found or shown.
import type { JsonObject } from "../canonical/json.ts"
import type { MemoryNote, MemoryScope, Mutability } from "./cassette.ts"
import type { EmbedderIdentity } from "./vectors.ts"
import type { Counts, Weights } from "./ranking/lexical.ts"
import type { Question } from "./ranking/query-text.ts"
import type { SymbolKind } from "./symbols/symbols.ts"

/** What may be seen: what has not expired by `now` (a timestamp), of everybody and of the agent that asks. */
export interface ReadScope {
  readonly now: string
  /** Null: what everybody may see. */
  readonly agent: string | null
  /** Memories alone are counted and found. */
  readonly only?: "memory"
}

/** An index's best chunks by number, in no order, with their scores. */
export interface BestChunks {
  readonly chunks: ReadonlyArray<number>
  readonly scores: ReadonlyArray<number>
  /** The score from which on all chunks are there; null when these are all that there are. */
  readonly complete_from: number | null
  /** What ranking must know of the best of them, in no order. */
  readonly described: ReadonlyArray<NumberedDescription>
}

/** What ranking must know of a chunk beside its score. */
export interface DescribedChunk {
  readonly path: string
  readonly hash: string
  readonly ordinal: number
  /** What the question's words give it, its document looked at too. */
  readonly lexical: number
  /** The closeness of each pair of neighbouring words that was asked for. */
  readonly closeness: ReadonlyArray<number>
}

/** A description with the number that names its chunk to its own index. */
interface NumberedDescription extends DescribedChunk {
  readonly chunk: number
}

/** One of the best chunks. */
export interface Candidate extends NumberedDescription {
  readonly score: number
}

/** Where a chunk stands. */
export interface StoredPlace {
  readonly chunk_id: string
  readonly path: string
  readonly type: string
  readonly ordinal: number
  readonly kind: string
  readonly heading_path: ReadonlyArray<string>
}

/** A chunk's text with the first of its places in one store. */
export interface StoredText {
  readonly hash: string
  readonly content: string
  /** The first and the last line of the first place in its document, from 1; null where that is not known. */
  readonly line_start: number | null
  readonly line_end: number | null
  /** Of a memory's chunk alone. */
  readonly memory?: MemoryNote
  /** At least one: the wanted one if it is there, then the others by path and ordinal. */
  readonly places: ReadonlyArray<StoredPlace>
  /** How many places there are. */
  readonly place_count: number
}

/** A text whose places are asked for, and the one that must be the first if it is there. */
export interface WantedText {
  readonly hash: string
  readonly first: Pick<StoredPlace, "path" | "ordinal"> | null
}

/** One time that a memory was saved. */
export interface StoredSave {
  readonly agent_id: string | null
  readonly saved_at: string
  readonly metadata: JsonObject
}

/** A memory with its text. */
export interface StoredMemory {
  /** SHA-256 of the text. */
  readonly hash: string
  readonly text: string
  /** Newest first, at most `MAX_LISTED_SAVES`. */
  readonly saves: ReadonlyArray<StoredSave>
  readonly save_count: number
}

/** Where a text that a symbol names stands; a whole document has neither chunk id nor ordinal. */
export interface SymbolTextPlace {
  readonly path: string
  readonly type: string
  readonly chunk_id: string | null
  readonly ordinal: number | null
  readonly heading_path: ReadonlyArray<string>
}

/** A text that a symbol names, with the first of its places in one cassette. */
export interface SymbolText {
  readonly hash: string
  /** Null when what is stored is not what the hash names. */
  readonly content: string | null
  readonly places: ReadonlyArray<SymbolTextPlace>
  /** How many places there are. */
  readonly place_count: number
}

/** The texts nearest to a vector, best first; equal ones in order of their hashes. */
export interface NearestTexts {
  readonly hashes: ReadonlyArray<string>
  readonly scores: ReadonlyArray<number>
}

/** How far a store's vectors lie from an asked one, told by their signs. */
export interface VectorCensus {
  /** How many visible vectors of the asked maker differ in so many signs; empty when there are none of it. */
  readonly counts: ReadonlyArray<number>
  /** Who made the store's vectors; null when it has none. */
  readonly stored: EmbedderIdentity | null
  /** Its last index run has not come to its end. */
  readonly unfinished?: true
}

/** How many vectors of one maker a store has. */
export interface VectorStore {
  readonly identity: EmbedderIdentity
  readonly count: number
}

/** What an index knows of itself. */
export interface IndexFacts {
  readonly cassette_id: string
  readonly schema_version: string
  readonly mutability: Mutability
  readonly memories: MemoryScope
  /** The Merkle root over its records. */
  readonly records_root: string
  readonly total_chunks: number
  readonly definitions: number
  readonly files: number
  readonly content_types: ReadonlyArray<string>
  /** True when some memory was saved by an agent that said who it is. */
  readonly has_agents: boolean
  readonly vectors: ReadonlyArray<VectorStore>
  /** Its last index run has not come to its end. */
  readonly unfinished?: true
}

export type IndexRequest =
  | { readonly op: "facts"; readonly scope: ReadScope }
  | { readonly op: "count"; readonly scope: ReadScope; readonly terms: ReadonlyArray<string> }
  | {
      readonly op: "best"
      readonly scope: ReadScope
      readonly weights: Weights
      readonly phrases: Question["phrases"]
      readonly limit: number
      /** How many of the best are described at once; what else ranking needs is asked for with `describe`. */
      readonly describe: number
      readonly neighbours: Question["neighbours"]
    }
  | {
      readonly op: "describe"
      readonly scope: ReadScope
      readonly weights: Weights
      readonly chunks: ReadonlyArray<number>
      readonly neighbours: Question["neighbours"]
    }
  | {
      readonly op: "census"
      readonly scope: ReadScope
      readonly identity: EmbedderIdentity
      readonly vector: ReadonlyArray<number>
    }
  | {
      readonly op: "nearest"
      readonly scope: ReadScope
      /** Only vectors of this maker are compared. */
      readonly identity: EmbedderIdentity
      /** Of length 1. */
      readonly vector: ReadonlyArray<number>
      readonly limit: number
      /** Only vectors that differ in no more signs are compared; null: all. */
      readonly within: number | null
    }
  | {
      readonly op: "vector"
      readonly scope: ReadScope
      readonly identity: EmbedderIdentity
      /** Of a chunk's text. */
      readonly hash: string
    }
  | {
      readonly op: "places"
      readonly scope: ReadScope
      readonly texts: ReadonlyArray<WantedText>
      /** How many places of each text are named at most. */
      readonly limit: number
    }
  | {
      readonly op: "prefixed"
      readonly scope: ReadScope
      readonly kind: SymbolKind
      /** The first digits of hashes, 12 or more each. */
      readonly prefixes: ReadonlyArray<string>
      /** How many hashes are wanted for each at most. */
      readonly limit: number
    }
  | {
      readonly op: "texts"
      readonly scope: ReadScope
      readonly kind: SymbolKind
      readonly hashes: ReadonlyArray<string>
    }
  | {
      readonly op: "recall"
      readonly scope: ReadScope
      /** The first digits of the hash, or all of them. */
      readonly prefix: string
      readonly limit: number
    }

/** What ranking asks of every index; symbols and memories are looked up in files alone. */
export type RankingOp = "best" | "census" | "count" | "describe" | "nearest" | "places"

/** A request that ranking makes. */
export type RankingRequest = Extract<IndexRequest, { readonly op: RankingOp }>

/** The answer's type by the request's name. */
export interface IndexAnswers {
  readonly facts: IndexFacts
  readonly count: Counts
  readonly best: BestChunks
  /** In the order of the request; null for a chunk that is gone or may not be seen. */
  readonly describe: ReadonlyArray<DescribedChunk | null>
  readonly census: VectorCensus
  readonly nearest: NearestTexts
  /** Null where the text has none of this maker, or cannot be seen. */
  readonly vector: ReadonlyArray<number> | null
  /** Of the texts that are there and may be seen, in the order of the request. */
  readonly places: ReadonlyArray<StoredText>
  /** The hashes of each prefix in the order of the request, sorted. */
  readonly prefixed: ReadonlyArray<ReadonlyArray<string>>
  readonly texts: ReadonlyArray<SymbolText>
  /** In order of their hashes. */
  readonly recall: ReadonlyArray<StoredMemory>
}
