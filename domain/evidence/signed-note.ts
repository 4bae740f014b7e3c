// Signed notes as https://c2sp.org/signed-note defines them: a text, a blank line, signature lines. Reading is strict,
// since a note is evidence: one spelling, valid UTF-8, no control characters but line feeds, nothing after the last
// signature. It checks forms only; whether a signature is believed is for trust.ts to say.
import * as Result from "effect/Result"
import {
  base64Text,
  bytesEqual,
  bytesOfBase64,
  joinBytes,
  type Sha256Bytes,
  utf8Bytes
} from "../canonical/bytes.ts"
import { utf8ByteLength } from "../canonical/text.ts"
import { NotACheckpoint } from "./checkpoint-errors.ts"

/** Longest note in UTF-16 code units, most signatures on one, longest key name in UTF-8 bytes. */
const MAX_NOTE_LENGTH = 524_288
const MAX_NOTE_SIGNATURES = 64
const MAX_KEY_NAME_BYTES = 256

const KEY_HASH_BYTES = 4
const ED25519 = 0x01
const LINE_FEED = 0x0a
const SIGNATURE_START = "\u2014 "

// Unicode's spaces are those of \s and U+0085; the plus sign separates a name from a key elsewhere.
const forbiddenInKeyName = /[\s\u0085+]/u

/** True when a signature line can carry this name. */
export const isKeyName = (name: string): boolean =>
  name !== "" &&
  name.isWellFormed() &&
  !forbiddenInKeyName.test(name) &&
  !hasForbiddenControl(name) &&
  utf8ByteLength(name) <= MAX_KEY_NAME_BYTES

/** One signature line; `signature` is empty of meaning until the key with this name and hash has checked it. */
export interface NoteSignature {
  readonly name: string
  /** First 4 bytes of the hash over the key's name and public key. */
  readonly keyHash: Uint8Array
  readonly signature: Uint8Array
}

/** A note that has the right form. */
export interface SignedNote {
  /** What is signed, with its final line feed and without the blank line. */
  readonly text: string
  readonly signatures: ReadonlyArray<NoteSignature>
}

/** A key as a verifier knows it: only name and key together are an identity. */
export interface NoteKey {
  readonly name: string
  /** 32 bytes. */
  readonly publicKey: Uint8Array
}

/** The 4 bytes that name a key on a signature line: SHA-256(name, LF, 0x01, public key), its beginning. */
export const keyHash = (sha256: Sha256Bytes, { name, publicKey }: NoteKey): Uint8Array =>
  sha256(joinBytes(utf8Bytes(name), Uint8Array.of(LINE_FEED, ED25519), publicKey)).slice(0, KEY_HASH_BYTES)

/** The note: text (ending in a line feed), blank line, signature lines. */
export const formatSignedNote = ({ signatures, text }: SignedNote): string =>
  `${text}\n${signatures
    .map(
      ({ keyHash, name, signature }) =>
        `${SIGNATURE_START}${name} ${base64Text(joinBytes(keyHash, signature))}\n`
    )
    .join("")}`

const hasForbiddenControl = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x20 && unit !== LINE_FEED) return true
  }
  return false
}

const parseSignature = (line: string): NoteSignature | undefined => {
  if (!line.startsWith(SIGNATURE_START)) return undefined
  const [name = "", encoded = "", ...rest] = line.slice(SIGNATURE_START.length).split(" ")
  const bytes = bytesOfBase64(encoded)
  if (rest.length > 0 || !isKeyName(name) || bytes === undefined || bytes.length <= KEY_HASH_BYTES) {
    return undefined
  }
  return { name, keyHash: bytes.slice(0, KEY_HASH_BYTES), signature: bytes.slice(KEY_HASH_BYTES) }
}

const refused = (reason: string) => Result.fail(new NotACheckpoint({ reason }))

/** The parts of a note; a note needs at least one signature, of any kind. */
export const parseSignedNote = (note: string): Result.Result<SignedNote, NotACheckpoint> => {
  if (note.length > MAX_NOTE_LENGTH) return refused(`it is over ${MAX_NOTE_LENGTH} characters`)
  if (!note.isWellFormed()) return refused("it is not valid Unicode")
  if (hasForbiddenControl(note)) return refused("it holds a control character other than line feeds")
  if (!note.endsWith("\n")) return refused("it does not end with a line feed")
  const blank = note.lastIndexOf("\n\n")
  if (blank < 0) return refused("no blank line separates the text from the signatures")
  const lines = note.slice(blank + 2, -1).split("\n")
  if (lines.length > MAX_NOTE_SIGNATURES) return refused(`it has over ${MAX_NOTE_SIGNATURES} signatures`)
  const signatures: Array<NoteSignature> = []
  for (const [index, line] of lines.entries()) {
    const signature = parseSignature(line)
    if (signature === undefined) return refused(`line ${index + 1} after the blank line is no signature`)
    signatures.push(signature)
  }
  return Result.succeed({ text: note.slice(0, blank + 1), signatures })
}

/** The signatures that claim to be by this key: same name and same key hash. */
export const signaturesBy = (
  sha256: Sha256Bytes,
  note: SignedNote,
  key: NoteKey
): ReadonlyArray<NoteSignature> => {
  const hash = keyHash(sha256, key)
  return note.signatures.filter(
    (signature) => signature.name === key.name && bytesEqual(signature.keyHash, hash)
  )
}
