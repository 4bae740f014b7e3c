// Progress of long work: one line on a terminal's standard error that is written over, and nothing anywhere else.
import * as Effect from "effect/Effect"
import { Host } from "./host.ts"

const ERASE_LINE = "\r\u001b[K"

/** A line of progress: `show` writes over it, `clear` takes it away. A failed write is no failure of the work. */
export const progressLine = Host.use((host) =>
  Effect.sync(() => {
    const write = (text: string) => Effect.ignore(Effect.tryPromise(() => host.write("stderr", text)))
    const isTerminal = host.isTerminal("stderr")
    return {
      show: (text: string): Effect.Effect<void> => (isTerminal ? write(`${ERASE_LINE}${text}`) : Effect.void),
      clear: isTerminal ? write(ERASE_LINE) : Effect.void
    }
  })
)
