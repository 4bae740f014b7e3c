// The embedder that a configuration names: a command, or none.
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { NamedEmbedder } from "../../../application/network/keeping/configuration-source.ts"
import type { EmbedderShape } from "../../../application/network/embedder.ts"
import { EMBEDDING_NORMALIZER } from "../../../domain/network/vectors.ts"
import type { NetworkFile } from "../network-files.ts"
import type { Embedding } from "../writing/indexing.ts"
import { commandEmbedder } from "./command-embedder.ts"

/** The model that a configuration means when it names none. */
const DEFAULT_MODEL = "all-MiniLM-L6-v2"

const start = ({
  configuration,
  file
}: NetworkFile): Effect.Effect<EmbedderShape | undefined, never, Scope.Scope> => {
  const {
    command,
    dimensions = 384,
    embedder,
    model = DEFAULT_MODEL,
    revision = ""
  } = configuration.indexing ?? {}
  if (embedder !== "command" || command === undefined) return Effect.succeed(undefined)
  const identity = { model, revision, dimensions, normalizer: EMBEDDING_NORMALIZER }
  return commandEmbedder({ command, cwd: dirname(file), identity })
}

/** The embedder of a configuration; it is not started yet. */
export const namedEmbedder = (network: NetworkFile): NamedEmbedder => {
  const { command, dimensions, embedder, model, revision } = network.configuration.indexing ?? {}
  return {
    said: JSON.stringify([embedder, command, model, revision, dimensions]),
    start: start(network)
  }
}

/** How many texts an embedder is given at once by default. */
const DEFAULT_BATCH_SIZE = 100

/** What gives the texts of a network their vectors, for the scope's life; undefined when nothing does. */
export const configuredEmbedding = (
  network: NetworkFile
): Effect.Effect<Embedding | undefined, never, Scope.Scope> =>
  Effect.map(start(network), (embedder) =>
    embedder === undefined
      ? undefined
      : { embedder, batchSize: network.configuration.indexing?.batch_size ?? DEFAULT_BATCH_SIZE }
  )
