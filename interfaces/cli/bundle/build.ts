// `cortex bundle build`: the bundle of a complete job, from the ledger and the expansion cache. The ledger and the cache
// are opened for reading alone, and are loaded here and by no other command of bundles.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import type { BuildBundle, BuiltBundle } from "../../../application/bundles/build-bundle.ts"
import type { CacheSubstrate } from "../../../application/corpus/expansion-cache.ts"
import { bundleFilesLayer } from "../../embedding/bundle-files.ts"
import { ledgerFlags } from "../cassette/ledger-flags.ts"
import { warnAbout, withLedger } from "../cassette/open-ledger.ts"
import { runIdFlag, textFlag } from "../../shared/flags.ts"
import { cacheFlag } from "../corpus/cache-flag.ts"
import { withExpansions } from "../corpus/open-corpus.ts"
import { absolutePath, switchFlag } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { withProgress } from "../progress.ts"

/** Builds the bundle of a job of the ledger that the flags name, into an absolute path. */
export const builtBundle = Effect.fnUntraced(function* (
  request: BuildBundle,
  path: string,
  cache: CacheSubstrate
) {
  const { buildBundle } = yield* Effect.promise(() => import("../../../application/bundles/build-bundle.ts"))
  const { Ledger } = yield* Effect.promise(() => import("../../../application/ledger/ledger.ts"))
  return yield* withLedger("read", (ledger) =>
    Effect.andThen(
      warnAbout(ledger),
      withExpansions(cache, buildBundle(request, path).pipe(Effect.provideService(Ledger, ledger)))
    )
  ).pipe(Effect.provide(bundleFilesLayer), withProgress("building the bundle"))
})

/** What people read of a bundle that was built. */
export const builtFields = (built: BuiltBundle): ReadonlyArray<readonly [string, string]> => [
  ["bundle", built.bundle_id],
  ["path", built.created ? built.path : `${built.path} (it was there already, the same)`],
  ["root", built.root_hash],
  ...Object.entries(built.counts).map(([name, count]) => [name, String(count)] as const),
  ["failed", String(built.failed_steps.length)]
]

export const allowFailuresFlag = switchFlag(
  "allow-failures",
  "bundle the job although steps failed: they are named in it and have no artifact"
)

export const buildCommand = Command.make(
  "build",
  {
    runId: runIdFlag,
    jobId: textFlag("job-id", "J", "the job, all of whose steps are finished"),
    out: textFlag("out", "DIR", "the folder to make; nothing is written over"),
    allowFailures: allowFailuresFlag,
    cache: cacheFlag
  },
  Effect.fnUntraced(function* ({ allowFailures, cache, jobId, out, runId }) {
    const path = yield* absolutePath("--out", out)
    const built = yield* builtBundle(
      { run_id: runId, job_id: jobId, allow_failures: allowFailures },
      path,
      cache
    )
    yield* answer({ data: built, lines: () => fieldLines(builtFields(built)) })
  })
).pipe(
  Command.withDescription(
    "Build the bundle of a complete job: what its steps read, held against their receipts, in a folder that is the same byte for byte wherever it is built."
  ),
  Command.withShortDescription("build the bundle of a complete job"),
  Command.withExamples([
    { command: "cortex bundle build --run-id r1 --job-id job_0000000000002_….0001 --out out" },
    {
      command: "cortex bundle build --run-id r1 --job-id job_0000000000002_….0001 --out out --allow-failures",
      description: "although steps failed"
    }
  ]),
  Command.withGlobalFlags(ledgerFlags)
)
