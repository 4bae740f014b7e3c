// Saves memories in the file of a local cassette. Every save opens the file, so that several processes may save at once,
// and is on the disk when it is acknowledged; the vector of its text comes afterwards, and a memory without one is found
// by its words.
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import type { CassetteWriteError, SaveMemory } from "../../../application/network/cassette.ts"
import type { EmbedderShape } from "../../../application/network/embedder.ts"
import { AgentMissing, WriteRefused } from "../../../domain/network/errors.ts"
import { flush } from "../../files/file-system.ts"
import { onFile, openCassetteWriter, type WriteCassette } from "./cassette-writer.ts"
import type { ConfiguredCassette } from "../configured-cassette.ts"
import { saveMemory } from "./memory-writing.ts"
import { embedderFault, putVectors, unembeddedOfMemory } from "../vectors/vector-writing.ts"
import { writeTime } from "./write-time.ts"

/** How many texts an embedder is given at once. */
const BATCH = 100

/** Gives the texts of a memory their vectors; says why not, if so. */
const embedMemory = Effect.fnUntraced(function* (
  write: WriteCassette,
  id: string,
  hash: string,
  { embed, identity }: EmbedderShape
): Effect.fn.Return<string | undefined, CassetteWriteError> {
  const fault = yield* write((connection) => embedderFault(connection, id, identity))
  if (fault !== undefined) return fault.message
  while (true) {
    const batch = yield* write((connection) => unembeddedOfMemory(connection, hash, BATCH))
    if (batch.length === 0) return undefined
    const vectors = yield* Effect.result(embed(batch.map(({ text }) => text)))
    if (vectors._tag === "Failure") return vectors.failure.message
    const entries = batch.map((each, index) => ({ hash: each.hash, vector: vectors.success[index]! }))
    yield* write((connection) => putVectors(connection, identity, entries))
  }
})

/** What is said when a memory comes among documents: it may stand there, and seldom is meant to. */
const amongDocuments = ({ configuration, id }: ConfiguredCassette): ReadonlyArray<string> =>
  (configuration.sources ?? []).length === 0
    ? []
    : [
        `${id} holds the documents of its sources, and now this memory among them: cassettes without sources hold memories alone`
      ]

/** What saves memories in a cassette of the configuration. */
export const memorySaving =
  (configured: ConfiguredCassette): SaveMemory =>
  (memory, embedder) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { birth, file, id } = configured
        // Before the file is opened, which may make it.
        const time = yield* writeTime(birth.ttlMillis)
        const write = yield* openCassetteWriter(file, birth, "full")
        const outcome = yield* write((connection) => saveMemory(connection, memory, time))
        if (outcome.outcome === "agent_missing") return yield* new AgentMissing({ cassette_id: id })
        if (outcome.outcome === "refused") {
          const reason = "it is immutable, and nothing is remembered there"
          return yield* new WriteRefused({ cassette_id: id, reason })
        }
        const { hash, is_new, save_count } = outcome
        // The first save may have made the file.
        yield* onFile(file, () => flush(dirname(file)))
        const notice = embedder === undefined ? undefined : yield* embedMemory(write, id, hash, embedder)
        return {
          hash,
          save_count,
          is_new,
          notices: [...(is_new ? amongDocuments(configured) : []), ...(notice === undefined ? [] : [notice])]
        }
      })
    )
