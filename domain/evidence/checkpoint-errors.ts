// How checkpoints, proofs, keys and trust files are refused, as tagged data that carries what is needed to act. A name
// says the fact: whose checkpoint it is, whether its signature is believed, whether the history still fits. None of
// them carries a key or a signature.
import * as Schema from "effect/Schema"

/** The text is no signed checkpoint at all. */
export class NotACheckpoint extends Schema.TaggedError<NotACheckpoint>()("NotACheckpoint", {
  reason: Schema.String
}) {
  override get message() {
    return `This is not a signed checkpoint: ${this.reason}`
  }
}

/** The text is no proof document in canonical form. */
export class NotAProof extends Schema.TaggedError<NotAProof>()("NotAProof", { reason: Schema.String }) {
  override get message() {
    return `This is not a proof: ${this.reason}`
  }
}

/** Why no signature of a checkpoint is believed. */
export const UntrustedReason = Schema.Literals([
  "unknown_key",
  "key_disabled",
  "key_out_of_scope",
  "wrong_signature"
])
export type UntrustedReason = typeof UntrustedReason.Type

const untrustedSentences: { readonly [R in UntrustedReason]: string } = {
  unknown_key:
    "no key of the trust file has signed it: ask the holder of the key for the public one, and not the sender of the note",
  key_disabled: "the key that signed it is disabled in the trust file",
  key_out_of_scope:
    "the key that signed it is not trusted for this ledger: its scope in the trust file does not name it",
  wrong_signature:
    "the signature is not the one of the trusted key over this text: the note was changed, or another key has this name"
}

/** No trusted key has signed this checkpoint as it stands; nothing that it says counts. */
export class CheckpointUntrusted extends Schema.TaggedError<CheckpointUntrusted>()("CheckpointUntrusted", {
  origin: Schema.String,
  reason: UntrustedReason,
  /** The key names on the signature lines. */
  signers: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The checkpoint of ${this.origin} is not trusted: ${untrustedSentences[this.reason]} (signed as ${this.signers.join(", ")})`
  }
}

/** The checkpoint speaks of another log than the one that is asked about. */
export class CheckpointOfAnotherLedger extends Schema.TaggedError<CheckpointOfAnotherLedger>()(
  "CheckpointOfAnotherLedger",
  { expected: Schema.String, actual: Schema.String }
) {
  override get message() {
    return `The checkpoint is of ${this.actual}, not of ${this.expected}: use the checkpoint of this ledger`
  }
}

/** What contradicts a trusted checkpoint. */
export const RewriteReason = Schema.Literals(["cut", "root_differs", "proof_fails"])
export type RewriteReason = typeof RewriteReason.Type

/**
 * A trusted checkpoint and the history exclude each other: the events that it covers are not the ones that are there
 * now (`root_differs`), some are gone (`cut`), or nothing connects it with a newer checkpoint (`proof_fails`).
 */
export class HistoryRewritten extends Schema.TaggedError<HistoryRewritten>()("HistoryRewritten", {
  origin: Schema.String,
  reason: RewriteReason,
  /** Events that the checkpoint covers, and its root in hexadecimal. */
  size: Schema.Int,
  root: Schema.String,
  /** Events of the log (or of the newer checkpoint), and the root over them that was compared. */
  other_size: Schema.Int,
  other_root: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const checkpoint = `the trusted checkpoint of ${this.origin} over ${this.size} events`
    switch (this.reason) {
      case "cut":
        return `The history was cut: ${checkpoint} stands, ${this.other_size} events are left; keep both; cassette diff with a backup names the first event that differs`
      case "root_differs":
        return `The history was rewritten: ${checkpoint} has root ${this.root}, the events now give ${this.other_root ?? "none"}; keep both; cassette diff with a backup names the first event that differs`
      case "proof_fails":
        return `The history was rewritten, or the proof is a wrong one: nothing leads from ${checkpoint} to the one over ${this.other_size}`
    }
  }
}

/** A proof that does not show what it claims. */
export class ProofRefused extends Schema.TaggedError<ProofRefused>()("ProofRefused", {
  kind: Schema.Literals(["inclusion", "consistency"]),
  /** Stable words: `size_differs`, or a fault of docs/spec/ledger.md, "Proofs". */
  reason: Schema.String,
  /** Sizes that the proof names, smallest first, and those of the checkpoints that it was held against. */
  proof_sizes: Schema.Array(Schema.Number),
  checkpoint_sizes: Schema.Array(Schema.Int)
}) {
  override get message() {
    return `The ${this.kind} proof does not hold (${this.reason}): it is for size ${this.proof_sizes.join(" to ")}, the checkpoints have ${this.checkpoint_sizes.join(" and ")}`
  }
}

/** A name that a signature cannot carry. */
export class InvalidKeyName extends Schema.TaggedError<InvalidKeyName>()("InvalidKeyName", {
  name: Schema.String
}) {
  override get message() {
    return `${JSON.stringify(this.name)} cannot be the name of a key: use 1 to 256 bytes without spaces, plus signs and control characters`
  }
}

/** The holder of the key did not sign; nothing was made. */
export class SigningFailed extends Schema.TaggedError<SigningFailed>()("SigningFailed", {
  reason: Schema.String
}) {
  override get message() {
    return `The key did not sign: ${this.reason}`
  }
}

/** A key file that others can read is no secret any more. */
export class KeyFileExposed extends Schema.TaggedError<KeyFileExposed>()("KeyFileExposed", {
  file: Schema.String,
  /** The permissions in octal, for example `0644`. */
  mode: Schema.String
}) {
  override get message() {
    return `${this.file} can be read or written by others (mode ${this.mode}): make it 0600, or make a new key when it may have been copied`
  }
}

/** The file holds no Ed25519 private key as `key generate` writes it. */
export class NotAKeyFile extends Schema.TaggedError<NotAKeyFile>()("NotAKeyFile", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not an Ed25519 private key (PKCS#8 PEM): ${this.reason}`
  }
}

/** A key is never written over anything. */
export class KeyFileExists extends Schema.TaggedError<KeyFileExists>()("KeyFileExists", {
  file: Schema.String
}) {
  override get message() {
    return `${this.file} exists: a key is never written over a file, choose another name`
  }
}

/** The file is no trust file. */
export class NotATrustFile extends Schema.TaggedError<NotATrustFile>()("NotATrustFile", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} is not a trust file: ${this.reason}`
  }
}

/** Everything that checkpoints, proofs, keys and trust files can be refused with. */
export type CheckpointRefusal =
  | NotACheckpoint
  | NotAProof
  | CheckpointUntrusted
  | CheckpointOfAnotherLedger
  | HistoryRewritten
  | ProofRefused
  | InvalidKeyName
  | SigningFailed
  | KeyFileExposed
  | NotAKeyFile
  | KeyFileExists
  | NotATrustFile
