// `cortex network reindex`: makes chunks and every index of a cassette again from its stored documents. The documents
// and their receipts are not touched; a sealed cassette is left as it is.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { table } from "../../shared/terminal-text.ts"
import { withProgress } from "../progress.ts"
import { cassettesArgument } from "./network-flags.ts"
import { answerEach } from "./each-cassette.ts"
import { withKeeping } from "./open-network.ts"

export const reindexCommand = Command.make(
  "reindex",
  { cassettes: cassettesArgument },
  Effect.fnUntraced(function* ({ cassettes: ids }) {
    const outcome = yield* withKeeping((keeping) => keeping.reindex(ids)).pipe(withProgress("reindexing"))
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
