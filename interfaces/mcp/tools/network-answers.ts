// What tools of the network and of memories ask and answer alike: the arguments of a search, hits, and who answered.
import * as Schema from "effect/Schema"
import { CassetteAnswer, SEARCH_MODES } from "../../../domain/network/cassette.ts"
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_PLACES } from "../../../domain/network/limits.ts"
import { argument, textArgument } from "./tool.ts"

export const query = textArgument(
  'what to look for, in plain words; words in double quotes ("…") must stand as they are',
  "error handling patterns"
)

export const limit = Schema.optionalKey(
  argument(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_LIMIT })),
    `at most so many hits (default ${DEFAULT_LIMIT})`
  )
)

export const cassettes = Schema.optionalKey(
  Schema.Array(Schema.String)
    .check(Schema.isMinLength(1))
    .annotate({ description: "ids of cassettes (default: all; cassette_stats tells which there are)" })
)

const TextPlace = Schema.Struct({
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
      Schema.Struct({
        score: Schema.Finite,
        proximity: Schema.Finite,
        repeats: Schema.Int.annotate({
          description:
            "how many other texts of the same document come before: each takes a fifth off the score"
        }),
        rank: Schema.Int
      })
    ),
    vector: Schema.optionalKey(Schema.Struct({ score: Schema.Finite, rank: Schema.Int }))
  }),
  memory: Schema.optionalKey(
    Schema.Struct({
      hash: Schema.String,
      agent_id: Schema.NullOr(Schema.String),
      saved_at: Schema.String,
      metadata: Schema.Record(Schema.String, Schema.Unknown)
    }).annotate({ description: "of a memory: its hash, and by whom, when and with what it was saved last" })
  ),
  line_start: Schema.NullOr(Schema.Int).annotate({ description: "its first line in the file, from 1" }),
  line_end: Schema.NullOr(Schema.Int),
  places: Schema.Array(TextPlace).annotate({
    description: `where this text stands, the best first, at most ${MAX_PLACES}`
  }),
  place_count: Schema.Int.annotate({ description: "in how many places it stands" })
})

/** Who answered. */
export const answered = {
  answers: Schema.Record(Schema.String, CassetteAnswer).annotate({
    description: "how each asked cassette answered"
  }),
  partial: Schema.Boolean.annotate({ description: "true when some cassette did not answer" })
}

/** One ranked list, and who answered. */
export const foundFields = {
  hits: Schema.Array(Hit),
  mode: Schema.Literals(SEARCH_MODES).annotate({
    description: "how it was searched: by words, by vectors, or by both"
  }),
  notices: Schema.Array(Schema.String).annotate({
    description: "why it was not searched in a better way, and what of a long question was left out"
  }),
  ...answered
}

/** What is told where the text of a hit was shortened. */
export const READ_HIT_WHOLE =
  "a hit whose text is shortened is read whole by symbol_resolve with @C: and its hash"

export const FoundTexts = Schema.Struct(foundFields)
