// `cortex dossier show`: what a dossier holds, for people. One that does not verify is not shown, since nothing that it says could be
// believed.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { verifyDossier } from "../../../application/dossiers/verify-dossier.ts"
import { type DossierEvent, isWithheld } from "../../../domain/dossiers/event-lines.ts"
import { dossierFilesLayer } from "../../embedding/dossier-files.ts"
import { absolutePath } from "../../shared/options.ts"
import { trustFlag } from "../../shared/flags.ts"
import { eventTextLine } from "../cassette/event-lines.ts"
import { readTrust } from "../cassette/evidence-files.ts"
import { answer } from "../output.ts"
import { withProgress } from "../progress.ts"
import { dossierArgument, dossierLines, verdictOfDossier } from "./verified-dossier.ts"

/** Most events that are shown. */
const MAX_SHOWN = 1_000

const lineOf = (event: DossierEvent): string =>
  eventTextLine(isWithheld(event) ? { ...event, data: event.withheld } : event)

export const showCommand = Command.make(
  "show",
  { path: dossierArgument, trust: trustFlag.pipe(Flag.optional) },
  Effect.fnUntraced(function* ({ path: given, trust: file }) {
    const path = yield* absolutePath("path", given)
    const trust = Option.isSome(file) ? yield* readTrust(file.value) : undefined
    const lines: Array<string> = []
    const take = (events: ReadonlyArray<DossierEvent>) =>
      Effect.sync(() => {
        for (const event of events.slice(0, MAX_SHOWN - lines.length)) lines.push(lineOf(event))
      })
    const { manifest, report } = yield* verifyDossier(path, { trust }, take).pipe(
      Effect.provide(dossierFilesLayer),
      withProgress("verifying")
    )
    yield* verdictOfDossier(report)
    const more = (report.counts["events"] ?? 0) - lines.length
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
    "Verify a dossier and show what it holds: the choice, the checkpoint, how many events of which streams, and the events. Without --trust the signature is not judged."
  ),
  Command.withShortDescription("show what a dossier holds"),
  Command.withExamples([
    { command: "cortex dossier show out --trust trust.json" },
    { command: "cortex dossier show out --format json", description: "the report and the manifest" }
  ])
)
