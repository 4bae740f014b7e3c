// `cortex network index`: brings cassettes up to date with their files. External cassettes belong to others and
// are never written to; one whose auto_index is off is written only when it is named.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import type { IndexReport } from "../../../application/network/keeping/keeping-reports.ts"
import { refusedFlag, switchFlag } from "../../shared/options.ts"
import { writeNotes, writeWarnings } from "../output.ts"
import { type Line, printable, table } from "../../shared/terminal-text.ts"
import { withProgress } from "../progress.ts"
import { cassettesArgument } from "./network-flags.ts"
import { answerEach } from "./each-cassette.ts"
import { withKeeping } from "./open-network.ts"

const reportLines = (reports: ReadonlyArray<IndexReport>): ReadonlyArray<Line> =>
  table(
    ["cassette", "added", "replaced", "unchanged", "removed", "refused", "skipped", "embedded", "ms"],
    reports.map((report) => [
      report.cassette_id,
      `${report.added}`,
      `${report.replaced}`,
      `${report.unchanged}`,
      `${report.removed}`,
      `${report.refused.length}`,
      `${report.skipped.length}`,
      `${report.embedded}`,
      `${report.took_ms}`
    ])
  )

/** What sources that match nothing come to: they may be mistyped, and what they held stays. */
export const sourceWarnings = ({ cassette_id, unmatched, withheld }: IndexReport): ReadonlyArray<string> => {
  const told = unmatched.map((glob) => `${cassette_id}: the source ${glob} matches no file`)
  return withheld.length === 0
    ? told
    : told.concat(
        `${cassette_id}: ${withheld.length} documents (${withheld[0]}, …) are in none of its sources and were kept, since a source matches no file: correct the source, or remove them with cortex network index ${cassette_id} --prune`
      )
}

export const indexCommand = Command.make(
  "index",
  {
    cassettes: cassettesArgument,
    prune: switchFlag("prune", "remove what no source has, also where a source matches no file")
  },
  Effect.fnUntraced(function* ({ cassettes: ids, prune }) {
    const outcome = yield* withKeeping((keeping) => keeping.index({ cassettes: ids, prune })).pipe(
      Effect.catchTag("WriteRefused", ({ cassette_id, reason }) =>
        Effect.fail(refusedFlag("cassettes", `${cassette_id}: ${reason}`))
      ),
      withProgress()
    )
    const reports = outcome.done
    yield* writeWarnings(reports.flatMap(sourceWarnings))
    yield* writeWarnings(
      reports.flatMap(({ cassette_id, refused }) =>
        refused.map(
          (path) => `${cassette_id} keeps what it has of ${path}: its mutability forbids the change`
        )
      )
    )
    yield* writeNotes(
      reports.flatMap(({ cassette_id, skipped }) =>
        // That a picture is no text needs no saying.
        skipped
          .filter(({ reason }) => reason !== "BINARY")
          .map(({ path, reason }) => printable(`${cassette_id}: skipped ${path} (${reason})`))
      )
    )
    yield* answerEach("indexed", outcome, () => reportLines(reports))
  })
).pipe(
  Command.withDescription(
    "Bring cassettes up to date with their files: each document has its receipt, is cut into chunks and indexed for full-text search; many are one transaction. An immutable cassette whose files or embedder have changed is built again, sealed, and put in the old one's place."
  ),
  Command.withShortDescription("bring cassettes up to date with their files"),
  Command.withExamples([
    { command: "cortex network index" },
    { command: "cortex network index governance thought --format json" }
  ])
)
