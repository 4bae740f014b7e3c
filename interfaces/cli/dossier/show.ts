// `cortex dossier show`: what a dossier holds, for people. One that does not verify is not shown, since nothing that it says could be
// believed.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { verifyDossier } from "../../../application/dossiers/verify-dossier.ts"
import { MAX_STORED_DEPTH } from "../../../domain/canonical/json.ts"
import { parseCanonicalJson } from "../../../domain/canonical/stored-json.ts"
import { type DossierEvent, isWithheld, readableEvent } from "../../../domain/dossiers/event-lines.ts"
import { Timeline } from "../../../domain/history/timeline.ts"
import { dossierFilesLayer } from "../../embedding/dossier-files.ts"
import { absolutePath, switchFlag } from "../../shared/options.ts"
import { trustFlag } from "../../shared/flags.ts"
import { readTrust } from "../cassette/evidence-files.ts"
import { jsonLines } from "../history/body-lines.ts"
import { timelineLines } from "../history/timeline-lines.ts"
import { answer } from "../output.ts"
import { withProgress } from "../progress.ts"
import { dossierArgument, dossierLines, verdictOfDossier } from "./verified-dossier.ts"

/** Most events that are shown. */
const MAX_SHOWN = 1_000

/** An event's data as lines below its sentence. */
const dataLines = (event: DossierEvent): ReadonlyArray<string> => {
  const data = parseCanonicalJson(isWithheld(event) ? event.withheld : event.data, MAX_STORED_DEPTH)
  return jsonLines(data ?? null).map((line) => `           ${line}`)
}

/** A function that gives the lines of the next event: its sentence, and all that it says where `full`. */
const linesOfEvents = (full: boolean) => {
  const timeline = new Timeline()
  const lines = timelineLines(true)
  return (event: DossierEvent): ReadonlyArray<string> => {
    const entry = timeline.entry(readableEvent(event))
    const sentence = isWithheld(event) ? `${entry.sentence} (without its bodies)` : entry.sentence
    return [...lines({ ...entry, sentence }), ...(full ? dataLines(event) : [])]
  }
}

export const showCommand = Command.make(
  "show",
  {
    path: dossierArgument,
    trust: trustFlag.pipe(Flag.optional),
    full: switchFlag("full", "below each event all that it says: payloads, receipts and thoughts whole")
  },
  Effect.fnUntraced(function* ({ full, path: given, trust: file }) {
    const path = yield* absolutePath("path", given)
    const trust = Option.isSome(file) ? yield* readTrust(file.value) : undefined
    const lines: Array<string> = []
    const linesOf = linesOfEvents(full)
    let shown = 0
    const take = (events: ReadonlyArray<DossierEvent>) =>
      Effect.sync(() => {
        for (const event of events.slice(0, MAX_SHOWN - shown)) {
          lines.push(...linesOf(event))
          shown += 1
        }
      })
    const { manifest, report } = yield* verifyDossier(path, { trust }, take).pipe(
      Effect.provide(dossierFilesLayer),
      withProgress("verifying")
    )
    yield* verdictOfDossier(report)
    const more = (report.counts["events"] ?? 0) - shown
    yield* answer({
      data: { ...report, manifest },
      lines: () => [
        ...dossierLines(report),
        "",
        ...lines,
        ...(more > 0 ? [`and ${more} more: read events.jsonl`] : [])
      ]
    })
  })
).pipe(
  Command.withDescription(
    "Verify a dossier and show what it holds: the choice, the checkpoint, and what happened, one sentence for each event as cortex timeline tells it: who asked, who did what, what was answered. --full shows what was asked and answered whole. Without --trust the signature is not judged."
  ),
  Command.withShortDescription("show what a dossier holds"),
  Command.withExamples([
    { command: "cortex dossier show out --trust trust.json" },
    {
      command: "cortex dossier show out.tar --trust trust.json --full",
      description: "questions and answers whole"
    },
    { command: "cortex dossier show out --format json", description: "the report and the manifest" }
  ])
)
