// The cassette network as tools: search chosen cassettes, search all of them or those that can do something, and see how
// each is. Arguments and answers are those of the application; a cassette that does not answer is part of the answer.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SEARCH_MODES } from "../../application/network/network-search.ts"
import { CAPABILITIES, Capability, CassetteStats, Mutability } from "../../domain/network/cassette.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../domain/network/limits.ts"
import { NetworkAccess } from "./network-access.ts"
import { agentTool, type AgentTool, noArguments, reads, textArgument } from "./tool.ts"

const query = textArgument(
  'what to look for, in plain words; words in double quotes ("…") must stand as they are',
  "error handling patterns"
)

const limit = Schema.optionalKey(
  Schema.Int.annotate({
    description: `at most so many hits, 0 to ${MAX_LIMIT} (default ${DEFAULT_LIMIT})`,
    examples: [DEFAULT_LIMIT]
  })
)

const cassettes = Schema.optionalKey(
  Schema.Array(Schema.String).annotate({
    description: "ids of cassettes, at least one; all when it is left out",
    examples: [["documents"]]
  })
)

const Status = Schema.Literals(["ok", "partial", "offline", "timeout", "error", "refused"])

const Place = Schema.Struct({
  source: Schema.String,
  path: Schema.String,
  chunk_id: Schema.String,
  ordinal: Schema.Int,
  heading_path: Schema.Array(Schema.String)
})

const Hit = Schema.Struct({
  chunk_id: Schema.String,
  path: Schema.String,
  hash: Schema.String.annotate({ description: "of the text: @C: and its first 12 digits or more name it" }),
  content: Schema.String.annotate({ description: "the text, exactly" }),
  source: Schema.String.annotate({ description: "the cassette that holds it" }),
  score: Schema.Finite,
  score_kind: Schema.Literals(["bm25", "cosine", "hybrid"]),
  kind: Schema.String,
  type: Schema.String,
  ordinal: Schema.Int,
  heading_path: Schema.Array(Schema.String),
  parts: Schema.Struct({
    lexical: Schema.optionalKey(
      Schema.Struct({ score: Schema.Finite, proximity: Schema.Finite, rank: Schema.Int })
    ),
    vector: Schema.optionalKey(Schema.Struct({ score: Schema.Finite, rank: Schema.Int }))
  }),
  places: Schema.Array(Place).annotate({ description: "everywhere that this text stands, the best first" })
})

/** One ranked list, and who answered. */
const Found = Schema.Struct({
  hits: Schema.Array(Hit),
  mode: Schema.Literals(SEARCH_MODES).annotate({
    description: "how it was searched: by words, by vectors, or by both"
  }),
  notices: Schema.Array(Schema.String).annotate({ description: "why it was not searched in a better way" }),
  answers: Schema.Record(
    Schema.String,
    Schema.Struct({ status: Status, took_ms: Schema.Finite, reason: Schema.optionalKey(Schema.String) })
  ).annotate({ description: "how each asked cassette answered" }),
  partial: Schema.Boolean.annotate({ description: "true when some cassette did not answer" })
})

const openNetwork = NetworkAccess.use(({ open }) => open)

const semanticSearch = agentTool({
  name: "semantic_search",
  title: "Search cassettes",
  description:
    "Search chosen cassettes, or all, by meaning where there are vectors and by words everywhere (mode and notices say which). Use it to find what is known about something before you read whole documents. Hits come with the text, where it stands and who holds it.",
  hints: reads,
  input: Schema.Struct({ query, cassettes, limit }),
  data: Found,
  run: ({ limit = DEFAULT_LIMIT, query, cassettes }) =>
    // The wish for vectors is what makes the answer say why there were none.
    Effect.flatMap(openNetwork, (network) => network.query(query, limit, { cassettes, mode: "hybrid" }))
})

const cassetteNetworkQuery = agentTool({
  name: "cassette_network_query",
  title: "Search the whole network",
  description:
    "Search every cassette of the network, or every one with a capability, and get one ranked list as if all lay in one. Use it when you do not know who holds the answer, or to look only among research, code (ast) or fixtures.",
  hints: reads,
  input: Schema.Struct({
    query,
    limit,
    capability: Schema.optionalKey(
      textArgument(`only cassettes that can do this: ${CAPABILITIES.join(", ")}`, "research")
    )
  }),
  data: Found,
  run: ({ capability, limit = DEFAULT_LIMIT, query }) =>
    Effect.flatMap(openNetwork, (network) => network.query(query, limit, { capability }))
})

const cassetteStats = agentTool({
  name: "cassette_stats",
  title: "State of the cassettes",
  description:
    "How each cassette is, by its id: what it holds, what it can do, and whether it answers. Use it to see where to search, or why an answer is partial.",
  hints: reads,
  input: noArguments,
  data: Schema.Record(
    Schema.String,
    Schema.Struct({
      cassette_id: Schema.String,
      status: Status,
      took_ms: Schema.Finite,
      reason: Schema.optionalKey(Schema.String),
      db_path: Schema.optionalKey(Schema.String),
      db_hash: Schema.optionalKey(Schema.String),
      capabilities: Schema.optionalKey(Schema.Array(Capability)),
      schema_version: Schema.optionalKey(Schema.String),
      protocol: Schema.optionalKey(Schema.String),
      protocol_version: Schema.optionalKey(Schema.String),
      embedding_model: Schema.optionalKey(Schema.NullOr(Schema.String)),
      mutability: Schema.optionalKey(Mutability),
      stats: Schema.optionalKey(CassetteStats)
    })
  ),
  run: () =>
    Effect.gen(function* () {
      const health = yield* (yield* openNetwork).status
      return Object.fromEntries(health.map((each) => [each.cassette_id, each]))
    })
})

/** The tools of the network in the order in which they are listed. */
export const networkTools: ReadonlyArray<AgentTool> = [semanticSearch, cassetteNetworkQuery, cassetteStats]
