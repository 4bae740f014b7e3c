// Progress of long work: one line on a terminal's standard error that is written over, and nothing anywhere else.
import * as Effect from "effect/Effect"
import { Progress } from "../../application/ledger/progress.ts"
import { Host } from "./host.ts"
import { Format } from "./options.ts"
import { printable } from "./printable.ts"

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

/** Shows what long work reports of itself behind its name, to people at a terminal. */
export const withProgress =
  (name: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const host = yield* Host
      if (!host.isTerminal("stderr") || (yield* Format) === "json") return yield* work
      const { clear } = yield* progressLine
      // Written at once: some work lets nothing else run until it is done.
      const report = (doing: string) => {
        host.write("stderr", `${ERASE_LINE}${name}: ${printable(doing)}`).catch(() => {})
      }
      return yield* work.pipe(Effect.provideService(Progress, report), Effect.ensuring(clear))
    })

/** Reports what is being done before it is done. */
export const reported = <A, E, R>(doing: string, work: Effect.Effect<A, E, R>) =>
  Progress.use((report) => {
    report(doing)
    return work
  })
