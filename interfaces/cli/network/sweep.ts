// `cortex network sweep`: removes what has expired. Expired documents are not found any more without it; sweeping gives
// their room back, and their receipts stay.
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { datedNow } from "../../../application/foundation/recordable-time.ts"
import { CassetteOffline, WriteRefused } from "../../../domain/network/errors.ts"
import { openCassetteWriter } from "../../../infrastructure/network/cassette-writer.ts"
import type { ConfiguredCassette } from "../../../infrastructure/network/configured-cassette.ts"
import { finishWriting, sweep } from "../../../infrastructure/network/document-writing.ts"
import { table } from "../../shared/terminal-text.ts"
import { cassettesArgument } from "./network-flags.ts"
import { answerEach, eachCassette } from "./each-cassette.ts"
import { chosenCassettes, configuredNetwork } from "./open-network.ts"
import { rulesOf } from "../../../domain/network/mutability.ts"

/** Why a cassette that was named cannot be swept. */
const faultOf = ({ configuration, file, id, refusal }: ConfiguredCassette) => {
  if (configuration.type === "external") {
    return new WriteRefused({ cassette_id: id, reason: "it is external: it is swept where it belongs" })
  }
  if (refusal !== undefined) return new WriteRefused({ cassette_id: id, reason: refusal })
  return existsSync(file)
    ? undefined
    : new CassetteOffline({ cassette_id: id, status: "offline", reason: "the file is missing" })
}

const sweepOne = Effect.fnUntraced(function* ({ birth, file, id }: ConfiguredCassette) {
  const now = yield* datedNow
  const write = yield* openCassetteWriter(file, birth, "normal")
  const removed = yield* write((connection) => sweep(connection, now))
  if (removed.length > 0) yield* write(finishWriting)
  return { cassette_id: id, removed }
})

export const sweepCommand = Command.make(
  "sweep",
  { cassettes: cassettesArgument },
  Effect.fnUntraced(function* ({ cassettes: ids }) {
    const network = yield* configuredNetwork
    const chosen = yield* chosenCassettes(network.cassettes, ids)
    const fault = ids.length === 0 ? undefined : chosen.map(faultOf).find((each) => each !== undefined)
    if (fault !== undefined) return yield* fault
    const swept = chosen.filter(
      (cassette) =>
        faultOf(cassette) === undefined && (ids.length > 0 || rulesOf(cassette.birth.mutability).expires)
    )
    const outcome = yield* eachCassette(swept, (cassette) => Effect.scoped(sweepOne(cassette)))
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
