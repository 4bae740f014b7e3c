// Bundles as tools: verify one from its own bytes. A bundle that does not verify is a report, since the tool did its work.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { BundleReport } from "../../domain/bundles/finding.ts"
import { agentTool, type AgentTool, reads, textArgument } from "./tool.ts"
import { pathInRoot } from "./root-folder.ts"

const bundleVerify = agentTool({
  name: "bundle_verify",
  title: "Verify a bundle",
  description:
    "Check a bundle (the folder of a finished job, or its bundle.json) from its own bytes alone: form, order, references, every hash and every file. FAIL and INVALID are reports with findings, not errors. Use it before you rely on a bundle that somebody gave you.",
  hints: reads,
  input: Schema.Struct({
    path: textArgument("the bundle's folder inside the root, or the bundle.json in it", "out")
  }),
  data: BundleReport,
  run: ({ path }) =>
    Effect.gen(function* () {
      const inside = yield* pathInRoot("path", path)
      const { verifyBundle } = yield* Effect.promise(
        () => import("../../application/bundles/verify-bundle.ts")
      )
      const { readingServices } = yield* Effect.promise(() => import("../cli/bundle/verified-bundle.ts"))
      const { report } = yield* Effect.provide(verifyBundle(inside), readingServices)
      return report
    })
})

/** The tools of bundles in the order in which they are listed. */
export const bundleTools: ReadonlyArray<AgentTool> = [bundleVerify]
