// The port to what finds the texts nearest to a vector over the asked cassettes. The adapters here read what cassettes
// carry with them: one compares every vector, the other chooses by signs whom to compare. An engine of vectors stands in
// the same place. An adapter never compares vectors of different makers and never finds what the scope hides.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ReadScope, VectorCensus } from "../../../domain/network/index-requests.ts"
import { candidateDistance, sumOfCensuses } from "../../../domain/network/ranking/sign-bits.ts"
import { byText } from "../../../domain/network/text-order.ts"
import { type EmbedderIdentity, identityText } from "../../../domain/network/vectors.ts"
import type { QuerySession } from "./query-session.ts"

/** What is near to what. */
export interface VectorQuestion {
  /** Who made the vector: only vectors of the same maker are compared. */
  readonly identity: EmbedderIdentity
  /** Of length 1. */
  readonly vector: ReadonlyArray<number>
  /** Texts at most, 1 or more. */
  readonly limit: number
  readonly scope: ReadScope
}

/** A text and the cosine of its vector. */
export interface NearText {
  readonly hash: string
  readonly score: number
}

/** The texts that are nearest to a question, and what people are to be told of the search. */
export interface NearTexts {
  /** Best first, equal ones in order of their hashes. */
  readonly texts: ReadonlyArray<NearText>
  /** Which cassettes have vectors of another maker, if any. */
  readonly notices: ReadonlyArray<string>
}

/** Search by vectors over the cassettes of one question. */
export interface VectorIndexShape {
  /** The texts whose vectors are nearest to a question's, nearest first. */
  readonly nearest: (session: QuerySession, question: VectorQuestion) => Effect.Effect<NearTexts>
}

/** Port: search by vectors; without it a network searches by words. */
export class VectorIndex extends Context.Service<VectorIndex, VectorIndexShape>()(
  "cortex-cassette/application/VectorIndex"
) {}

const noticesOf = (
  identity: EmbedderIdentity,
  censuses: ReadonlyMap<string, VectorCensus>
): ReadonlyArray<string> => {
  const own = identityText(identity)
  const others = [...censuses].flatMap(([source, { stored }]) =>
    stored === null || identityText(stored) === own
      ? []
      : [`${source}: its vectors were made by ${identityText(stored)}, not by ${own}`]
  )
  const isEmpty = [...censuses.values()].every(({ counts }) => counts.every((count) => count === 0))
  return isEmpty ? [...others, `no cassette has vectors of ${own}`] : others
}

/** Compares whom the signs choose, and every vector when there are at most `exactUpTo` of them. */
export const signBitVectors = (exactUpTo?: number): VectorIndexShape => ({
  nearest: Effect.fnUntraced(function* (session, { identity, limit, scope, vector }) {
    const censuses = yield* session.eachIndex((cassette) =>
      cassette.askIndex({ op: "census", scope, identity, vector })
    )
    session.noteUnfinished(censuses)
    const total = sumOfCensuses([...censuses.values()].map(({ counts }) => counts))
    const within = candidateDistance(total, limit, exactUpTo)
    const answers = yield* session.eachIndex((cassette) => {
      const has = censuses.get(cassette.cassetteId)?.counts.some((count) => count > 0) === true
      return has ? cassette.askIndex({ op: "nearest", scope, identity, vector, limit, within }) : undefined
    })
    const scores = new Map<string, number>()
    for (const { hashes, scores: found } of answers.values()) {
      for (const [index, hash] of hashes.entries()) scores.set(hash, found[index] ?? 0)
    }
    const texts = [...scores]
      .map(([hash, score]) => ({ hash, score }))
      .sort((left, right) => right.score - left.score || byText(left.hash, right.hash))
    return { texts: texts.slice(0, limit), notices: noticesOf(identity, censuses) }
  })
})

/** Compares every vector. */
export const exactVectors: VectorIndexShape = signBitVectors(Number.POSITIVE_INFINITY)
