// `cortex cassette verify-proof`: a proof against the signed checkpoints that it is about, without any ledger. Whom to
// believe is said by the trust file alone.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { VerifiedProof } from "../../../application/ledger/proofs/proof-verification.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { oneStandardInput, readEvidence, readTrust } from "./evidence-files.ts"
import { textFlag, trustFlag } from "../../shared/flags.ts"

const proofLines = ({ origin, proof, signers }: VerifiedProof): ReadonlyArray<string> =>
  fieldLines([
    ["proof", `${proof.kind} holds`],
    ["origin", origin],
    ...(proof.kind === "inclusion"
      ? ([
          ["event", `${proof.index + 1}  ${proof.hash}`],
          ["size", String(proof.size)]
        ] as const)
      : ([["sizes", `${proof.from} to ${proof.to}`]] as const)),
    ...signers.map((names) => ["signed", names.join(", ")] as const)
  ])

export const verifyProofCommand = Command.make(
  "verify-proof",
  {
    proof: textFlag("proof", "FILE", "the proof, as prove printed it; - is standard input"),
    checkpoint: textFlag("checkpoint", "FILE", "the signed checkpoint that it is about; - is standard input"),
    oldCheckpoint: textFlag(
      "old-checkpoint",
      "FILE",
      "the older one, for a consistency proof; - is standard input"
    ).pipe(Flag.optional),
    trust: trustFlag
  },
  Effect.fnUntraced(function* ({ checkpoint, oldCheckpoint, proof, trust }) {
    const options = {
      proof: yield* readEvidence("--proof", proof),
      checkpoints: [
        yield* readEvidence("--checkpoint", checkpoint),
        ...(Option.isSome(oldCheckpoint)
          ? [yield* readEvidence("--old-checkpoint", oldCheckpoint.value)]
          : [])
      ],
      trust: yield* readTrust(trust)
    }
    const { verifyProof } = yield* Effect.promise(() => import("../../embedding/evidence.ts"))
    const verified = yield* verifyProof(options)
    yield* answer({ data: verified, lines: () => proofLines(verified) })
  })
).pipe(
  Command.validate(({ checkpoint, oldCheckpoint, proof, trust }) =>
    oneStandardInput(Option.some(proof), Option.some(checkpoint), oldCheckpoint, Option.some(trust))
  ),
  Command.withDescription(
    "Check a proof against signed checkpoints; no ledger is needed. Exits 0 when it holds and 1 when it does not, or when no trusted key has signed."
  ),
  Command.withShortDescription("check a proof without the ledger"),
  Command.withExamples([
    {
      command: "cortex cassette verify-proof --proof proof.json --checkpoint monday.txt --trust trust.json"
    },
    {
      command:
        "cortex cassette verify-proof --proof proof.json --old-checkpoint monday.txt --checkpoint friday.txt --trust trust.json"
    }
  ])
)
