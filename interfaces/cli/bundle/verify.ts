// `cortex bundle verify`: a bundle checked from its own bytes alone, on any machine. It loads no database and asks for
// no ledger; everything in the folder is held against the manifest, and the manifest against itself. With a trust file
// its attestation is judged too.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { verifyAttestedBundle } from "../../../application/bundles/attest-bundle.ts"
import { verifyBundle } from "../../../application/bundles/verify-bundle.ts"
import { bundleFilesLayer } from "../../embedding/bundle-files.ts"
import { loadTrustFile } from "../../embedding/evidence.ts"
import { textFlag } from "../../shared/flags.ts"
import { absolutePath, switchFlag } from "../../shared/options.ts"
import { reported } from "../../../application/foundation/progress.ts"
import { withProgress } from "../progress.ts"
import { answer, writeWarnings } from "../output.ts"
import { writePass } from "../verdict.ts"
import { attestationBeside, readAttestation } from "./attestation-file.ts"
import { bundleArgument, bundleLines, verdictOfBundle } from "./verified-bundle.ts"

const verifyWithTrust = Effect.fnUntraced(function* (
  path: string,
  trustFile: string,
  attestation: Option.Option<string>,
  required: boolean
) {
  const trust = yield* loadTrustFile(yield* absolutePath("--trust", trustFile))
  const envelope = yield* readAttestation(path, attestation)
  if (envelope === undefined && !required) {
    yield* writeWarnings([
      `there is no attestation ${attestationBeside(path)}: no key vouches for this bundle`
    ])
  }
  return yield* verifyAttestedBundle(path, { trust, envelope, required })
})

export const verifyCommand = Command.make(
  "verify",
  {
    path: bundleArgument("path"),
    trust: textFlag("trust", "FILE", "judge the attestation by the keys of this trust file").pipe(
      Flag.optional
    ),
    attestation: textFlag(
      "attestation",
      "FILE",
      "the attestation (default: PATH.dsse.json when it is there)"
    ).pipe(Flag.optional),
    requireAttestation: switchFlag("require-attestation", "fail when there is no attestation")
  },
  Effect.fnUntraced(function* ({ attestation, path: given, requireAttestation, trust }) {
    const path = yield* absolutePath("path", given)
    const verified = yield* Option.match(trust, {
      onNone: () => verifyBundle(path),
      onSome: (file) => verifyWithTrust(path, file, attestation, requireAttestation)
    }).pipe(Effect.provide(bundleFilesLayer), (work) => reported(path, work), withProgress("verifying"))
    const report = yield* verdictOfBundle(verified.report)
    yield* writePass
    yield* answer({ data: report, lines: () => bundleLines(report) })
  })
).pipe(
  Command.validate(({ attestation, requireAttestation, trust }) =>
    Option.isNone(trust) && (requireAttestation || Option.isSome(attestation))
      ? Effect.fail(
          new CliError.ValidationError({
            message: "Missing required flag: --trust (an attestation is judged by a trust file)"
          })
        )
      : Effect.void
  ),
  Command.withDescription(
    "Verify a bundle offline: form, order, references, bounds, every hash and every file; with --trust its attestation too. Exits 0 on PASS, 1 on FAIL and 2 when it is no bundle; the verdict and the issues go to standard error."
  ),
  Command.withShortDescription("verify a bundle offline"),
  Command.withExamples([
    { command: "cortex bundle verify out" },
    { command: "cortex bundle verify out/bundle.json --format json" },
    { command: "cortex bundle verify out --trust trust.json --require-attestation" }
  ])
)
