// Standard input and output for a protocol of one JSON message per line. Each line is read strictly by our own reader
// and handed on alone, so that a malformed one is answered with a parse error and never takes the valid messages that
// came in the same chunk with it. What is handed on is spelled anew when it holds escapes, since the server's own
// JSON.parse can misread an escaped key.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { readJsonBytes } from "../../domain/canonical/strict-reader.ts"
import type { HostShape } from "../cli/host.ts"

/** Longest message: a payload at its limit with every character escaped, and room around it (bytes). */
export const MAX_LINE_BYTES = 32 * 1_048_576

const LF = 0x0a
const BACKSLASH = 0x5c
const PARSE_ERROR = -32_700

/** The lines of a stream of bytes without their ends; one that is too long comes as undefined, the rest of it is dropped. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  let parts: Array<Uint8Array> = []
  let size = 0
  const take = (part: Uint8Array): void => {
    size += part.length
    if (size > MAX_LINE_BYTES) parts = []
    else parts.push(part)
  }
  const line = (): Uint8Array | undefined => {
    const whole = size > MAX_LINE_BYTES ? undefined : Buffer.concat(parts)
    parts = []
    size = 0
    return whole
  }
  for await (const chunk of chunks) {
    let begin = 0
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, begin)) {
      take(chunk.subarray(begin, end))
      begin = end + 1
      yield line()
    }
    take(chunk.subarray(begin))
  }
  if (size > 0) yield line()
}

const isBlank = (line: Uint8Array): boolean =>
  line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

/** The message of a line in a form that any JSON reader reads alike, or why there is none. */
const messageOf = (line: Uint8Array | undefined): Result.Result<Uint8Array, string> => {
  if (line === undefined) return Result.fail(`the message is over ${MAX_LINE_BYTES} bytes`)
  const value = readJsonBytes(line, "jcs/1")
  if (Result.isFailure(value)) return Result.fail(value.failure.message)
  return Result.succeed(line.includes(BACKSLASH) ? Buffer.from(JSON.stringify(value.success)) : line)
}

const parseError = (reason: string): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: PARSE_ERROR, message: `Parse error: ${reason}` } })}\n`

/** Valid messages, one a chunk, with their line ends; the others are answered at once. */
async function* validLines(host: HostShape): AsyncGenerator<Uint8Array> {
  for await (const line of linesOf(host.stdin())) {
    if (line !== undefined && isBlank(line)) continue
    const message = messageOf(line)
    if (Result.isSuccess(message)) yield Buffer.concat([message.success, Buffer.of(LF)])
    else await host.write("stdout", parseError(message.failure))
  }
}

const textOf = (data: string | Uint8Array): string =>
  typeof data === "string" ? data : Buffer.from(data).toString("utf8")

/** A host's standard streams; a reader that has gone ends the server through the end of its input, not here. */
export const lineStdio = (host: HostShape): Stdio.Stdio => {
  const sink = (stream: "stdout" | "stderr") =>
    Sink.forEach((data: string | Uint8Array) =>
      Effect.ignore(Effect.tryPromise(() => host.write(stream, textOf(data))))
    )
  return Stdio.make({
    args: Effect.succeed(host.args),
    stdin: Stream.fromAsyncIterable(validLines(host), (error) => error).pipe(Stream.orDie),
    stdout: () => sink("stdout"),
    stderr: () => sink("stderr")
  })
}
