// What the commands of bundles share: the argument that names a bundle, and the endings of a
// bundle that does not verify. No database is loaded here or by what is imported here.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import { UnsoundBundle } from "../../../application/bundles/sound-bundle.ts"
import type { BundleReport } from "../../../domain/bundles/finding.ts"
import { findingCount, InvalidBundle, VerificationFailed } from "../../shared/failures.ts"
import { fieldLines } from "../../shared/terminal-text.ts"

/** The argument that names a bundle. */
export const bundleArgument = (name: string) =>
  Argument.String(name).pipe(Argument.withDescription("the bundle's folder, or the bundle.json in it"))

const negative = (report: BundleReport) => ({
  message: `${findingCount(report)} issue(s) found: each has a code, a place and a message`,
  report,
  listed: report.findings
})

const failureOf = (report: BundleReport): VerificationFailed | InvalidBundle =>
  report.verdict === "INVALID"
    ? new InvalidBundle(negative(report))
    : new VerificationFailed(negative(report))

/** A report of PASS, or the failure that its verdict is. */
export const verdictOfBundle = (
  report: BundleReport
): Effect.Effect<BundleReport, VerificationFailed | InvalidBundle> =>
  report.verdict === "PASS" ? Effect.succeed(report) : Effect.fail(failureOf(report))

/** Gives a bundle that does not verify the ending that `bundle verify` would have. */
export const judged = <A, E, R>(program: Effect.Effect<A, E | UnsoundBundle, R>) =>
  Effect.mapError(program, (error): Exclude<E, UnsoundBundle> | VerificationFailed | InvalidBundle =>
    error instanceof UnsoundBundle ? failureOf(error.report) : (error as Exclude<E, UnsoundBundle>)
  )

/** As `judged` where bundles are input: any fault of one makes the input invalid. */
export const judgedAsInput = <A, E, R>(program: Effect.Effect<A, E | UnsoundBundle, R>) =>
  Effect.mapError(program, (error): Exclude<E, UnsoundBundle> | InvalidBundle =>
    error instanceof UnsoundBundle
      ? new InvalidBundle(negative(error.report))
      : (error as Exclude<E, UnsoundBundle>)
  )

/** What people read of a bundle. */
export const bundleLines = (report: BundleReport): ReadonlyArray<string> =>
  fieldLines([
    ["bundle", report.bundle_id ?? ""],
    ["run", report.run_id ?? ""],
    ["job", report.job_id ?? ""],
    ["plan", report.plan_hash ?? ""],
    ["root", report.root_hash ?? ""],
    ...Object.entries(report.counts).map(([name, count]) => [name, String(count)] as const),
    [
      "signer",
      report.signers.join(", ") || "none: no attestation was judged, so anybody can have made this bundle"
    ]
  ])
