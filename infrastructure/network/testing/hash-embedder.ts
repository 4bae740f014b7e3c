// An embedder for tests: every word of a text adds its hash. It knows nothing of meaning; it is there so that everything around
// vectors can be tried without a model.
import * as Effect from "effect/Effect"
import type { EmbedderShape } from "../../../application/network/embedder.ts"
import { EMBEDDING_NORMALIZER, preparedText, unitVector } from "../../../domain/network/vectors.ts"
import { wordsOf } from "../../../domain/network/ranking/words.ts"
import { sha256Bytes } from "../../hashing/sha256.ts"
import { englishStem } from "../index/english-stems.ts"

const DIMENSIONS = 384

/** Twelve places of each word's hash, up or down; a text without words points along the first axis. */
const embedOne = (text: string): Float32Array => {
  const values = Array.from({ length: DIMENSIONS }, () => 0)
  for (const { term } of wordsOf(preparedText(text), englishStem).sequence) {
    const hash = sha256Bytes(Buffer.from(term))
    for (let index = 0; index < 24; index += 2) {
      const place = (hash[index]! * 256 + hash[index + 1]!) % DIMENSIONS
      values[place]! += (hash[24 + (index % 8)]! >> (index % 7)) & 1 ? 1 : -1
    }
  }
  return (
    unitVector(values, DIMENSIONS) ??
    Float32Array.from({ length: DIMENSIONS }, (_, place) => (place === 0 ? 1 : 0))
  )
}

export const hashEmbedder: EmbedderShape = {
  identity: {
    model: "test-hash-384",
    revision: "1",
    dimensions: DIMENSIONS,
    normalizer: EMBEDDING_NORMALIZER
  },
  embed: (texts) => Effect.sync(() => texts.map(embedOne))
}
