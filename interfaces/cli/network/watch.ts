// `cortex network watch`: keeps cassettes up to date with their files until it is stopped. Changes that come close
// together are one run; a change of the configuration counts like any other.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import type { IndexReport } from "../../../application/network/keeping/keeping-reports.ts"
import { Format } from "../../shared/options.ts"
import { writeResult, writeWarnings } from "../output.ts"
import { printableJson } from "../../shared/terminal-text.ts"
import { sourceWarnings } from "./index-command.ts"
import { withKeeping } from "./open-network.ts"

const hasChanged = ({ added, removed, replaced }: IndexReport): boolean => added + removed + replaced > 0

const line = (report: IndexReport, isJson: boolean): string =>
  isJson
    ? printableJson(JSON.stringify(report))
    : `${report.cassette_id}: ${report.added} added, ${report.replaced} replaced, ${report.removed} removed`

export const watchCommand = Command.make(
  "watch",
  {},
  Effect.fnUntraced(function* () {
    const isJson = (yield* Format) === "json"
    yield* withKeeping((keeping) =>
      Stream.runForEach(keeping.follow, (run) =>
        Effect.gen(function* () {
          if (Result.isFailure(run)) return yield* writeWarnings([run.failure.message])
          const { done, refused } = run.success
          yield* writeWarnings(refused.map(({ cassette_id, error }) => `${cassette_id}: ${error.message}`))
          yield* writeWarnings(done.flatMap(sourceWarnings))
          yield* writeResult(
            done
              .filter(hasChanged)
              .map((report) => `${line(report, isJson)}\n`)
              .join("")
          )
        })
      )
    )
  })
).pipe(
  Command.withDescription(
    "Keep the cassettes whose auto_index is on up to date with their files until it is stopped. Prints one line for each cassette that changed, with --format json one report; what goes wrong meanwhile is a warning, and the next change is tried again."
  ),
  Command.withShortDescription("index again whenever files change"),
  Command.withExamples([{ command: "cortex network watch", description: "ends with Ctrl-C" }])
)
