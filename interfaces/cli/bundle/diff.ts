// `cortex bundle diff`: what is not the same in two bundles. Both are verified first; two bundles with the same id hold
// the same texts.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { diffBundles } from "../../../application/bundles/compare-bundles.ts"
import { Different, type Difference } from "../../../domain/bundles/errors.ts"
import { bundleFilesLayer } from "../../embedding/bundle-files.ts"
import { absolutePath, Format } from "../../shared/options.ts"
import { answer, writeResult } from "../output.ts"
import { printable } from "../../shared/terminal-text.ts"
import { bundleArgument, judgedAsInput } from "./verified-bundle.ts"

/** A difference as lines: where, then either side. */
const differenceLines = ({ left, right, where }: Difference): ReadonlyArray<string> => [
  printable(where),
  ...(left === null ? [] : [`- ${printable(left)}`]),
  ...(right === null ? [] : [`+ ${printable(right)}`])
]

export const diffCommand = Command.make(
  "diff",
  { left: bundleArgument("left"), right: bundleArgument("right") },
  Effect.fnUntraced(function* ({ left, right }) {
    const comparison = yield* judgedAsInput(
      diffBundles(yield* absolutePath("left", left), yield* absolutePath("right", right))
    ).pipe(Effect.provide(bundleFilesLayer))
    const { differences, verdict } = comparison
    if (verdict === "SAME") {
      return yield* answer({ data: comparison, lines: () => [`the same: ${comparison.left_bundle_id}`] })
    }
    if ((yield* Format) === "text") {
      yield* writeResult(
        differences
          .flatMap(differenceLines)
          .map((line) => `${line}\n`)
          .join("")
      )
    }
    return yield* Effect.fail(new Different({ verdict, differences }))
  })
).pipe(
  Command.withDescription(
    "Compare two bundles by field, step and artifact. Exits 0 when they are the same, 1 when they differ and 2 when one of them does not verify."
  ),
  Command.withShortDescription("compare two bundles"),
  Command.withExamples([{ command: "cortex bundle diff monday friday" }])
)
