// `cortex cassette checkpoint`: signs what the ledger holds now. The note goes out byte by byte as it was signed, to
// standard output or to a new file, and belongs somewhere that anyone who can change the ledger cannot reach.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { InvalidKeyName } from "../../../domain/evidence/checkpoint-errors.ts"
import { isKeyName } from "../../../domain/evidence/signed-note.ts"
import { writeNewFile } from "../new-file.ts"
import { absolutePath, Format } from "../../shared/options.ts"
import { answer, writeResult } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { warnAbout, withLedger } from "./open-ledger.ts"
import { textFlag } from "../../shared/flags.ts"

export const checkpointCommand = Command.make(
  "checkpoint",
  {
    key: textFlag("key", "FILE", "the private key, as key generate wrote it"),
    name: textFlag(
      "name",
      "NAME",
      "the key's name on the signature line and in trust files (default: cassette/ and the ledger's id)"
    ).pipe(Flag.optional),
    out: textFlag("out", "FILE", "a new file for the note (default: standard output)").pipe(Flag.optional)
  },
  Effect.fnUntraced(function* ({ key, name, out }) {
    const keyName = Option.getOrUndefined(name)
    if (keyName !== undefined && !isKeyName(keyName)) return yield* new InvalidKeyName({ name: keyName })
    const { loadSigningKey } = yield* Effect.promise(() => import("../../embedding/evidence.ts"))
    const signingKey = yield* loadSigningKey(yield* absolutePath("--key", key))
    const made = yield* withLedger("read", (ledger, _, checkpoints) =>
      Effect.andThen(warnAbout(ledger), checkpoints.make({ key: signingKey, keyName }))
    )
    if (Option.isSome(out)) {
      const file = yield* writeNewFile("--out", out.value, made.note)
      const { key_name, note, origin, root, size } = made
      return yield* answer({
        data: { file, note, origin, size, root, key_name },
        lines: () =>
          fieldLines([
            ["file", file],
            ["origin", origin],
            ["size", String(size)],
            ["root", root],
            ["key", key_name]
          ])
      })
    }
    if ((yield* Format) === "text") return yield* writeResult(made.note)
    yield* answer({ data: made, lines: () => [] })
  })
).pipe(
  Command.withDescription(
    "Sign the number of events and their Merkle root, as a C2SP signed note. Keep it where those who can change the ledger cannot change it too: verify --checkpoint refuses a history that does not bear it out."
  ),
  Command.withShortDescription("sign what the ledger holds now"),
  Command.withExamples([
    { command: "cortex cassette checkpoint --key audit.pem --out monday.txt" },
    {
      command: "cortex cassette checkpoint --key audit.pem --name ops.example/2026",
      description: "a key of that name in the trust file"
    }
  ])
)
