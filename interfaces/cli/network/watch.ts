// `cortex network watch`: keeps cassettes up to date with their files until it is stopped. Changes that come close
// together are one run; a change of the configuration counts like any other.
import { watch } from "node:fs"
import { sep } from "node:path"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Command from "effect/cli/Command"
import { indexCassette, type IndexReport } from "../../../infrastructure/network/indexing.ts"
import { configuredEmbedding, type NetworkFile } from "../../../infrastructure/network/network-files.ts"
import { realSleep } from "../../../infrastructure/sqlite/real-time.ts"
import { Format } from "../../shared/options.ts"
import { writeResult, writeWarnings } from "../output.ts"
import { printableJson } from "../../shared/terminal-text.ts"
import { sourceWarnings } from "./index-command.ts"
import { eachCassette } from "./each-cassette.ts"
import { configuredNetwork } from "./open-network.ts"

/** How long to wait for further changes before indexing (milliseconds). */
const QUIET_MILLIS = 300

/** False for what the network itself writes, and for git's own files. */
const isInteresting = (path: string | null): boolean => {
  const parts = (path ?? "").split(sep)
  return !parts.includes(".git") && (parts[0] !== "CORTEX" || parts.at(-1)?.endsWith(".yaml") === true)
}

/** A queue that has something whenever files below the root may have changed; its beginning counts as a change. */
const changesBelow = (root: string) =>
  Effect.gen(function* () {
    const changes = yield* Queue.sliding<true>(1)
    yield* Queue.offer(changes, true)
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        watch(root, { recursive: true }, (_, path) => {
          if (isInteresting(path)) Queue.offerUnsafe(changes, true)
        }).on("error", () => Queue.offerUnsafe(changes, true))
      ),
      (watcher) => Effect.sync(() => watcher.close())
    )
    return changes
  })

const indexAll = Effect.fnUntraced(function* (network: NetworkFile) {
  const { cassettes, file, root } = network
  const embedding = yield* configuredEmbedding(network)
  const followed = cassettes.filter(
    ({ configuration, refusal }) =>
      configuration.type === "local" && configuration.auto_index === true && refusal === undefined
  )
  return yield* eachCassette(followed, (cassette) =>
    indexCassette(file, root, cassette, { progress: () => Effect.void, embedding })
  )
})

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
    const { root } = yield* configuredNetwork
    yield* Effect.scoped(
      Effect.gen(function* () {
        const changes = yield* changesBelow(root)
        while (true) {
          yield* Queue.take(changes)
          yield* realSleep(QUIET_MILLIS)
          yield* Queue.clear(changes)
          const run = yield* Effect.result(Effect.scoped(Effect.flatMap(configuredNetwork, indexAll)))
          if (run._tag === "Failure") yield* writeWarnings([run.failure.message])
          else {
            const { done, refused } = run.success
            yield* writeWarnings(refused.map(({ cassette_id, message }) => `${cassette_id}: ${message}`))
            yield* writeWarnings(done.flatMap(sourceWarnings))
            yield* writeResult(
              done
                .filter(hasChanged)
                .map((report) => `${line(report, isJson)}\n`)
                .join("")
            )
          }
        }
      })
    )
  })
).pipe(
  Command.withDescription(
    "Keep the cassettes whose auto_index is on up to date with their files until it is stopped. Prints one line for each cassette that changed, with --format json one report; what goes wrong meanwhile is a warning, and the next change is tried again."
  ),
  Command.withShortDescription("index again whenever files change"),
  Command.withExamples([{ command: "cortex network watch", description: "ends with Ctrl-C" }])
)
