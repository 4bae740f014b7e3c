// `cortex network migrate`: where a cassette's file was born otherwise than the configuration asks for, carries what it
// holds into a file as configured. The old file stays beside it.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { WriteRefused } from "../../../domain/network/errors.ts"
import { carryCassette, type CarryingReport } from "../../../infrastructure/network/carrying.ts"
import type { ConfiguredCassette } from "../../../infrastructure/network/configured-cassette.ts"
import { textFlag } from "../../shared/flags.ts"
import { switchFlag } from "../../shared/options.ts"
import { withPlace } from "../advice.ts"
import { Host, type HostShape } from "../../shared/host.ts"
import { type Line, table } from "../../shared/terminal-text.ts"
import { answerEach, eachCassette } from "./each-cassette.ts"
import { chosenCassettes, configuredNetwork } from "./open-network.ts"

const refusalOf = ({ configuration, refusal }: ConfiguredCassette): string | undefined =>
  configuration.type === "external" ? "it is external: it is never written to" : refusal

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
    cassettes: textFlag("cassette", "ID", "this cassette; may be given several times (default: all)").pipe(
      Flag.atLeast(0)
    ),
    publish: switchFlag("publish", "let everybody see memories that their agents alone could see")
  },
  Effect.fnUntraced(function* ({ cassettes: ids, publish }) {
    const network = yield* configuredNetwork
    const chosen = yield* chosenCassettes(network.cassettes, ids)
    const refused = chosen.find((cassette) => refusalOf(cassette) !== undefined)
    if (ids.length > 0 && refused !== undefined) {
      return yield* new WriteRefused({ cassette_id: refused.id, reason: refusalOf(refused) ?? "" })
    }
    const { done, refused: others } = yield* eachCassette(
      chosen.filter((cassette) => refusalOf(cassette) === undefined),
      (cassette) => carryCassette(cassette, publish)
    )
    const carried = done.filter((report) => report !== undefined)
    const host = yield* Host
    yield* answerEach("migrated", { done: carried, refused: others }, () => lines(carried, host))
  })
).pipe(
  Command.withDescription(
    "Where the file of a cassette was made with another mutability, time to live or scope of memories than the configuration asks for, carry what it holds into a new file as configured, whose chain of receipts names the old one. The old file stays beside it. Whose memories are whose is never guessed, and private ones become everybody's only with --publish."
  ),
  Command.withShortDescription("carry a cassette into a file as it is configured now"),
  Command.withExamples([
    { command: "cortex network migrate --cassette notebook" },
    { command: "cortex network migrate --cassette diary --publish" }
  ])
)
