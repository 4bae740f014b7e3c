// Standard input and output for a protocol of one JSON message per line. Each line is read strictly by our own reader,
// judged, and handed on alone, so that a malformed one is answered at once, under the id that can be read in it, and never
// takes the valid messages that came in the same chunk with it. What is handed on is spelled again when it holds escapes or
// members of no standard, since the server's own reader can misread both.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import type { NotStrictJsonReason } from "../../../domain/canonical/not-strict-json.ts"
import { readJsonBytes } from "../../../domain/canonical/strict-reader.ts"
import type { HostShape } from "../../shared/host.ts"
import { Handshake } from "../handshake.ts"
import { IdsInUse } from "../ids-in-use.ts"
import { LineScan } from "./line-scan.ts"
import {
  idOf,
  INVALID_REQUEST,
  judgeMessage,
  type Judgement,
  PARSE_ERROR,
  type Refusal,
  refusalLine
} from "./message-judge.ts"
import { each, listsApart, type Passed, subscriptionsEnded } from "./message-order.ts"
import { writtenAnswers } from "./written-answers.ts"

/**
 * Longest message: a payload at its limit with every character escaped, and room around it (bytes). It is also the most
 * UTF-16 units that the server's own reader takes; more would end the server.
 */
export const MAX_LINE_BYTES = 16 * 1_048_576

const LF = 0x0a

/** A whole line without its end, or what can be told of one that is too long to be kept. */
type Line = { readonly bytes: Uint8Array } | { readonly scan: LineScan }

/** Gathers the pieces of a line; beyond the limit they are looked at and dropped. */
class Gathering {
  private parts: Array<Uint8Array> = []
  private size = 0
  private scan: LineScan | undefined

  take(part: Uint8Array): void {
    this.size += part.length
    this.parts.push(part)
    if (this.size <= MAX_LINE_BYTES) return
    this.scan ??= new LineScan()
    for (const each of this.parts) this.scan.push(each)
    this.parts = []
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  end(): Line {
    const line = this.scan === undefined ? { bytes: Buffer.concat(this.parts) } : { scan: this.scan }
    this.parts = []
    this.size = 0
    this.scan = undefined
    return line
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const gathering = new Gathering()
  for await (const chunk of chunks) {
    let begin = 0
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, begin)) {
      gathering.take(chunk.subarray(begin, end))
      begin = end + 1
      yield gathering.end()
    }
    gathering.take(chunk.subarray(begin))
  }
  if (!gathering.isEmpty) yield gathering.end()
}

const isBlank = (line: Uint8Array): boolean =>
  line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

/** Refusals of texts that are JSON by its grammar: what such a line is can be told without doubt. */
const GRAMMATICAL: ReadonlySet<NotStrictJsonReason> = new Set([
  "duplicate_key",
  "inexact_number",
  "lone_surrogate",
  "too_deep"
])

const tooLong = `the message is over ${MAX_LINE_BYTES} bytes`

/** A judgement that holds for the message as it is handed on, which may be longer than it came: 1e20 has 21 digits. */
const withinLimit = (judgement: Judgement): Judgement => {
  const { pass = [], refusals } = judgement
  if (JSON.stringify(pass).length <= MAX_LINE_BYTES) return judgement
  const requests = each(pass).filter((message) => Object.hasOwn(message, "id"))
  const refused = requests.map((request): Refusal => ({
    id: idOf(request),
    code: INVALID_REQUEST,
    reason: `${tooLong}, its numbers spelled out`
  }))
  return { pass: undefined, refusals: [...refusals, ...refused] }
}

const parseError = (id: string, reason: string): string => refusalLine({ id, code: PARSE_ERROR, reason })

/** What is answered to a line at once, and what is handed on. */
const judged = (
  line: Line,
  handshake: Handshake,
  ids: IdsInUse
): { readonly answers: string; readonly pass?: Judgement["pass"] } => {
  if ("scan" in line) {
    return { answers: line.scan.isUnanswered ? "" : parseError(line.scan.id, tooLong) }
  }
  if (isBlank(line.bytes)) return { answers: "" }
  const message = readJsonBytes(line.bytes, "jcs/1")
  if (Result.isFailure(message)) {
    const scan = new LineScan()
    scan.push(line.bytes)
    const isUnanswered = GRAMMATICAL.has(message.failure.reason) && scan.isUnanswered
    return { answers: isUnanswered ? "" : parseError(scan.id, message.failure.message) }
  }
  const { pass, refusals } = withinLimit(judgeMessage(message.success, handshake.agreement, ids))
  return { answers: refusals.map(refusalLine).join(""), pass }
}

/** Messages for the protocol; the others are answered at once. */
async function* validMessages(host: HostShape, handshake: Handshake, ids: IdsInUse): AsyncGenerator<Passed> {
  for await (const line of linesOf(host.stdin())) {
    await handshake.settled
    const { answers, pass } = judged(line, handshake, ids)
    if (answers !== "") await host.write("stdout", answers)
    if (pass === undefined) continue
    handshake.began(pass)
    ids.began(pass)
    yield pass
  }
}

/** Messages as lines, one a chunk. */
async function* asLines(messages: AsyncIterable<Passed>): AsyncGenerator<Uint8Array> {
  for await (const message of messages) yield Buffer.from(`${JSON.stringify(message)}\n`)
}

const textOf = (data: string | Uint8Array): string =>
  typeof data === "string" ? data : Buffer.from(data).toString("utf8")

/** What the server knows of its list of tools. */
export interface ToolList {
  /** Run before a list is asked for. */
  readonly beforeList: () => Promise<void>
  /** True while a list that is given next tells every change. */
  readonly isListTold: () => boolean
}

const LIST_CHANGED = '"method":"notifications/tools/list_changed"'
/** No longer line is a bare notice of a change. */
const MAX_NOTICE_UNITS = 200

const isListChange = (line: string): boolean => line.length <= MAX_NOTICE_UNITS && line.includes(LIST_CHANGED)

/** A host's standard streams. A reader that has gone ends the server through the end of its input, not here. */
export const lineStdio = (host: HostShape, { beforeList, isListTold }: ToolList): Stdio.Stdio => {
  const handshake = new Handshake()
  const ids = new IdsInUse()
  const sink = (stream: "stdout" | "stderr") =>
    Sink.forEach((data: string | Uint8Array) => {
      const written = textOf(data)
      const text =
        stream === "stdout" && isListTold()
          ? written
              .split("\n")
              .filter((line) => !isListChange(line))
              .join("\n")
          : written
      if (text === "") return Effect.void
      if (stream === "stdout") {
        const answers = writtenAnswers(text)
        ids.answered(answers)
        handshake.answered(answers)
      }
      return Effect.ignore(Effect.tryPromise(() => host.write(stream, text)))
    })
  return Stdio.make({
    args: Effect.succeed(host.args),
    stdin: Stream.fromAsyncIterable(
      asLines(subscriptionsEnded(listsApart(validMessages(host, handshake, ids), beforeList))),
      (error) => error
    ).pipe(Stream.orDie),
    stdout: () => sink("stdout"),
    stderr: () => sink("stderr")
  })
}
