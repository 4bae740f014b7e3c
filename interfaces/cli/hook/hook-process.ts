// The process of a hook whose command line is plainly understood: it runs once for each call of an agent, so that it loads no
// command but this. Everything else about it is as for every command.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { DONE, exitCodes, stoppedExitCode } from "../../shared/exit-codes.ts"
import { Host, type HostShape } from "../../shared/host.ts"
import { printable } from "../../shared/terminal-text.ts"
import { quickHookOptions } from "./hook-options.ts"
import { runHook } from "./run-hook.ts"

/** Runs the hook that the arguments name; undefined where the parser of all commands must read them. */
export const quickHook = async (host: HostShape): Promise<number | undefined> => {
  const options = quickHookOptions(host.args)
  if (options === undefined) return undefined
  const exit = await Effect.runPromiseExit(
    runHook(options).pipe(
      Effect.catch((error) =>
        Effect.as(
          Effect.promise(() => host.write("stderr", `error: ${printable(error.message)}\n`)),
          exitCodes[error._tag]
        )
      ),
      Effect.provideService(Host, host)
    ),
    { signal: host.stop }
  )
  // Only a stop leaves nothing to say.
  return Exit.isSuccess(exit) ? (exit.value ?? DONE) : stoppedExitCode(host.stop.reason)
}
