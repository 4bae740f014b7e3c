// `cortex network sweep`: removes what has expired. Expired documents are not found any more without it; sweeping gives
// their room back, and their receipts stay.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { table } from "../../shared/terminal-text.ts"
import { withProgress } from "../progress.ts"
import { cassettesArgument } from "./network-flags.ts"
import { answerEach } from "./each-cassette.ts"
import { withKeeping } from "./open-network.ts"

export const sweepCommand = Command.make(
  "sweep",
  { cassettes: cassettesArgument },
  Effect.fnUntraced(function* ({ cassettes: ids }) {
    const outcome = yield* withKeeping((keeping) => keeping.sweep(ids)).pipe(withProgress("sweeping"))
    yield* answerEach("swept", outcome, () =>
      outcome.done.length === 0
        ? ["no cassette is ephemeral: name those that are to be swept"]
        : table(
            ["cassette", "removed"],
            outcome.done.map(({ cassette_id, removed }) => [cassette_id, `${removed.length}`])
          )
    )
  })
).pipe(
  Command.withDescription(
    "Remove what has expired from ephemeral cassettes (or from those that are named), each removal with its receipt. What has expired is not found any more even without it."
  ),
  Command.withShortDescription("remove what has expired"),
  Command.withExamples([{ command: "cortex network sweep" }, { command: "cortex network sweep resident" }])
)
