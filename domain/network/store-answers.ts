// The shapes that the answers of a plugged-in store must have. What another program answers is data like any other: it is
// decoded before anything is computed with it, a hash is that of its content, a list has the length that was asked for.
// A fault says what is wrong and where, and never quotes the answer.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Sha256 } from "../canonical/sha256.ts"
import { utf8ByteLength, WellFormedText } from "../canonical/text.ts"
import { CassetteStats, Handshake } from "./cassette.ts"
import type { IndexAnswers, RankingOp, RankingRequest } from "./index-requests.ts"
import { fieldFault } from "./field-fault.ts"
import {
  CASSETTE_SCHEMA_VERSION,
  majorVersion,
  MAX_DOCUMENT_BYTES,
  PROTOCOL,
  PROTOCOL_VERSION
} from "./limits.ts"

/** Why an answer is not taken. */
export interface AnswerFault {
  readonly status: "error" | "refused"
  readonly reason: string
}

const Hash = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "64 lower-case hexadecimal digits" })
)
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const Score = Schema.Finite

/** Longest version that is shown (UTF-16 units). */
const MAX_VERSION_UNITS = 20

const StoreHit = Schema.Struct({
  chunk_id: WellFormedText,
  path: WellFormedText,
  hash: Hash,
  content: WellFormedText
})

const Identity = Schema.Struct({
  model: Schema.String,
  revision: Schema.String,
  dimensions: Count,
  normalizer: Schema.String
})

const MemoryNote = Schema.Struct({
  hash: Hash,
  agent_id: Schema.NullOr(WellFormedText),
  saved_at: WellFormedText,
  metadata: Schema.Record(Schema.String, Schema.Json)
})

const Description = Schema.Struct({
  path: WellFormedText,
  hash: Hash,
  ordinal: Count,
  lexical: Score,
  closeness: Schema.Array(Score)
})

const shapes = {
  count: Schema.Struct({ chunks: Count, words: Count, frequencies: Schema.Array(Count) }),
  best: Schema.Struct({
    chunks: Schema.Array(Count),
    scores: Schema.Array(Score),
    complete_from: Schema.NullOr(Score),
    described: Schema.Array(Schema.Struct({ ...Description.fields, chunk: Count }))
  }),
  describe: Schema.Array(Schema.NullOr(Description)),
  census: Schema.Struct({ counts: Schema.Array(Count), stored: Schema.NullOr(Identity) }),
  nearest: Schema.Struct({ hashes: Schema.Array(Hash), scores: Schema.Array(Score) }),
  places: Schema.Array(
    Schema.Struct({
      hash: Hash,
      content: WellFormedText,
      line_start: Schema.NullOr(Count),
      line_end: Schema.NullOr(Count),
      memory: Schema.optionalKey(MemoryNote),
      places: Schema.Array(
        Schema.Struct({
          chunk_id: WellFormedText,
          path: WellFormedText,
          type: WellFormedText,
          ordinal: Count,
          kind: WellFormedText,
          heading_path: Schema.Array(WellFormedText)
        })
      ).check(Schema.isMinLength(1)),
      place_count: Count
    })
  )
} as const satisfies { readonly [Op in RankingOp]: Schema.Decoder<IndexAnswers[Op]> }

type Judged<A> = Result.Result<A, AnswerFault>

const wrong = (reason: string): Judged<never> => Result.fail({ status: "error", reason })

const decoded = <A>(schema: Schema.Decoder<A>, answer: unknown, what: string): Judged<A> =>
  Result.mapError(Schema.decodeUnknownResult(schema, { errors: "first" })(answer), (error): AnswerFault => ({
    status: "error",
    reason: `its ${what} is malformed: ${fieldFault(error)}`
  }))

/** A handshake of this protocol and of a version that is understood, by the cassette that it is registered as. */
export const judgeHandshake = (id: string, answer: unknown): Judged<Handshake> => {
  const found = decoded(Handshake, answer, "handshake")
  if (Result.isFailure(found)) return found
  const { cassette_id, protocol, protocol_version, schema_version } = found.success
  const refused = (reason: string): Judged<never> => Result.fail({ status: "refused", reason })
  if (protocol !== PROTOCOL) return refused(`its protocol is not ${PROTOCOL}`)
  for (const [name, own, known] of [
    ["protocol", protocol_version, PROTOCOL_VERSION],
    ["schema", schema_version, CASSETTE_SCHEMA_VERSION]
  ] as const) {
    if (majorVersion(own) !== majorVersion(known)) {
      return refused(
        `its ${name} version is ${own.slice(0, MAX_VERSION_UNITS)}, this program speaks ${known}`
      )
    }
  }
  return cassette_id === id ? found : refused(`it calls itself otherwise than ${id}`)
}

export const judgeStats = (answer: unknown): Judged<CassetteStats> =>
  decoded(CassetteStats, answer, "statistics")

interface Content {
  readonly hash: string
  readonly content: string
}

const contentFault = (sha256: Sha256, contents: ReadonlyArray<Content>): string | undefined => {
  for (const [index, { content, hash }] of contents.entries()) {
    if (utf8ByteLength(content) > MAX_DOCUMENT_BYTES) {
      return `the content of its hit ${index + 1} has more than ${MAX_DOCUMENT_BYTES} bytes`
    }
    if (sha256(content) !== hash) return `the hash of its hit ${index + 1} is not that of the content`
  }
  return undefined
}

/** Hits as they were asked for: `topK` at most, each with the hash of its content. */
export const judgeHits = (
  sha256: Sha256,
  topK: number,
  answer: unknown
): Judged<ReadonlyArray<typeof StoreHit.Type>> => {
  const hits = decoded(Schema.Array(StoreHit), answer, "list of hits")
  if (Result.isFailure(hits)) return hits
  if (hits.success.length > topK)
    return wrong(`it gave ${hits.success.length} hits where ${topK} were asked for`)
  const fault = contentFault(sha256, hits.success)
  return fault === undefined ? hits : wrong(fault)
}

/** How many things must stand in an answer's lists, as pairs of what there are and what there must be. */
const lengths = (
  request: RankingRequest,
  answer: IndexAnswers[RankingOp]
): ReadonlyArray<readonly [found: number, wanted: number]> => {
  switch (request.op) {
    case "count":
      return [[(answer as IndexAnswers["count"]).frequencies.length, request.terms.length]]
    case "describe": {
      const described = answer as IndexAnswers["describe"]
      return [
        [described.length, request.chunks.length],
        ...described.flatMap((each) =>
          each === null ? [] : [[each.closeness.length, request.neighbours.length] as const]
        )
      ]
    }
    case "best": {
      const { chunks, described, scores } = answer as IndexAnswers["best"]
      return [
        [scores.length, chunks.length],
        ...described.map(({ closeness }) => [closeness.length, request.neighbours.length] as const)
      ]
    }
    case "nearest": {
      const { hashes, scores } = answer as IndexAnswers["nearest"]
      return [[scores.length, hashes.length]]
    }
    default:
      return []
  }
}

/** What a store that is asked as an index answers. */
export const judgeIndexAnswer = <Request extends RankingRequest>(
  sha256: Sha256,
  request: Request,
  answer: unknown
): Judged<IndexAnswers[Request["op"]]> => {
  const shape: Schema.Decoder<unknown> = shapes[request.op]
  const found = decoded(shape, answer, `answer to ${request.op}`) as Judged<IndexAnswers[Request["op"]]>
  if (Result.isFailure(found)) return found
  if (lengths(request, found.success).some(([there, wanted]) => there !== wanted)) {
    return wrong(`its answer to ${request.op} has lists of other lengths than were asked for`)
  }
  const fault =
    request.op === "places" ? contentFault(sha256, found.success as IndexAnswers["places"]) : undefined
  return fault === undefined ? found : wrong(fault)
}
