// The two files of an Ed25519 key. A private key is written once, never over anything, readable by its owner alone, and is refused
// when others can read it. It never leaves this file as bytes: callers get a value that signs.
import { generateKeyPairSync } from "node:crypto"
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SigningKey } from "../../application/foundation/signing.ts"
import { KeyFileExists, KeyFileExposed, NotAKeyFile } from "../../domain/evidence/checkpoint-errors.ts"
import { invalidAt, InvalidInput } from "../../domain/foundation/errors.ts"
import { ReadOnlyStore, StorageFailure, StorageFull } from "../../domain/foundation/storage-errors.ts"
import { fileFailure, flush } from "../files/file-system.ts"
import { newPlaceFault } from "../files/new-place.ts"
import { signingKeyOfPem } from "./ed25519.ts"

const PRIVATE_MODE = 0o600
const PUBLIC_MODE = 0o644
const OTHERS = 0o077

/** Longest key file that is read (bytes); a real one has about 120. */
const MAX_KEY_FILE_BYTES = 16_384

const codeOf = (error: unknown): string => {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code
  throw error
}

type WriteError = KeyFileExists | InvalidInput | ReadOnlyStore | StorageFull | StorageFailure

const writeFailure = (file: string, error: unknown): WriteError => {
  switch (codeOf(error)) {
    case "EEXIST":
      return new KeyFileExists({ file })
    case "ENOENT":
    case "ENOTDIR":
      return invalidAt(file, `there is no folder ${dirname(file)}`)
    default:
      return fileFailure(file, file, error)
  }
}

/** A new file with exactly these permissions under any umask, and the descriptor that it is written through. */
const reserve = (file: string, mode: number): number => {
  const unfit = newPlaceFault(file, file)
  if (unfit !== undefined) throw unfit
  try {
    const descriptor = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode)
    fchmodSync(descriptor, mode)
    return descriptor
  } catch (error) {
    throw writeFailure(file, error)
  }
}

const fill = (file: string, descriptor: number, text: string): void => {
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } catch (error) {
    throw writeFailure(file, error)
  } finally {
    closeSync(descriptor)
  }
}

/** Puts the new names on the disk: what was signed with a key that is gone is worth little. */
const settle = (file: string): void => {
  try {
    flush(dirname(file))
  } catch (error) {
    throw writeFailure(file, error)
  }
}

/** The files of a new key pair. */
export interface KeyFiles {
  /** PKCS#8 PEM, mode 0600. */
  readonly private_key_file: string
  /** SPKI PEM, mode 0644. */
  readonly public_key_file: string
  /** The public key as the text that a trust file takes. */
  readonly public_key: string
}

const writeKeyPair = (file: string): KeyFiles => {
  const publicFile = `${file}.pub`
  const made: Array<string> = []
  const reserved = (name: string, mode: number): number => {
    const descriptor = reserve(name, mode)
    made.push(name)
    return descriptor
  }
  try {
    const publicDescriptor = reserved(publicFile, PUBLIC_MODE)
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    const publicPem = publicKey.export({ format: "pem", type: "spki" }) as string
    fill(publicFile, publicDescriptor, publicPem)
    fill(file, reserved(file, PRIVATE_MODE), privateKey.export({ format: "pem", type: "pkcs8" }) as string)
    settle(file)
    return { private_key_file: file, public_key_file: publicFile, public_key: publicPem }
  } catch (error) {
    for (const name of made) rmSync(name, { force: true })
    throw error
  }
}

const isWriteError = (error: unknown): error is WriteError =>
  error instanceof KeyFileExists ||
  error instanceof InvalidInput ||
  error instanceof ReadOnlyStore ||
  error instanceof StorageFull ||
  error instanceof StorageFailure

const orDefect =
  <E>(is: (error: unknown) => error is E) =>
  (error: unknown): E => {
    if (is(error)) return error
    throw error
  }

/** Makes a key pair in FILE and FILE.pub; neither may exist, and on any failure neither is left. */
export const generateKeyFiles = (file: string): Effect.Effect<KeyFiles, WriteError> =>
  Effect.try({ try: () => writeKeyPair(file), catch: orDefect(isWriteError) })

const readOnce = (file: string): { readonly mode: number; readonly text: string } => {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw new NotAKeyFile({ file, reason: "it is a folder or a device" })
    if (stat.size > MAX_KEY_FILE_BYTES) {
      throw new NotAKeyFile({ file, reason: `it is over ${MAX_KEY_FILE_BYTES} bytes` })
    }
    return { mode: stat.mode & 0o777, text: readFileSync(descriptor, "latin1") }
  } finally {
    closeSync(descriptor)
  }
}

const readSigningKey = (file: string): SigningKey => {
  const { mode, text } = readOnce(file)
  // Windows has no such permissions: Node shows every file as open there.
  if (process.platform !== "win32" && (mode & OTHERS) !== 0) {
    throw new KeyFileExposed({ file, mode: `0${mode.toString(8).padStart(3, "0")}` })
  }
  const key = signingKeyOfPem(text)
  if (Result.isFailure(key)) throw new NotAKeyFile({ file, reason: key.failure })
  return key.success
}

type LoadError = NotAKeyFile | KeyFileExposed

const loadFailure = (file: string, error: unknown): LoadError => {
  if (error instanceof NotAKeyFile || error instanceof KeyFileExposed) return error
  const code = codeOf(error)
  return new NotAKeyFile({
    // A host whose setting is missing names no file at all.
    file: String(file),
    reason: code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`
  })
}

/** The private key of a file that only its owner can read. */
export const loadSigningKey = (file: string): Effect.Effect<SigningKey, LoadError> =>
  Effect.try({ try: () => readSigningKey(file), catch: (error) => loadFailure(file, error) })
