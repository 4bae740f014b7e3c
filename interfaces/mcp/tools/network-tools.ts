// The cassette network as tools: search chosen cassettes, search all of them or those that can do something, and see how
// each is. Arguments and answers are those of the application; a cassette that does not answer is part of the answer.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CassetteAnswer, Capability, Handshake } from "../../../domain/network/cassette.ts"
import {
  DEFAULT_LIMIT,
  MAX_EXPANSION_DEPTH,
  MAX_SYMBOL_DIGITS,
  MIN_SYMBOL_DIGITS
} from "../../../domain/network/limits.ts"
import { isMeantAsSymbol } from "../../../domain/network/symbols/symbols.ts"
import { currentTarget } from "../../shared/current-target.ts"
import { DEFAULT_ANSWER_BYTES, textFrom } from "../../../domain/canonical/answer-budget.ts"
import { CorpusAccess } from "../corpus-access.ts"
import { goingOnInText, offset } from "./long-text.ts"
import { openNetwork } from "../network-access.ts"
import {
  answered,
  cassettes,
  FoundTexts,
  foundFields,
  limit,
  query,
  READ_HIT_WHOLE
} from "./network-answers.ts"
import { agentTool, type AgentTool, argument, reads, textArgument } from "./tool.ts"

const semanticSearch = agentTool({
  name: "semantic_search",
  title: "Search cassettes",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  readWhole: READ_HIT_WHOLE,
  description:
    "Search by meaning and by words, in all cassettes or in chosen ones. Take this one to find what is known about something: it tells in mode and notices when there were no vectors. To search only cassettes with a capability, such as code, take cassette_network_query.",
  hints: reads,
  input: { query, cassettes, limit },
  data: FoundTexts,
  run: ({ limit = DEFAULT_LIMIT, query, cassettes }) =>
    // The wish for vectors is what makes the answer say why there were none.
    Effect.flatMap(openNetwork, (network) =>
      network.query(query, limit, { cassettes, mode: "hybrid", maxBytes: Infinity })
    )
})

const cassetteNetworkQuery = agentTool({
  name: "cassette_network_query",
  title: "Search the whole network",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  readWhole: READ_HIT_WHOLE,
  description:
    "Search only the cassettes that have a capability: research papers (research), code definitions (ast), test data (fixtures). Take this one when you know what kind of source must hold the answer, but not which cassette; otherwise take semantic_search.",
  hints: reads,
  input: {
    query,
    limit,
    capability: Schema.optionalKey(argument(Capability, "only cassettes that can do this"))
  },
  data: FoundTexts,
  run: ({ capability, limit = DEFAULT_LIMIT, query }) =>
    Effect.flatMap(openNetwork, (network) => network.query(query, limit, { capability, maxBytes: Infinity }))
})

/** Where the embedder stands beside cassettes: no id of one begins like this. */
const EMBEDDER = "_embedder"

const EmbedderState = Schema.Struct({
  model: Schema.String,
  revision: Schema.String,
  dimensions: Schema.Int,
  normalizer: Schema.String,
  status: Schema.Literals(["ok", "failed", "late"]),
  took_ms: Schema.Finite,
  reason: Schema.optionalKey(Schema.String),
  last_failure: Schema.NullOr(Schema.Struct({ at: Schema.String, reason: Schema.String }))
}).annotate({ description: "under _embedder, where there is one: whether it makes vectors" })

const cassetteStats = agentTool({
  name: "cassette_stats",
  title: "State of the cassettes",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  description:
    "How each cassette is, by its id: what it holds, what it can do, and whether it answers; and under _embedder whether vectors can be made. Use it to see where to search, or why an answer is partial.",
  hints: reads,
  input: {},
  data: Schema.Record(
    Schema.String,
    Schema.Union([
      Schema.Struct({ ...Handshake.fields, status: Schema.Literal("ok"), took_ms: Schema.Finite }),
      Schema.Struct({ cassette_id: Schema.String, ...CassetteAnswer.fields }),
      EmbedderState
    ])
  ),
  run: () =>
    Effect.gen(function* () {
      const { embedderHealth, status } = yield* openNetwork
      const [health, embedder] = yield* Effect.all([status, embedderHealth], { concurrency: "unbounded" })
      return Object.fromEntries([
        ...health.map((each) => [each.cassette_id, each] as const),
        ...(embedder === null ? [] : [[EMBEDDER, embedder] as const])
      ])
    })
})

const symbolResolve = agentTool({
  name: "symbol_resolve",
  title: "Resolve a symbol",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  goesOn: goingOnInText("content"),
  description: `The text that a symbol of the network names: @C: (a chunk), @P: (a research document) or @A: (one of your memories) and ${MIN_SYMBOL_DIGITS} to ${MAX_SYMBOL_DIGITS} digits of a hash. Use it to read what a short symbol stands for. A symbol of the corpus (@NAME/…) gives the place that it means now; read that with corpus_resolve.`,
  hints: reads,
  input: {
    symbol: textArgument("the symbol", "@C:3f1c0a9be27d", "@DOCS/readme"),
    depth: Schema.optionalKey(
      argument(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_EXPANSION_DEPTH })),
        "how many levels of symbols inside texts are looked up (default 1)"
      )
    ),
    offset,
    expand: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "replace the symbols inside the text by their texts" })
    )
  },
  data: Schema.Union([
    Schema.Struct({
      symbol: Schema.String,
      kind: Schema.Literals(["chunk", "document", "memory"]),
      hash: Schema.String,
      content: Schema.String.annotate({ description: "the text, exactly" }),
      expanded: Schema.Boolean,
      depth: Schema.Int,
      places: Schema.Array(
        Schema.Struct({
          source: Schema.String,
          path: Schema.String,
          type: Schema.String,
          chunk_id: Schema.NullOr(Schema.String),
          ordinal: Schema.NullOr(Schema.Int),
          heading_path: Schema.Array(Schema.String)
        })
      ),
      place_count: Schema.Int,
      symbols: Schema.Array(
        Schema.Struct({
          symbol: Schema.String,
          level: Schema.Int,
          hash: Schema.NullOr(Schema.String),
          content: Schema.optionalKey(Schema.String)
        })
      ).annotate({ description: "symbols inside the text; hash is null where they were not looked up" }),
      ...answered
    }),
    Schema.Struct({
      symbol: Schema.String,
      path: Schema.String,
      heading: Schema.NullOr(Schema.String),
      section_id: Schema.String,
      line_start: Schema.Int,
      line_end: Schema.Int,
      section_content_hash: Schema.String,
      default_slice: Schema.NullOr(Schema.String)
    }).annotate({ description: "what a symbol of the corpus means now" })
  ]),
  run: ({ offset, symbol, ...options }) =>
    isMeantAsSymbol(symbol)
      ? Effect.gen(function* () {
          const resolved = yield* (yield* openNetwork).resolveSymbol(symbol, options)
          return { ...resolved, content: textFrom(resolved.content, offset) }
        })
      : Effect.gen(function* () {
          const { corpus } = yield* CorpusAccess.use(({ open }) => open)
          return { symbol, ...(yield* currentTarget(corpus, symbol)) }
        })
})

const semanticNeighbors = agentTool({
  name: "semantic_neighbors",
  title: "Texts like this one",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  readWhole: READ_HIT_WHOLE,
  description:
    "The texts most like one that you already have, by vectors where there are some and else by its most telling words (mode and notices say which). Use it to widen a good hit. The text itself is not among them.",
  hints: reads,
  input: {
    hash: textArgument("the text: its hash, 12 or more of its first digits, or a symbol", "3f1c0a9be27d"),
    limit,
    cassettes
  },
  data: Schema.Struct({ hash: Schema.String, ...foundFields }),
  run: ({ cassettes, hash, limit = DEFAULT_LIMIT }) =>
    Effect.flatMap(openNetwork, (network) =>
      network.neighbours(hash, limit, { cassettes, maxBytes: Infinity })
    )
})

/** The tools of the network in the order in which they are listed. */
export const networkTools: ReadonlyArray<AgentTool> = [
  semanticSearch,
  cassetteNetworkQuery,
  cassetteStats,
  symbolResolve,
  semanticNeighbors
]
