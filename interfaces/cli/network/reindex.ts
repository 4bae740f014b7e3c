// `cortex network reindex`: makes chunks and every index of a cassette again from its stored documents. The documents
// and their receipts are not touched; a sealed cassette is left as it is.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { WriteRefused } from "../../../domain/network/errors.ts"
import { openCassetteWriter } from "../../../infrastructure/network/cassette-writer.ts"
import type { ConfiguredCassette } from "../../../infrastructure/network/configured-cassette.ts"
import { reindex } from "../../../infrastructure/network/document-writing.ts"
import { embedMissing } from "../../../infrastructure/network/indexing.ts"
import { configuredEmbedding, type NetworkFile } from "../../../infrastructure/network/network-files.ts"
import { table } from "../../shared/terminal-text.ts"
import { cassettesArgument } from "./network-flags.ts"
import { answerEach, eachCassette } from "./each-cassette.ts"
import { chosenCassettes, configuredNetwork } from "./open-network.ts"
import { rulesOf } from "../../../domain/network/mutability.ts"

const refusalOf = ({ birth, configuration, refusal }: ConfiguredCassette): string | undefined => {
  if (configuration.type === "external") return "it is external: it is reindexed where it belongs"
  return rulesOf(birth.mutability).seals
    ? "it is sealed: cortex network index builds it again from its sources when they or the embedder have changed"
    : refusal
}

const reindexOne = Effect.fnUntraced(function* (cassette: ConfiguredCassette, network: NetworkFile) {
  const write = yield* openCassetteWriter(cassette.file, cassette.birth, "normal")
  const embedding = yield* configuredEmbedding(network)
  const chunks = yield* write(reindex)
  const embedded = embedding === undefined ? 0 : yield* embedMissing(write, cassette.id, embedding)
  return { cassette_id: cassette.id, chunks, embedded }
})

export const reindexCommand = Command.make(
  "reindex",
  { cassettes: cassettesArgument },
  Effect.fnUntraced(function* ({ cassettes: ids }) {
    const network = yield* configuredNetwork
    const chosen = yield* chosenCassettes(network.cassettes, ids)
    const refused = chosen.find((cassette) => refusalOf(cassette) !== undefined)
    if (ids.length > 0 && refused !== undefined) {
      return yield* new WriteRefused({ cassette_id: refused.id, reason: refusalOf(refused) ?? "" })
    }
    const outcome = yield* eachCassette(
      chosen.filter((cassette) => refusalOf(cassette) === undefined),
      (cassette) => Effect.scoped(reindexOne(cassette, network))
    )
    yield* answerEach("reindexed", outcome, () =>
      table(
        ["cassette", "chunks", "embedded"],
        outcome.done.map(({ cassette_id, chunks, embedded }) => [cassette_id, `${chunks}`, `${embedded}`])
      )
    )
  })
).pipe(
  Command.withDescription(
    "Make the chunks and every index again from the stored documents, in one transaction for each cassette; then every vector, if there is an embedder. Documents and receipts stay as they are."
  ),
  Command.withShortDescription("make the indexes again from the stored documents"),
  Command.withExamples([{ command: "cortex network reindex documents" }])
)
