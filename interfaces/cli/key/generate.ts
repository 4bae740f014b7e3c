// `cortex key generate`: a new signing key in two files. The private one is readable by its owner alone, is never
// written over anything, and is never shown.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { textFlag } from "../../shared/flags.ts"
import { absolutePath } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"

export const generateCommand = Command.make(
  "generate",
  { out: textFlag("out", "FILE", "the private key; its public half goes to FILE.pub. Neither may exist") },
  Effect.fnUntraced(function* ({ out }) {
    const { generateKeyFiles } = yield* Effect.promise(() => import("../../embedding/evidence.ts"))
    const files = yield* generateKeyFiles(yield* absolutePath("--out", out))
    yield* answer({
      data: files,
      lines: () =>
        fieldLines([
          ["private key", files.private_key_file],
          ["public key", files.public_key_file]
        ])
    })
  })
).pipe(
  Command.withDescription(
    "Make an Ed25519 key: FILE (PKCS#8 PEM, mode 0600) signs, FILE.pub (SPKI PEM) is for trust files."
  ),
  Command.withShortDescription("make a signing key"),
  Command.withExamples([{ command: "cortex key generate --out audit.pem" }])
)
