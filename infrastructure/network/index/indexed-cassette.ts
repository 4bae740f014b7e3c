// A cassette over what answers the requests of an index: this process's own reading of a file, or a child's. The
// handshake claims only what the index proves; paths are shown as the configuration names them.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { QuerySession } from "../../../application/network/search/query-session.ts"
import type { AskIndex, FileIndex } from "../../../application/network/cassette.ts"
import { foundByWords, hitsOf, rankNetwork } from "../../../application/network/search/lexical-ranking.ts"
import { nearestTimestamp } from "../../../domain/canonical/timestamp.ts"
import {
  CAPABILITIES,
  type Capability,
  type CassetteStats,
  type Handshake
} from "../../../domain/network/cassette.ts"
import { contentRoot } from "../../../domain/network/records.ts"
import type { IndexFacts, ReadScope } from "../../../domain/network/index-requests.ts"
import { PROTOCOL, PROTOCOL_VERSION } from "../../../domain/network/limits.ts"
import { distinctTexts } from "../../../domain/network/ranking/ranking.ts"
import { type EmbedderIdentity, identityText } from "../../../domain/network/vectors.ts"
import { sha256 } from "../../hashing/sha256.ts"
import { englishStem } from "./english-stems.ts"
import { patiently } from "./patient-reading.ts"

export interface IndexedCassetteOptions {
  readonly id: string
  /** As the handshake shows it. */
  readonly shownPath: string
  readonly inProcess: boolean
  /** Who makes the vectors of the network; without one, vectors are of no use. */
  readonly embedder?: EmbedderIdentity | undefined
  /** Whose memories are seen beside those of everybody, in what the cassette tells of itself and finds by itself. */
  readonly agent?: string | null | undefined
  /** Asks once; what a writer at work keeps from answering is asked again. */
  readonly askIndex: AskIndex
  /** How long an answer waits for writers (milliseconds; 5,000 when it is left out). */
  readonly busyDeadlineMillis?: number | undefined
  readonly close: Effect.Effect<void>
}

/** How many vectors of the network's own embedder there are. */
const usableVectors = ({ vectors }: IndexFacts, embedder: EmbedderIdentity | undefined): number =>
  vectors.reduce(
    (sum, { count, identity }) =>
      sum + (embedder !== undefined && identityText(identity) === identityText(embedder) ? count : 0),
    0
  )

const proven = (facts: IndexFacts, embedder: EmbedderIdentity | undefined): ReadonlyArray<Capability> => {
  const hasVectors = usableVectors(facts, embedder) > 0
  const has = {
    vectors: hasVectors,
    semantic_search: hasVectors,
    fts: true,
    research: facts.content_types.includes("research"),
    ast: facts.definitions > 0,
    fixtures: facts.content_types.includes("fixture"),
    agent_id: facts.has_agents
  } as Partial<Record<Capability, boolean>>
  return CAPABILITIES.filter((capability) => has[capability] === true)
}

const statsOf = (facts: IndexFacts): CassetteStats => ({
  total_chunks: facts.total_chunks,
  with_vectors: facts.vectors.reduce((sum, { count }) => sum + count, 0),
  files: facts.files,
  content_types: facts.content_types
})

const scopeNow = (agent: string | null) =>
  Effect.map(Clock.currentTimeMillis, (millis): ReadScope => ({ now: nearestTimestamp(millis), agent }))

/** The cassette of an index, to be read alone. */
export const indexedCassette = ({
  agent = null,
  askIndex: askOnce,
  busyDeadlineMillis,
  close,
  embedder,
  id,
  inProcess,
  shownPath
}: IndexedCassetteOptions): FileIndex => {
  const askIndex: AskIndex = (request) => patiently(askOnce(request), busyDeadlineMillis)
  const facts = Effect.flatMap(scopeNow(agent), (scope) => askIndex({ op: "facts", scope }))
  const handshake = Effect.map(facts, (known): Handshake => ({
    cassette_id: known.cassette_id,
    db_path: shownPath,
    db_hash: contentRoot(sha256, known.records_root),
    capabilities: proven(known, embedder),
    schema_version: known.schema_version,
    protocol: PROTOCOL,
    protocol_version: PROTOCOL_VERSION,
    embedding_model: known.vectors[0]?.identity.model ?? null,
    mutability: known.mutability,
    ...(known.unfinished === true ? { unfinished: true } : {}),
    stats: statsOf(known)
  }))
  const cassette: FileIndex = {
    cassetteId: id,
    inProcess,
    kind: "file",
    handshake,
    getStats: Effect.map(facts, statsOf),
    query: Effect.fnUntraced(function* (text: string, topK: number) {
      const scope = yield* scopeNow(agent)
      const session = new QuerySession([cassette])
      const network =
        topK === 0
          ? undefined
          : yield* rankNetwork(session, englishStem, text, { texts: topK, ofEach: false }, scope)
      const hits =
        network === undefined
          ? []
          : yield* hitsOf(session, network.texts, foundByWords(distinctTexts(network.ranked, topK)), scope)
      const failure = session.failureOf(id)
      return failure === undefined ? hits : yield* Effect.fail(failure)
    }),
    askIndex,
    memories: null,
    close
  }
  return cassette
}
