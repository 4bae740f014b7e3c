// `cortex key trust`: the trust file that believes one public key, for what it is named. It is printed and installed
// nowhere: whom to believe is its reader's decision.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { decodeInput } from "../../../application/foundation/input.ts"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { Identifier } from "../../../domain/canonical/text.ts"
import { InvalidKeyName } from "../../../domain/evidence/checkpoint-errors.ts"
import { originOf } from "../../../domain/evidence/checkpoint.ts"
import { isKeyName } from "../../../domain/evidence/signed-note.ts"
import { publicKeyBytes, type TrustFile } from "../../../domain/evidence/trust.ts"
import { readEvidence } from "../cassette/evidence-files.ts"
import { textFlag } from "../../shared/flags.ts"
import { refusedFlag } from "../../shared/options.ts"
import { answer } from "../output.ts"

const Scope = Schema.Struct({
  ledger: Schema.optional(Identifier),
  run_prefix: Schema.optional(Identifier)
})

const decode = decodeInput(Scope, Result.succeed)

export const trustCommand = Command.make(
  "trust",
  {
    publicKey: textFlag(
      "public-key",
      "FILE",
      "the public key, as key generate wrote it; - is standard input"
    ),
    ledger: textFlag("ledger", "ID", "the ledger whose checkpoints it may sign, as status prints it").pipe(
      Flag.optional
    ),
    runPrefix: textFlag("run-prefix", "R", "the beginning of the run ids whose bundles it may sign").pipe(
      Flag.optional
    ),
    name: textFlag(
      "name",
      "NAME",
      "the key's name on signature lines (default: cassette/ and the ledger's id, as checkpoint signs)"
    ).pipe(Flag.optional)
  },
  Effect.fnUntraced(function* ({ ledger, name, publicKey, runPrefix }) {
    const scope = yield* Effect.fromResult(
      decode({ ledger: Option.getOrUndefined(ledger), run_prefix: Option.getOrUndefined(runPrefix) })
    )
    const keyName = Option.getOrElse(name, () => originOf(scope.ledger ?? ""))
    if (!isKeyName(keyName)) return yield* new InvalidKeyName({ name: keyName })
    const public_key = yield* readEvidence("--public-key", publicKey)
    if (publicKeyBytes(public_key) === undefined) {
      return yield* Effect.fail(
        refusedFlag(
          "--public-key",
          `${publicKey} is no Ed25519 public key in SPKI PEM, or one that anybody can sign for (of small order)`
        )
      )
    }
    const trust: TrustFile = {
      keys: [
        {
          name: keyName,
          public_key,
          scope: {
            ...(scope.ledger === undefined ? {} : { ledgers: [scope.ledger] }),
            ...(scope.run_prefix === undefined ? {} : { run_prefixes: [scope.run_prefix] })
          },
          enabled: true
        }
      ]
    }
    yield* answer({ data: trust, lines: () => [jcsText(trust)] })
  })
).pipe(
  Command.validate(({ ledger, name, runPrefix }) =>
    Option.isNone(ledger) && (Option.isNone(runPrefix) || Option.isNone(name))
      ? Effect.fail(
          new CliError.ValidationError({
            message: "Missing required flag: --ledger, or --run-prefix together with --name"
          })
        )
      : Effect.void
  ),
  Command.withDescription(
    "Print a trust file that believes one public key for one ledger or for runs. verify --trust and verify-proof --trust read it; more keys can be added to its list by hand."
  ),
  Command.withShortDescription("print a trust file for a public key"),
  Command.withExamples([
    {
      command:
        "cortex key trust --public-key audit.pem.pub --ledger db295ca8-6665-49cc-9f1f-f09e905e7638 > trust.json"
    }
  ])
)
