// Progress of long work: one line on a terminal's standard error that is written over, and nothing anywhere else. Work
// that is done within a second says nothing.
import * as Effect from "effect/Effect"
import { Progress } from "../../application/foundation/progress.ts"
import { Host } from "../shared/host.ts"
import { Format } from "../shared/options.ts"
import { printable } from "../shared/terminal-text.ts"

const ERASE_LINE = "\r\u001b[K"

/** How long work is silent. */
const SILENT_MILLIS = 1_000

/**
 * A line of progress for work that begins now: from its second second on `report` writes over it, `clear` takes it away. A
 * failed write is no failure of the work, and none is waited for: some work lets nothing else run until it is done.
 */
const lineOf = Effect.gen(function* () {
  const host = yield* Host
  const isShown = host.isTerminal("stderr") && (yield* Format) !== "json"
  const began = host.elapsedMillis()
  let written = false
  const write = (text: string) => {
    host.write("stderr", `${ERASE_LINE}${text}`).catch(() => {})
  }
  return {
    report: (text: string) => {
      if (!isShown || host.elapsedMillis() - began < SILENT_MILLIS) return
      written = true
      write(printable(text))
    },
    clear: Effect.sync(() => {
      if (written) write("")
      written = false
    })
  }
})

/** As `lineOf`, for work that says itself what is shown. */
export const progressLine = Effect.map(lineOf, ({ clear, report }) => ({
  show: (text: string): Effect.Effect<void> => Effect.sync(() => report(text)),
  clear
}))

/** Shows what long work reports of itself to people at a terminal, behind its name if it has one here. */
export const withProgress =
  (name?: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { clear, report } = yield* lineOf
      const named = (doing: string) => report(name === undefined ? doing : `${name}: ${doing}`)
      return yield* work.pipe(Effect.provideService(Progress, named), Effect.ensuring(clear))
    })
