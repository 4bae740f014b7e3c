// `cortex cassette prove`: proofs that anybody can check without the ledger, against checkpoints that a trusted key has
// signed. A proof is printed as its one canonical text; with the checkpoints at hand it is held against them first.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { formatProof, type Proof } from "../../../domain/evidence/proof.ts"
import { Format, wholeNumberFlag } from "../../shared/options.ts"
import { answer, writeResult } from "../output.ts"
import { oneStandardInput, readEvidence } from "./evidence-files.ts"
import { warnAbout, withLedger } from "./open-ledger.ts"
import { textFlag } from "../../shared/flags.ts"

const noteOf = (flag: string, file: Option.Option<string>) =>
  Option.isSome(file) ? readEvidence(flag, file.value) : Effect.succeed(undefined)

const printProof = Effect.fnUntraced(function* (proof: Proof) {
  if ((yield* Format) === "text") return yield* writeResult(`${formatProof(proof)}\n`)
  yield* answer({ data: proof, lines: () => [] })
})

const checkpointFlag = textFlag(
  "checkpoint",
  "FILE",
  "the signed checkpoint that the proof is for; - is standard input"
).pipe(Flag.optional)

const inclusionCommand = Command.make(
  "inclusion",
  {
    event: wholeNumberFlag("event", 1).pipe(Flag.withDescription("the event's position")),
    size: wholeNumberFlag("size", 1).pipe(
      Flag.optional,
      Flag.withDescription(
        "among the first N events (default: those of the checkpoint, or all that there are)"
      )
    ),
    checkpoint: checkpointFlag
  },
  Effect.fnUntraced(function* ({ checkpoint, event, size }) {
    const request = {
      position: event,
      size: Option.getOrUndefined(size),
      checkpoint: yield* noteOf("--checkpoint", checkpoint)
    }
    yield* printProof(
      yield* withLedger("read", (ledger, _, checkpoints) =>
        Effect.andThen(warnAbout(ledger), checkpoints.proveInclusion(request))
      )
    )
  })
).pipe(
  Command.withDescription("Prove that an event is among the first N events of the ledger."),
  Command.withShortDescription("prove that an event is in the history"),
  Command.withExamples([
    { command: "cortex cassette prove inclusion --event 12 --checkpoint monday.txt > proof.json" }
  ])
)

const consistencyCommand = Command.make(
  "consistency",
  {
    from: wholeNumberFlag("from", 1).pipe(
      Flag.optional,
      Flag.withDescription("events of the older history (default: those of --old-checkpoint)")
    ),
    to: wholeNumberFlag("to", 1).pipe(
      Flag.optional,
      Flag.withDescription("events of the newer one (default: those of --checkpoint, or all that there are)")
    ),
    oldCheckpoint: textFlag(
      "old-checkpoint",
      "FILE",
      "the older signed checkpoint; - is standard input"
    ).pipe(Flag.optional),
    checkpoint: checkpointFlag
  },
  Effect.fnUntraced(function* ({ checkpoint, from, oldCheckpoint, to }) {
    const request = {
      from: Option.getOrUndefined(from),
      to: Option.getOrUndefined(to),
      oldCheckpoint: yield* noteOf("--old-checkpoint", oldCheckpoint),
      checkpoint: yield* noteOf("--checkpoint", checkpoint)
    }
    yield* printProof(
      yield* withLedger("read", (ledger, _, checkpoints) =>
        Effect.andThen(warnAbout(ledger), checkpoints.proveConsistency(request))
      )
    )
  })
).pipe(
  Command.validate(({ checkpoint, from, oldCheckpoint }) =>
    Option.isNone(from) && Option.isNone(oldCheckpoint)
      ? Effect.fail(
          new CliError.ValidationError({
            message: "Missing required flag: --from (or --old-checkpoint, which says it)"
          })
        )
      : oneStandardInput(checkpoint, oldCheckpoint)
  ),
  Command.withDescription("Prove that the first A events of the ledger are the beginning of the first B."),
  Command.withShortDescription("prove that one history continues another"),
  Command.withExamples([
    { command: "cortex cassette prove consistency --from 10 --to 25 > proof.json" },
    {
      command:
        "cortex cassette prove consistency --old-checkpoint monday.txt --checkpoint friday.txt > proof.json"
    }
  ])
)

export const proveCommand = Command.make("prove").pipe(
  Command.withDescription(
    "Proofs over the Merkle tree of the events, for verify-proof or any other verifier of RFC 6962 trees."
  ),
  Command.withShortDescription("prove what a checkpoint covers"),
  Command.withExamples([
    { command: "cortex cassette prove inclusion --event 12" },
    { command: "cortex cassette prove consistency --from 10 --to 25" }
  ]),
  Command.withSubcommands([inclusionCommand, consistencyCommand])
)
