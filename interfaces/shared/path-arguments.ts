// How paths on the command line are read, and how input is refused that a flag carries. No command line is parsed here, so that a
// command which must start quickly loads no parser.
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { invalidAt, type InvalidInput } from "../../domain/foundation/errors.ts"
import { Host } from "./host.ts"

/** Input that a flag carries and that is refused; the message begins with the flag. */
export const refusedFlag = (flag: string, message: string): InvalidInput => invalidAt(flag, message)

/** What is wrong with a path; a single `-` is standard input or output elsewhere, so that no file is meant by it. */
const pathFault = (path: string): string | undefined => {
  if (path === "-") return "a file is needed here, and - is none: name it (./- for a file of that name)"
  return path === "" || path.includes("\0") || !path.isWellFormed() ? "name a file or folder" : undefined
}

/** A path from the command line, absolute; empty and impossible ones are refused, and `-`. */
export const absolutePath = (flag: string, path: string): Effect.Effect<string, InvalidInput, Host> => {
  const fault = pathFault(path)
  return fault === undefined
    ? Host.use((host) => Effect.succeed(resolve(host.cwd, path)))
    : Effect.fail(refusedFlag(flag, fault))
}

/** The folder that `--root` names, else CORTEX_ROOT, else the current one, absolute. */
export const rootFolderOf = Effect.fnUntraced(function* (given: string | undefined) {
  if (given !== undefined) return yield* absolutePath("--root", given)
  const { env } = yield* Host
  return yield* absolutePath("CORTEX_ROOT", env["CORTEX_ROOT"] || ".")
})
