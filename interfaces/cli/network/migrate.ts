// `cortex network migrate`: where a cassette's file was born otherwise than the configuration asks for, carries what it
// holds into a file as configured. The old file stays beside it.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import type { CarryingReport } from "../../../application/network/keeping/keeping-reports.ts"
import { repeatedFlag } from "../../shared/flags.ts"
import { switchFlag } from "../../shared/options.ts"
import { withPlace } from "../advice.ts"
import { Host, type HostShape } from "../../shared/host.ts"
import { type Line, table } from "../../shared/terminal-text.ts"
import { withProgress } from "../progress.ts"
import { answerEach } from "./each-cassette.ts"
import { withKeeping } from "./open-network.ts"

const lines = (reports: ReadonlyArray<CarryingReport>, host: HostShape): ReadonlyArray<Line> =>
  reports.length === 0
    ? ["every cassette is as the configuration asks for"]
    : table(
        ["cassette", "documents", "memories", "saves", "left behind", "old file"],
        reports.map(({ cassette_id, documents, kept, left_behind, memories, saves }) => [
          cassette_id,
          `${documents}`,
          `${memories}`,
          `${saves}`,
          `${left_behind}`,
          kept
        ])
      ).concat([
        "the old files keep what has been forgotten or expired, and older versions: remove them when you need them no more",
        withPlace(host, "next: cortex network index")
      ])

export const migrateCommand = Command.make(
  "migrate",
  {
    cassettes: repeatedFlag("cassette", "ID", "this cassette", "all"),
    publish: switchFlag("publish", "let everybody see memories that their agents alone could see")
  },
  Effect.fnUntraced(function* ({ cassettes: ids, publish }) {
    const outcome = yield* withKeeping((keeping) => keeping.migrate(ids, { publish })).pipe(
      withProgress("migrating")
    )
    const host = yield* Host
    yield* answerEach("migrated", outcome, () => lines(outcome.done, host))
  })
).pipe(
  Command.withDescription(
    "Make cassettes as configured whose files were made with another mutability, time to live or scope of memories: what a file holds is carried into a new one, whose chain of receipts names the old one. The old file stays beside it. Whose memories are whose is never guessed, and private ones become everybody's only with --publish."
  ),
  Command.withShortDescription("carry a cassette into a file as it is configured now"),
  Command.withExamples([
    { command: "cortex network migrate --cassette notebook" },
    { command: "cortex network migrate --cassette diary --publish" }
  ])
)
