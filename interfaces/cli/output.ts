// Where results and notes go: results to standard output, in the format that was asked for, everything else to
// standard error. A command hands over data and lines; it never writes by itself.
import * as Effect from "effect/Effect"
import { withPlace } from "./advice.ts"
import { successEnvelope } from "./envelope.ts"
import { OutputClosed, OutputFailed } from "./failures.ts"
import { Host } from "./host.ts"
import { Format } from "./options.ts"
import { laidOut, type Line, printable } from "./printable.ts"

export interface Answer {
  /** What `--format json` shows under `data`. */
  readonly data: object
  /** What people read, without line ends. */
  readonly lines: () => ReadonlyArray<Line>
}

const outputFailure = (error: unknown): OutputClosed | OutputFailed => {
  const { code = "UNKNOWN", message } = error as NodeJS.ErrnoException
  return code === "EPIPE" || code === "ERR_STREAM_DESTROYED"
    ? new OutputClosed()
    : new OutputFailed({ code, reason: message })
}

/** Writes to standard output as it is. */
export const writeResult = (text: string): Effect.Effect<void, OutputClosed | OutputFailed, Host> =>
  text === ""
    ? Effect.void
    : Host.use((host) => Effect.tryPromise({ try: () => host.write("stdout", text), catch: outputFailure }))

/** Writes lines to standard error. A failure has no place left where it could be told. */
export const writeNotes = (lines: ReadonlyArray<string>): Effect.Effect<void, never, Host> =>
  lines.length === 0
    ? Effect.void
    : Host.use((host) =>
        Effect.ignore(Effect.tryPromise(() => host.write("stderr", `${lines.join("\n")}\n`)))
      )

/**
 * Writes a text to standard output exactly as it is. Where its end shares a terminal with the notes that come after it,
 * they begin on a line of their own.
 */
export const writeVerbatim = Effect.fnUntraced(function* (text: string) {
  yield* writeResult(text)
  const { isTerminal } = yield* Host
  const isGlued = text !== "" && !text.endsWith("\n")
  if (isGlued && isTerminal("stdout") && isTerminal("stderr")) yield* writeNotes([""])
})

/** Writes warnings to standard error, one line each. */
export const writeWarnings = (warnings: ReadonlyArray<string>): Effect.Effect<void, never, Host> =>
  Host.use((host) => writeNotes(warnings.map((warning) => `warning: ${printable(withPlace(host, warning))}`)))

/** Writes a command's result in the format that was asked for. */
export const answer = Effect.fnUntraced(function* (result: Answer) {
  const format = yield* Format
  const { columns } = yield* Host
  yield* writeResult(
    format === "json"
      ? `${successEnvelope(result.data)}\n`
      : laidOut(result.lines(), columns("stdout"))
          .map((line) => `${line}\n`)
          .join("")
  )
})
