// Whom to believe: the trust file's strict Schema, and the judgement over a checkpoint's signatures. One signature by an
// enabled key of the right scope suffices; unknown keys are passed over, as key rotation and witnesses need; a known
// key whose signature is wrong spoils the whole note. It never fetches a key from what is to be verified.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  bytesEqual,
  bytesOfBase64,
  bytesOfHex,
  hexText,
  type Sha256Bytes,
  utf8Bytes
} from "../canonical/bytes.ts"
import { Identifier } from "../canonical/text.ts"
import { CheckpointUntrusted, type UntrustedReason } from "./checkpoint-errors.ts"
import { type Checkpoint, ledgerOfOrigin } from "./checkpoint.ts"
import { isPublicKey, isSignedBy, type VerifySignature } from "./ed25519-form.ts"
import { isKeyName, type NoteKey, signaturesBy } from "./signed-note.ts"

/** Longest trust file (bytes) and most keys in it. */
export const MAX_TRUST_FILE_BYTES = 1_048_576
const MAX_TRUST_KEYS = 1_000

// An Ed25519 public key as SubjectPublicKeyInfo is this and the key's 32 bytes (RFC 8410).
const SPKI_PREFIX = bytesOfHex("302a300506032b6570032100") ?? new Uint8Array(0)

const PEM = /^-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=]+)\n-----END PUBLIC KEY-----\n?$/

/**
 * The 32 bytes of a public key, from PEM as `key generate` writes it or from the one base64 line inside. Undefined when
 * the text is another, and when the bytes may not be believed as a key (`ed25519-form.ts`).
 */
export const publicKeyBytes = (text: string): Uint8Array | undefined => {
  const spki = bytesOfBase64(PEM.exec(text)?.[1] ?? text)
  if (spki === undefined || !bytesEqual(spki.slice(0, SPKI_PREFIX.length), SPKI_PREFIX)) return undefined
  const key = spki.slice(SPKI_PREFIX.length)
  return isPublicKey(key) ? key : undefined
}

const KeyName = Schema.String.check(
  Schema.makeFilter(isKeyName, { expected: "a key name without spaces, plus signs and control characters" })
)

const PublicKeyText = Schema.String.check(
  Schema.makeFilter((text: string) => publicKeyBytes(text) !== undefined, {
    expected:
      "an Ed25519 public key (SPKI PEM, or the base64 line inside it) in its one encoding and not of small order"
  })
)

/** A key and what it is believed for. */
export const TrustKey = Schema.Struct({
  name: KeyName,
  public_key: PublicKeyText,
  scope: Schema.Struct({
    /** Ids of the ledgers whose checkpoints it may sign. */
    ledgers: Schema.optionalKey(Schema.Array(Identifier)),
    /** Beginnings of the run ids whose bundles it may sign. */
    run_prefixes: Schema.optionalKey(Schema.Array(Identifier))
  }),
  enabled: Schema.Boolean
})
export type TrustKey = typeof TrustKey.Type

const identityOf = ({ name, public_key }: TrustKey): string =>
  `${hexText(publicKeyBytes(public_key) ?? new Uint8Array(0))} ${name}`

/** A trust file; a name and key together may stand in it once, so that it cannot be on and off at a time. */
export const TrustFile = Schema.Struct({
  keys: Schema.Array(TrustKey).check(
    Schema.isMaxLength(MAX_TRUST_KEYS),
    Schema.makeFilter((keys: ReadonlyArray<TrustKey>) => new Set(keys.map(identityOf)).size === keys.length, {
      expected: "a list without two entries of one name and key"
    })
  )
})
export type TrustFile = typeof TrustFile.Type

/** True when the key may sign checkpoints of this ledger; undefined is no ledger of ours. */
const isTrustedFor = (key: TrustKey, ledgerId: string | undefined): boolean =>
  key.enabled && ledgerId !== undefined && (key.scope.ledgers ?? []).includes(ledgerId)

/** The entry as the key that it is; the Schema has judged its form. */
const noteKey = (key: TrustKey): NoteKey => ({
  name: key.name,
  publicKey: publicKeyBytes(key.public_key) ?? new Uint8Array(0)
})

/** What the judgement needs of cryptography. */
export interface SignatureChecks {
  readonly sha256: Sha256Bytes
  readonly verify: VerifySignature
}

/** Which keys of the trust file claim to have signed a note, and whether all their signatures are right. */
const signersOf = ({ sha256, verify }: SignatureChecks, trust: TrustFile, { note }: Checkpoint) => {
  const message = utf8Bytes(note.text)
  return trust.keys.flatMap((key) => {
    const known = noteKey(key)
    const signatures = signaturesBy(sha256, note, known)
    const valid = signatures.every(({ signature }) => isSignedBy(verify, known.publicKey, message, signature))
    return signatures.length === 0 ? [] : [{ key, valid }]
  })
}

/**
 * The names of the trusted keys that signed this checkpoint, at least one, or `CheckpointUntrusted`. Scopes are those
 * of the checkpoint's own origin: whether it is the origin that was asked about is for the caller to say.
 */
export const trustedSigners = (
  checks: SignatureChecks,
  trust: TrustFile,
  checkpoint: Checkpoint
): Result.Result<ReadonlyArray<string>, CheckpointUntrusted> => {
  const ledgerId = ledgerOfOrigin(checkpoint.origin)
  const refused = (reason: UntrustedReason) =>
    Result.fail(
      new CheckpointUntrusted({
        origin: checkpoint.origin,
        reason,
        signers: checkpoint.note.signatures.map(({ name }) => name)
      })
    )
  const signers = signersOf(checks, trust, checkpoint)
  if (signers.some(({ key, valid }) => key.enabled && !valid)) return refused("wrong_signature")
  const trusted = signers.filter(({ key }) => isTrustedFor(key, ledgerId))
  if (trusted.length > 0) return Result.succeed(trusted.map(({ key }) => key.name))
  if (signers.some(({ key }) => key.enabled)) return refused("key_out_of_scope")
  return refused(signers.length > 0 ? "key_disabled" : "unknown_key")
}
