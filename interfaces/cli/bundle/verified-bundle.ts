// Verifies the bundle that an argument names, for every command that takes one: a bundle that does not verify is never
// worked with. No database is loaded here or by what is imported here.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Argument from "effect/cli/Argument"
import { type VerifiedBundle, verifyBundle } from "../../../application/bundles/verify-bundle.ts"
import type { BundleReport } from "../../../domain/bundles/finding.ts"
import { bundleFolderLayer } from "../../../infrastructure/bundles/bundle-folder.ts"
import { nodeHashingLayer } from "../../../infrastructure/hashing/node-hashing.ts"
import { findingCount, InvalidBundle, VerificationFailed } from "../failures.ts"
import { absolutePath } from "../options.ts"
import { fieldLines } from "../printable.ts"

/** Everything that work on bundles in folders needs. */
export const bundleServices = Layer.mergeAll(bundleFolderLayer, nodeHashingLayer)

/** The argument that names a bundle. */
export const bundleArgument = (name: string) =>
  Argument.String(name).pipe(Argument.withDescription("the bundle's folder, or the bundle.json in it"))

/** A bundle that verified: its manifest is known. */
export type SoundBundle = VerifiedBundle &
  Required<{ readonly [K in "manifest" | "manifestBytes"]: NonNullable<VerifiedBundle[K]> }>

/** A report of PASS, or the failure that its verdict is. */
export const verdictOfBundle = (
  report: BundleReport
): Effect.Effect<BundleReport, VerificationFailed | InvalidBundle> => {
  if (report.verdict === "PASS") return Effect.succeed(report)
  const message = `${findingCount(report)} issue(s) found: each has a code, a place and a message`
  const failure = { message, report, listed: report.findings }
  return Effect.fail(
    report.verdict === "INVALID" ? new InvalidBundle(failure) : new VerificationFailed(failure)
  )
}

/** The verified bundle at a path from the command line. */
export const soundBundle = Effect.fnUntraced(function* (argument: string, path: string) {
  const verified = yield* Effect.provide(verifyBundle(yield* absolutePath(argument, path)), bundleServices)
  yield* verdictOfBundle(verified.report)
  return verified as SoundBundle
})

/** What people read of a verified bundle. */
export const bundleLines = (report: BundleReport): ReadonlyArray<string> =>
  fieldLines([
    ["bundle", report.bundle_id ?? ""],
    ["run", report.run_id ?? ""],
    ["job", report.job_id ?? ""],
    ["plan", report.plan_hash ?? ""],
    ["root", report.root_hash ?? ""],
    ...Object.entries(report.counts).map(([name, count]) => [name, String(count)] as const)
  ])
