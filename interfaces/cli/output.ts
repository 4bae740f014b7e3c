// Where results and notes go: results to standard output, in the format that was asked for, everything else to
// standard error. A command hands over data and lines; it never writes by itself.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { withPlace } from "./advice.ts"
import { successEnvelope } from "./envelope.ts"
import { OutputClosed, OutputFailed } from "./failures.ts"
import { Host } from "./host.ts"
import { Format } from "./options.ts"
import { laidOut, type Line, printable, printableJson } from "./printable.ts"

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

/** An answer that is written as it is read, so that it may be longer than memory. */
export interface StreamedAnswer<E, R> {
  /** As of `answer`; a member that is a stream is shown as the list of what it gives. */
  readonly data: { readonly [name: string]: unknown }
  readonly lines: Stream.Stream<Line, E, R>
}

const writeList = Effect.fnUntraced(function* <A, E, R>(list: Stream.Stream<A, E, R>) {
  let before = "["
  yield* Stream.runForEachArray(list, (page) => {
    const entries = JSON.stringify(page).slice(1, -1)
    const text = entries === "" ? "" : `${before}${printableJson(entries)}`
    if (entries !== "") before = ","
    return writeResult(text)
  })
  yield* writeResult(before === "[" ? "[]" : "]")
})

/** The document that `answer` would write of the same data, piece by piece. */
const writeDocument = Effect.fnUntraced(function* <E, R>(data: StreamedAnswer<E, R>["data"]) {
  let before = '{"ok":true,"data":{'
  for (const [name, member] of Object.entries(data)) {
    yield* writeResult(`${before}${JSON.stringify(name)}:`)
    if (Stream.isStream(member)) yield* writeList(member as Stream.Stream<unknown, E, R>)
    else yield* writeResult(printableJson(JSON.stringify(member)))
    before = ","
  }
  yield* writeResult("}}\n")
})

/** Writes a command's result while it is read; after an error in between, the error's document is a line of its own. */
export const answerStreamed = Effect.fnUntraced(function* <E, R>({ data, lines }: StreamedAnswer<E, R>) {
  if ((yield* Format) === "json") {
    yield* Effect.tapError(writeDocument<E, R>(data), () => Effect.ignore(writeResult("\n")))
    return
  }
  const { columns } = yield* Host
  yield* Stream.runForEachArray(lines, (page) =>
    writeResult(
      laidOut(page, columns("stdout"))
        .map((line) => `${line}\n`)
        .join("")
    )
  )
})
