// `cortex bundle sign`: an attestation of a verified bundle by one key, as a DSSE envelope in a new file beside the bundle
// and never in it, where it would be a file that the manifest does not name.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { signBundle } from "../../../application/bundles/attest-bundle.ts"
import { bundleFilesLayer } from "../../embedding/bundle-files.ts"
import { loadSigningKey } from "../../embedding/evidence.ts"
import { textFlag } from "../../shared/flags.ts"
import { writeNewFile } from "../new-file.ts"
import { absolutePath } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { printable } from "../../shared/terminal-text.ts"
import { attestationBeside } from "./attestation-file.ts"
import { bundleArgument, judged } from "./verified-bundle.ts"

export const signCommand = Command.make(
  "sign",
  {
    path: bundleArgument("path"),
    key: textFlag("key", "FILE", "the private key, as key generate made it"),
    out: textFlag("out", "FILE", "the attestation to write (default: PATH.dsse.json)").pipe(Flag.optional)
  },
  Effect.fnUntraced(function* (given) {
    const path = yield* absolutePath("path", given.path)
    const file = yield* absolutePath(
      "--out",
      Option.getOrElse(given.out, () => attestationBeside(path))
    )
    const key = yield* loadSigningKey(yield* absolutePath("--key", given.key))
    const text = yield* judged(signBundle(path, key)).pipe(Effect.provide(bundleFilesLayer))
    yield* writeNewFile("--out", file, text)
    yield* answer({ data: { file }, lines: () => [printable(`made ${file}`)] })
  })
).pipe(
  Command.withDescription(
    "Verify a bundle and sign it with an Ed25519 key: a DSSE envelope with an in-toto statement about its bundle.json, in a new file."
  ),
  Command.withShortDescription("sign a bundle"),
  Command.withExamples([
    { command: "cortex bundle sign out --key builder.key" },
    { command: "cortex bundle verify out --trust trust.json --require-attestation" }
  ])
)
