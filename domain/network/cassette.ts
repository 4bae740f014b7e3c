// What a cassette says of itself and what it finds: the handshake, its statistics and the hits of a question, in the
// names that travel between programs. See docs/spec/network.md.
import * as Schema from "effect/Schema"
import type { JsonObject } from "../canonical/json.ts"

/** What a cassette may promise about writes. */
const MUTABILITIES = ["immutable", "stable", "mutable", "append-only", "ephemeral", "read-write"] as const
/** Which changes a cassette allows. */
export const Mutability = Schema.Literals(MUTABILITIES)
export type Mutability = typeof Mutability.Type

/** What a cassette can do. */
export const CAPABILITIES = [
  "vectors",
  "fts",
  "semantic_search",
  "research",
  "ast",
  "fixtures",
  "agent_id"
] as const
/** What a cassette can do. */
export const Capability = Schema.Literals(CAPABILITIES)
export type Capability = typeof Capability.Type

/** Who sees the memories of a cassette: everybody, or each agent its own. */
export type MemoryScope = "shared" | "private"

const idForm = /^[a-z][a-z0-9-]{0,63}$/

/** A cassette's id. */
export const CassetteId = Schema.String.check(
  Schema.isPattern(idForm, { expected: "a lower-case letter, then up to 63 letters, digits or hyphens" })
)

export const isCassetteId = (text: string): boolean => idForm.test(text)

/** How much a cassette holds. */
export const CassetteStats = Schema.Struct({
  total_chunks: Schema.Int,
  with_vectors: Schema.Int,
  files: Schema.Int,
  content_types: Schema.Array(Schema.String)
})
export type CassetteStats = typeof CassetteStats.Type

/** What a cassette says of itself. */
export const Handshake = Schema.Struct({
  cassette_id: CassetteId,
  /** Relative to the configuration file. */
  db_path: Schema.String,
  /** 16 hexadecimal digits over everything that the cassette holds. */
  db_hash: Schema.String,
  /** Proven, in the order of the list of capabilities. */
  capabilities: Schema.Array(Capability),
  schema_version: Schema.String,
  protocol: Schema.String,
  protocol_version: Schema.String,
  embedding_model: Schema.NullOr(Schema.String),
  mutability: Mutability,
  /** Its last index run has not come to its end: it may have only a part of its sources. */
  unfinished: Schema.optionalKey(Schema.Literal(true)),
  stats: CassetteStats
})
export type Handshake = typeof Handshake.Type

const AnswerStatus = Schema.Literals(["ok", "partial", "offline", "timeout", "error", "refused"])
/** How a cassette answered. */
export type AnswerStatus = typeof AnswerStatus.Type

/** How a cassette answered. */
export const CassetteAnswer = Schema.Struct({
  status: AnswerStatus,
  took_ms: Schema.Finite,
  reason: Schema.optionalKey(Schema.String)
})
export type CassetteAnswer = typeof CassetteAnswer.Type

/** One place where a found text stands. */
export interface TextPlace {
  readonly source: string
  readonly path: string
  readonly chunk_id: string
  readonly ordinal: number
  readonly heading_path: ReadonlyArray<string>
}

/** What a hit tells of the memory that it is of: its hash, and by whom, when and with what it was saved last. */
export interface MemoryNote {
  readonly hash: string
  readonly agent_id: string | null
  readonly saved_at: string
  readonly metadata: JsonObject
}

/** `bm25` with its bonus, `cosine` of vectors, or `hybrid`: both lists joined by rank. */
export type ScoreKind = "bm25" | "cosine" | "hybrid"

/** How texts are searched for. */
export const SEARCH_MODES = ["lexical", "vector", "hybrid"] as const
export type SearchMode = (typeof SEARCH_MODES)[number]

/** What each list that found a text says of it; ranks begin at 1. */
export interface HitParts {
  readonly lexical?: {
    readonly score: number
    readonly proximity: number
    /** How many other texts of the same document come before: each has taken a fifth off the sum of both. */
    readonly repeats: number
    readonly rank: number
  }
  readonly vector?: { readonly score: number; readonly rank: number }
}

/** One found text; equal texts are one hit with several places, the best first. */
export interface Hit {
  readonly chunk_id: string
  readonly path: string
  readonly hash: string
  readonly content: string
  readonly source: string
  readonly score: number
  /** What `score` is: all three grow with how well a text fits, and only scores of one kind are comparable. */
  readonly score_kind: ScoreKind
  readonly kind: string
  readonly type: string
  readonly ordinal: number
  readonly heading_path: ReadonlyArray<string>
  readonly parts: HitParts
  /** The first and the last line of the chunk in its document, from 1; null where a store does not tell them. */
  readonly line_start: number | null
  readonly line_end: number | null
  /** Of a hit of type `memory` alone. */
  readonly memory?: MemoryNote
  /** At most 10: the best, which is that of the hit, then the others by path, ordinal and cassette. */
  readonly places: ReadonlyArray<TextPlace>
  /** In how many places the text stands. */
  readonly place_count: number
}
