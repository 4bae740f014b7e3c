// The port to what makes vectors of texts. A network without one searches by words alone. An adapter gives one vector for
// each text, all of its own identity, or a typed failure; it never gives part of them.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EmbedderIdentity } from "../../domain/network/vectors.ts"
import type { EmbedderFailed } from "../../domain/network/errors.ts"

/**
 * An embedder: the identity that is kept with its vectors, and `embed`, which answers a vector for each text, in
 * order.
 */
export interface EmbedderShape {
  readonly identity: EmbedderIdentity
  /** Vectors of length 1, in the order of the texts. */
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderFailed>
}

/** Port: turns texts into vectors. */
export class Embedder extends Context.Service<Embedder, EmbedderShape>()(
  "cortex-cassette/application/Embedder"
) {}
