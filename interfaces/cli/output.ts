// Where results and notes go: results to standard output, in the format that was asked for, everything else to
// standard error. A command hands over data and lines; it never writes by itself.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { withPlace } from "./advice.ts"
import { successEnvelope } from "../shared/envelope.ts"
import { OutputClosed, OutputFailed } from "../shared/failures.ts"
import { Host } from "../shared/host.ts"
import { Format } from "../shared/options.ts"
import { laidOut, type Line, printable, printableJson, table } from "../shared/terminal-text.ts"

export interface CommandAnswer {
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

/** Lines as they are written, for so many columns. */
export const linesText = (lines: ReadonlyArray<Line>, columns: number | undefined): string =>
  laidOut(lines, columns)
    .map((line) => `${line}\n`)
    .join("")

/** Writes a command's result in the format that was asked for. */
export const answer = Effect.fnUntraced(function* (result: CommandAnswer) {
  const format = yield* Format
  const { columns } = yield* Host
  yield* writeResult(
    format === "json" ? `${successEnvelope(result.data)}\n` : linesText(result.lines(), columns("stdout"))
  )
})

/** An answer that is written as it is read, so that it may be longer than memory. */
export interface StreamedAnswer<E, R> {
  /** As of `answer`; a member that is a stream is shown as the list of what it gives. */
  readonly data: { readonly [name: string]: unknown }
  readonly lines: Stream.Stream<Line, E, R>
}

type Write = (text: string) => Effect.Effect<void, OutputClosed | OutputFailed, Host>

const writeList = Effect.fnUntraced(function* <A, E, R>(list: Stream.Stream<A, E, R>, write: Write) {
  let before = "["
  yield* Stream.runForEachArray(list, (page) => {
    const entries = JSON.stringify(page).slice(1, -1)
    const text = entries === "" ? "" : `${before}${printableJson(entries)}`
    if (entries !== "") before = ","
    return write(text)
  })
  yield* write(before === "[" ? "[]" : "]")
})

/** The document that `answer` would write of the same data, piece by piece. */
const writeDocument = Effect.fnUntraced(function* <E, R>(data: StreamedAnswer<E, R>["data"], write: Write) {
  let before = '{"ok":true,"data":{'
  for (const [name, member] of Object.entries(data)) {
    yield* write(`${before}${JSON.stringify(name)}:`)
    if (Stream.isStream(member)) yield* writeList(member as Stream.Stream<unknown, E, R>, write)
    else yield* write(printableJson(JSON.stringify(member)))
    before = ","
  }
  yield* write("}}\n")
})

/** How much text is held back before it is written, in UTF-16 units. */
const HELD = 65_536

/** Writes in larger pieces, so that an answer that ends in an error at its beginning is that error alone. */
const heldBack = () => {
  let held = ""
  let written = false
  const flush = Effect.suspend(() => {
    const text = held
    held = ""
    written = true
    return writeResult(text)
  })
  return {
    write: (text: string) => {
      held += text
      return held.length < HELD ? Effect.void : flush
    },
    flush,
    endLine: Effect.suspend(() => (written ? Effect.ignore(writeResult("\n")) : Effect.void))
  }
}

/** How many rows a table of a streamed answer holds. */
const ROWS_PER_TABLE = 1_000

/** Rows as tables of a thousand each. */
export const tables = <E, R>(
  header: ReadonlyArray<string>,
  rows: Stream.Stream<ReadonlyArray<string>, E, R>
): Stream.Stream<Line, E, R> =>
  rows.pipe(
    Stream.grouped(ROWS_PER_TABLE),
    Stream.flatMap((page) => Stream.fromIterable(table(header, page)))
  )

/** Writes a command's result while it is read; after an error in between, the error's document is a line of its own. */
export const answerStreamed = Effect.fnUntraced(function* <E, R>({ data, lines }: StreamedAnswer<E, R>) {
  if ((yield* Format) === "json") {
    const { endLine, flush, write } = heldBack()
    yield* Effect.tapError(Effect.andThen(writeDocument<E, R>(data, write), flush), () => endLine)
    return
  }
  const { columns } = yield* Host
  yield* Stream.runForEachArray(lines, (page) => writeResult(linesText(page, columns("stdout"))))
})
