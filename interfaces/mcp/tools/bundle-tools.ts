// Bundles as tools: build one from a finished job, verify one from its own bytes. A bundle that does not verify is a
// report, since the tool did its work.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { BundleReport } from "../../../domain/bundles/finding.ts"
import { Identifier } from "../../../domain/canonical/text.ts"
import { DEFAULT_ANSWER_BYTES } from "../../../domain/canonical/answer-budget.ts"
import { CorpusAccess } from "../corpus-access.ts"
import { LedgerAccess } from "../ledger-access.ts"
import { pathInRoot } from "../root-folder.ts"
import { agentTool, type AgentTool, argument, reads, textArgument } from "./tool.ts"

const bundleBuild = agentTool({
  name: "bundle_build",
  title: "Build a bundle",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  description:
    "Make the bundle of a finished job: what its steps read, held against their receipts, in a folder that anybody can verify without the ledger. Use it when a job of reading is complete. The same job makes the same bytes; nothing is written over.",
  hints: { readOnly: false, destructive: false, idempotent: true },
  input: {
    run_id: argument(Identifier, "the run that the job belongs to", "run-2026-11-28"),
    job_id: argument(Identifier, "the job, all of whose steps are finished"),
    out: textArgument("the folder to make, inside the root", "out"),
    allow_failures: Schema.optionalKey(
      Schema.Boolean.annotate({
        description: "bundle the job although steps failed: they are named and have no artifact"
      })
    )
  },
  data: Schema.Struct({
    bundle_id: Schema.String,
    run_id: Schema.String,
    job_id: Schema.String,
    plan_hash: Schema.String,
    root_hash: Schema.String,
    path: Schema.String,
    created: Schema.Boolean.annotate({ description: "false when the same bundle stood there already" }),
    failed_steps: Schema.Array(Schema.String),
    counts: Schema.Struct({ steps: Schema.Int, artifacts: Schema.Int, bytes: Schema.Int })
  }),
  run: ({ out, ...job }) =>
    Effect.gen(function* () {
      const inside = yield* pathInRoot("out", out)
      const { ledger } = yield* LedgerAccess.use(({ open }) => open("existing"))
      const { expansions } = yield* CorpusAccess.use(({ open }) => open)
      const { buildBundle } = yield* Effect.promise(
        () => import("../../../application/bundles/build-bundle.ts")
      )
      const { bundleFilesLayer } = yield* Effect.promise(() => import("../../embedding/bundle-files.ts"))
      const { ExpansionCache } = yield* Effect.promise(
        () => import("../../../application/corpus/expansion-cache.ts")
      )
      const { Ledger } = yield* Effect.promise(() => import("../../../application/ledger/ledger.ts"))
      return yield* buildBundle(job, inside).pipe(
        Effect.provideService(Ledger, ledger),
        Effect.provideService(ExpansionCache, expansions),
        Effect.provide(bundleFilesLayer)
      )
    })
})

const bundleVerify = agentTool({
  name: "bundle_verify",
  title: "Verify a bundle",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  description:
    "Check a bundle (the folder of a finished job, or its bundle.json) from its own bytes alone: form, order, references, every hash and every file. FAIL and INVALID are reports with findings, not errors. Use it before you rely on a bundle that you were given.",
  hints: reads,
  input: {
    path: textArgument("the bundle's folder inside the root, or the bundle.json in it", "out")
  },
  data: BundleReport,
  run: ({ path }) =>
    Effect.gen(function* () {
      const inside = yield* pathInRoot("path", path)
      const { verifyBundle } = yield* Effect.promise(
        () => import("../../../application/bundles/verify-bundle.ts")
      )
      const { bundleFilesLayer } = yield* Effect.promise(() => import("../../embedding/bundle-files.ts"))
      const { report } = yield* Effect.provide(verifyBundle(inside), bundleFilesLayer)
      return report
    })
})

/** The tools of bundles in the order in which they are listed. */
export const bundleTools: ReadonlyArray<AgentTool> = [bundleBuild, bundleVerify]
