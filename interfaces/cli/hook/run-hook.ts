// One hook from standard input to the ledger. Nothing is written to standard output, which hosts read as an instruction; what was not
// recorded is told on standard error, and the settings say whether the agent goes on then. It ends within its time, or says that
// it did not.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type HookEvent, hookEventOf } from "../../../domain/agents/hook-event.ts"
import { isJsonObject } from "../../../domain/canonical/json.ts"
import { readJsonBytes } from "../../../domain/canonical/strict-reader.ts"
import { recordHookEvent, sha256 } from "../../embedding/hook-recording.ts"
import { boundedBytes } from "../../shared/bounded-bytes.ts"
import { CallNotRecorded, StopNotRecorded } from "../../shared/hook-failures.ts"
import { Host } from "../../shared/host.ts"
import { ledgerFileAt } from "../../shared/ledger-place.ts"
import { printable } from "../../shared/terminal-text.ts"
import type { HookOptions } from "./hook-options.ts"

/** Longest JSON that a host may send (bytes): the outputs of tools are in it. */
const MAX_INPUT_BYTES = 128 * 1_048_576

/** Deepest JSON that is read; what is in it is hashed, and seldom kept. */
const MAX_DEPTH = 1_000

/** Why nothing was recorded, as a sentence. */
class NotRecorded {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** What the host tells, as standard input has it. */
const told = Effect.fnUntraced(function* ({
  hook,
  host
}: HookOptions): Effect.fn.Return<HookEvent, NotRecorded, Host> {
  const { stdin } = yield* Host
  const bytes = yield* Effect.tryPromise({
    try: () => boundedBytes(stdin(), MAX_INPUT_BYTES),
    catch: (error) => new NotRecorded(`standard input cannot be read: ${(error as Error).message}`)
  })
  if (bytes === undefined) {
    return yield* Effect.fail(new NotRecorded(`standard input has more than ${MAX_INPUT_BYTES} bytes`))
  }
  // Programs cut texts in the middle of a character; such a text has no hash, and the call has a record all the same.
  const json = readJsonBytes(bytes, "jcs/1", MAX_DEPTH, "keep")
  if (Result.isFailure(json) && json.failure.reason === "too_deep") {
    return yield* Effect.fail(new NotRecorded(`standard input has JSON with over ${MAX_DEPTH} levels`))
  }
  if (Result.isFailure(json))
    return yield* Effect.fail(
      new NotRecorded(`standard input is no JSON that can be hashed: ${json.failure.message}`)
    )
  if (!isJsonObject(json.success)) {
    return yield* Effect.fail(new NotRecorded("standard input is no JSON object: a host's hook sends one"))
  }
  const event = hookEventOf(sha256, json.success, { hook, host })
  return Result.isFailure(event) ? yield* Effect.fail(new NotRecorded(event.failure)) : event.success
})

const record = Effect.fnUntraced(function* (options: HookOptions) {
  const event = yield* told(options)
  const filename = yield* ledgerFileAt(options, "write")
  const { allowNetworkFs, bodies, durability, leaseSeconds, onError, timeoutSeconds } = options
  yield* recordHookEvent(
    { filename, durability, allowNetworkFs, busyDeadline: timeoutSeconds * 1_000 },
    event,
    { bodies, ttl_seconds: leaseSeconds, on_error: onError }
  )
})

const reasonOf = (error: NotRecorded | { readonly message: string }): string =>
  error instanceof NotRecorded ? error.reason : error.message

/** Records what the host tells; fails where the agent must not go on without a record. */
export const runHook = (
  options: HookOptions
): Effect.Effect<void, CallNotRecorded | StopNotRecorded, Host> => {
  const { hook, onError, timeoutSeconds } = options
  return record(options).pipe(
    Effect.timeoutOrElse({
      duration: timeoutSeconds * 1_000,
      orElse: () =>
        Effect.fail(new NotRecorded(`it took longer than ${timeoutSeconds} seconds; --timeout gives it more`))
    }),
    Effect.catchDefect((defect) =>
      Effect.fail(new NotRecorded(`something went wrong inside cortex (${String(defect)}): report it`))
    ),
    Effect.catch((error) => {
      const reason = reasonOf(error)
      if (onError === "block") {
        return Effect.fail(
          hook === "stop" ? new StopNotRecorded({ reason }) : new CallNotRecorded({ reason })
        )
      }
      const what = hook === "stop" ? "this stop" : "this call"
      return Host.use((host) =>
        Effect.promise(() =>
          host.write("stderr", `warning: ${what} was not recorded: ${printable(reason)}\n`)
        )
      )
    })
  )
}
