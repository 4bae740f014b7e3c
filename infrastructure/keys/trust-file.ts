// Reads a trust file: bounded, strict UTF-8, strict JSON, strict Schema, so that no key is trusted by a typing error or
// by a key that stands twice. It reads the file that it is told and looks for no other.
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { undecoded } from "../../application/foundation/input.ts"
import { readJsonBytes } from "../../domain/canonical/strict-reader.ts"
import { NotATrustFile } from "../../domain/evidence/checkpoint-errors.ts"
import { MAX_TRUST_FILE_BYTES, TrustFile } from "../../domain/evidence/trust.ts"

const decode = Schema.decodeUnknownResult(TrustFile, { onExcessProperty: "error", errors: "all" })

const readBounded = (file: string): Uint8Array => {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw new NotATrustFile({ file, reason: "it is a folder or a device" })
    if (stat.size > MAX_TRUST_FILE_BYTES) {
      throw new NotATrustFile({ file, reason: `it is over ${MAX_TRUST_FILE_BYTES} bytes` })
    }
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const readFailure = (file: string, error: unknown): NotATrustFile => {
  if (error instanceof NotATrustFile) return error
  if (!(error instanceof Error) || !("code" in error)) throw error
  return new NotATrustFile({
    file,
    reason: error.code === "ENOENT" ? "there is no such file" : `it cannot be read (${String(error.code)})`
  })
}

/** The trust file's content from its bytes; `file` is what errors call it. */
export const parseTrustFile = (file: string, bytes: Uint8Array): Result.Result<TrustFile, NotATrustFile> => {
  const refused = (reason: string) => Result.fail(new NotATrustFile({ file, reason }))
  const value = readJsonBytes(bytes, "jcs/1")
  if (Result.isFailure(value)) return refused(value.failure.message)
  const trust = decode(value.success)
  return Result.isFailure(trust)
    ? refused(undecoded(trust.failure.issue).message)
    : Result.succeed(trust.success)
}

/** Whom a trust file names. */
export const loadTrustFile = (file: string): Effect.Effect<TrustFile, NotATrustFile> =>
  Effect.try({ try: () => readBounded(file), catch: (error) => readFailure(file, error) }).pipe(
    Effect.flatMap((bytes) => Effect.fromResult(parseTrustFile(file, bytes)))
  )
