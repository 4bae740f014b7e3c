// Reads a file or standard input: whole and within a bound, as a JSON object, or piece by piece. A file that is far too large is
// refused by its size before it is read, a stream as soon as it goes over. Nothing is repaired or guessed.
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { isJsonObject, type JsonObject } from "../../domain/canonical/json.ts"
import { readJsonBytes } from "../../domain/canonical/strict-reader.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { MAX_PAYLOAD_BYTES } from "../../domain/ledger/limits.ts"
import { boundedBytes } from "../shared/bounded-bytes.ts"
import { Host } from "../shared/host.ts"
import { absolutePath, refusedFlag } from "../shared/options.ts"

/** Longest JSON file: the canonical text's limit, with room for escapes and blanks. */
export const MAX_JSON_FILE_BYTES = 8 * MAX_PAYLOAD_BYTES

/** What names standard input in place of a file. */
const STANDARD_INPUT = "-"

const tooLarge = `the file is over ${MAX_JSON_FILE_BYTES} bytes: a payload or receipt may have ${MAX_PAYLOAD_BYTES} bytes, keep large content elsewhere and put its hash here`

/** What is no regular file might never end, or wait forever for a writer. */
class NotRegular extends Error {}

/** The size of a regular file. */
const sizeOf = async (file: FileHandle): Promise<number> => {
  const stat = await file.stat()
  if (stat.isDirectory()) throw new NotRegular("this is a folder: name a file")
  if (!stat.isFile()) throw new NotRegular("this is no regular file: name one, or pipe it in and name -")
  return stat.size
}

/** Opens without waiting. */
const openFile = (path: string): Promise<FileHandle> => open(path, constants.O_RDONLY | constants.O_NONBLOCK)

/** The bytes of a regular file, or undefined when it is over the limit. */
const fileBytes = async (path: string, limit: number): Promise<Uint8Array | undefined> => {
  const file = await openFile(path)
  try {
    if ((await sizeOf(file)) > limit) return undefined
    return await boundedBytes(file.createReadStream({ autoClose: false }), limit)
  } finally {
    await file.close()
  }
}

/** The bytes of a regular file as they are read. */
async function* fileChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await openFile(path)
  try {
    await sizeOf(file)
    yield* file.createReadStream({ autoClose: false })
  } finally {
    await file.close()
  }
}

const advice: { readonly [code: string]: string } = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "this is a folder: name a file",
  EACCES: "the file may not be read: check its permissions",
  EPERM: "the file may not be read: check its permissions",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "the link leads to itself",
  ENXIO: "this is no regular file: name one, or pipe it in and name -"
}

const readFailure = (flag: string, path: string, error: unknown): InvalidInput => {
  const { code = "", message } = error as NodeJS.ErrnoException
  return refusedFlag(flag, `${path}: ${advice[code] ?? message}`)
}

/** The bytes of a file (`-` is standard input) that `flag` names, and its name for people. */
export const readBytes = Effect.fnUntraced(function* (
  flag: string,
  file: string,
  bound: { readonly limit: number; readonly tooLarge: string }
): Effect.fn.Return<{ readonly path: string; readonly bytes: Uint8Array }, InvalidInput, Host> {
  const host = yield* Host
  const path = file === STANDARD_INPUT ? "standard input" : yield* absolutePath(flag, file)
  const bytes = yield* Effect.tryPromise({
    try: () =>
      file === STANDARD_INPUT ? boundedBytes(host.stdin(), bound.limit) : fileBytes(path, bound.limit),
    catch: (error) => readFailure(flag, path, error)
  })
  return bytes === undefined ? yield* Effect.fail(refusedFlag(flag, bound.tooLarge)) : { path, bytes }
})

/** The bytes of a file (`-` is standard input) that `flag` names, piece by piece, and its path if it has one. */
export const streamBytes = Effect.fnUntraced(function* (flag: string, file: string) {
  const host = yield* Host
  const path = file === STANDARD_INPUT ? undefined : yield* absolutePath(flag, file)
  const bytes = Stream.suspend(() =>
    Stream.fromAsyncIterable(path === undefined ? host.stdin() : fileChunks(path), (error) =>
      readFailure(flag, path ?? "standard input", error)
    )
  )
  return { path, bytes }
})

/** The JSON object in a file (`-` is standard input) that `flag` names; `py/1` takes no spelling of a float. */
export const readJsonObject = Effect.fnUntraced(function* (
  flag: string,
  file: string,
  rule: Parameters<typeof readJsonBytes>[1] = "jcs/1"
): Effect.fn.Return<JsonObject, InvalidInput, Host> {
  const { bytes, path } = yield* readBytes(flag, file, { limit: MAX_JSON_FILE_BYTES, tooLarge })
  const value = readJsonBytes(bytes, rule)
  if (Result.isFailure(value)) {
    return yield* Effect.fail(refusedFlag(flag, `${path}: ${value.failure.message}`))
  }
  return isJsonObject(value.success)
    ? value.success
    : yield* Effect.fail(refusedFlag(flag, `${path}: the JSON must be an object: {…}`))
})
