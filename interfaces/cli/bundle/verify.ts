// `cortex bundle verify`: a bundle checked from its own bytes alone, on any machine. It loads no database and asks for
// no ledger; everything in the folder is held against the manifest, and the manifest against itself.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { Host } from "../host.ts"
import { answer, writeNotes } from "../output.ts"
import { verdictLine } from "../verdict.ts"
import { bundleArgument, bundleLines, soundBundle } from "./verified-bundle.ts"

export const verifyCommand = Command.make(
  "verify",
  { path: bundleArgument("path") },
  Effect.fnUntraced(function* ({ path }) {
    const { report } = yield* soundBundle("path", path)
    yield* writeNotes([verdictLine(yield* Host, 0)])
    yield* answer({ data: report, lines: () => bundleLines(report) })
  })
).pipe(
  Command.withDescription(
    "Verify a bundle offline: form, order, references, bounds, every hash and every file. Exits 0 on PASS, 1 on FAIL and 2 when it is no bundle; the verdict and the issues go to standard error."
  ),
  Command.withShortDescription("verify a bundle offline"),
  Command.withExamples([
    { command: "cortex bundle verify out" },
    { command: "cortex bundle verify out/bundle.json --format json" }
  ])
)
