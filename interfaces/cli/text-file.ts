// Reads text from a file or from standard input as it stands: strict UTF-8, every byte of it, a last line feed and a
// byte order mark included. What is not UTF-8 is refused, since a repaired text would be another one.
import * as Effect from "effect/Effect"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { MAX_THOUGHT_BYTES } from "../../domain/ledger/limits.ts"
import type { Host } from "../shared/host.ts"
import { readBytes } from "./json-file.ts"
import { refusedFlag } from "../shared/options.ts"

const thought = {
  limit: MAX_THOUGHT_BYTES,
  tooLarge: `the file is over ${MAX_THOUGHT_BYTES} bytes: keep large content elsewhere and put its hash here`
}

/** The text of a file (`-` is standard input) that `flag` names, of at most a thought's length or another bound. */
export const readText = Effect.fnUntraced(function* (
  flag: string,
  file: string,
  bound: Parameters<typeof readBytes>[2] = thought
): Effect.fn.Return<string, InvalidInput, Host> {
  const { bytes, path } = yield* readBytes(flag, file, bound)
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => refusedFlag(flag, `${path}: the text must be UTF-8`)
  })
})

/** A text that was given on the command line as `flag`; a single `-` is the text of standard input. */
export const givenText = (
  flag: string,
  text: string,
  bound?: Parameters<typeof readBytes>[2]
): Effect.Effect<string, InvalidInput, Host> =>
  text === "-" ? readText(flag, text, bound) : Effect.succeed(text)
