// The stable codes of checkpoint errors, and that each message says what happened and what to do.
import { describe, expect, it } from "vitest"
import {
  CheckpointOfAnotherLedger,
  CheckpointUntrusted,
  HistoryRewritten,
  InvalidKeyName,
  SigningFailed,
  KeyFileExists,
  KeyFileExposed,
  NotACheckpoint,
  NotAKeyFile,
  NotAProof,
  NotATrustFile,
  ProofRefused
} from "./checkpoint-errors.ts"
import { errorCode } from "../foundation/errors.ts"

const origin = "cassette/l"
const file = "/keys/key.pem"
const rewritten = { origin, size: 8, root: "aa", other_size: 6, other_root: "bb" }

describe("checkpoint errors", () => {
  it.each([
    [new NotACheckpoint({ reason: "no blank line" }), "NOT_A_CHECKPOINT", "no blank line"],
    [new NotAProof({ reason: "no JSON" }), "NOT_A_PROOF", "no JSON"],
    [
      new CheckpointUntrusted({ origin, reason: "key_disabled", signers: ["a", "b"] }),
      "CHECKPOINT_UNTRUSTED",
      "is disabled in the trust file (signed as a, b)"
    ],
    [
      new CheckpointOfAnotherLedger({ expected: origin, actual: "cassette/m" }),
      "CHECKPOINT_OF_ANOTHER_LEDGER",
      "of cassette/m, not of cassette/l"
    ],
    [
      new HistoryRewritten({ ...rewritten, reason: "root_differs" }),
      "HISTORY_REWRITTEN",
      "over 8 events has root aa, the events now give bb"
    ],
    [
      new HistoryRewritten({ ...rewritten, reason: "cut" }),
      "HISTORY_REWRITTEN",
      "6 events are left; keep both; cassette diff with a backup names"
    ],
    [
      new HistoryRewritten({ ...rewritten, reason: "proof_fails" }),
      "HISTORY_REWRITTEN",
      "nothing leads from"
    ],
    [
      new ProofRefused({
        kind: "inclusion",
        reason: "size_differs",
        proof_sizes: [3],
        checkpoint_sizes: [4]
      }),
      "PROOF_REFUSED",
      "(size_differs): it is for size 3, the checkpoints have 4"
    ],
    [new InvalidKeyName({ name: "a b" }), "INVALID_KEY_NAME", '"a b"'],
    [new SigningFailed({ reason: "the vault is sealed" }), "SIGNING_FAILED", "the vault is sealed"],
    [new KeyFileExposed({ file, mode: "0644" }), "KEY_FILE_EXPOSED", "mode 0644"],
    [new NotAKeyFile({ file, reason: "it is empty" }), "NOT_A_KEY_FILE", "it is empty"],
    [new KeyFileExists({ file }), "KEY_FILE_EXISTS", "/keys/key.pem exists"],
    [new NotATrustFile({ file, reason: "it is empty" }), "NOT_A_TRUST_FILE", "it is empty"]
  ])("%s has the code %s and says %j", (error, code, part) => {
    expect(errorCode(error)).toBe(code)
    expect(error.message).toContain(part)
  })
})
