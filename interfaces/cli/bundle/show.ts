// `cortex bundle show`: what a bundle holds, for people. A bundle that does not verify is not shown, since nothing that
// it says could be believed.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { soundBundle } from "../../../application/bundles/sound-bundle.ts"
import { type Manifest, refOf } from "../../../domain/bundles/manifest.ts"
import { bundleFilesLayer } from "../../embedding/bundle-files.ts"
import { absolutePath } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { printable } from "../../shared/terminal-text.ts"
import { bundleArgument, bundleLines, judged } from "./verified-bundle.ts"

const stepLines = ({ artifacts, provenance, steps }: Manifest): ReadonlyArray<string> => {
  const failed = new Set(provenance.failed_steps)
  const bytes = new Map(
    artifacts.map((artifact) => [JSON.stringify([artifact.ref, artifact.slice]), artifact.bytes])
  )
  return steps.map((step) => {
    const { slice } = step.constraints
    const read = failed.has(step.step_id)
      ? "failed"
      : `${bytes.get(JSON.stringify([refOf(step), slice])) ?? 0} bytes`
    return printable(`${step.ordinal}  ${step.op}  ${refOf(step)}  ${slice}  ${read}`)
  })
}

export const showCommand = Command.make(
  "show",
  { path: bundleArgument("path") },
  Effect.fnUntraced(function* ({ path }) {
    const { manifest, report } = yield* judged(soundBundle(yield* absolutePath("path", path))).pipe(
      Effect.provide(bundleFilesLayer)
    )
    yield* answer({ data: manifest, lines: () => [...bundleLines(report), ...stepLines(manifest)] })
  })
).pipe(
  Command.withDescription("Verify a bundle and show what it holds: its names, hashes and steps."),
  Command.withShortDescription("show what a bundle holds"),
  Command.withExamples([
    { command: "cortex bundle show out" },
    { command: "cortex bundle show out --format json", description: "the manifest" }
  ])
)
