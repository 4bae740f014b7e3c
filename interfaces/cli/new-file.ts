// Writes a result to a new file: never over anything, whole or not at all, and on the disk before the command says so.
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import { fileFailure, flush, newPlaceFault } from "../embedding/files.ts"
import { absolutePath, refusedFlag } from "../shared/options.ts"

const refusals: ReadonlyMap<string, string> = new Map([
  ["EEXIST", "the file exists, and nothing is written over it: choose another name"],
  ["ENOENT", "there is no such folder"]
])

const fill = (path: string, descriptor: number, text: string): void => {
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/** Makes a file with this text, whole or not at all; what the system says is thrown. */
export const makeFile = (path: string, text: string): void => {
  fill(path, openSync(path, "wx"), text)
  flush(dirname(path))
}

/** Writes the text to a new file that `flag` names; gives its absolute path. */
export const writeNewFile = Effect.fnUntraced(function* (flag: string, file: string, text: string) {
  const path = yield* absolutePath(flag, file)
  const unfit = newPlaceFault(flag, path)
  if (unfit !== undefined) return yield* unfit
  yield* Effect.try({
    try: () => makeFile(path, text),
    catch: (error) => {
      const refusal = refusals.get((error as NodeJS.ErrnoException).code ?? "")
      return refusal === undefined ? fileFailure(flag, path, error) : refusedFlag(flag, `${path}: ${refusal}`)
    }
  })
  return path
})
