// The embedder `command`: a program that the configuration names, started once, which answers lines of JSON on its
// standard output: `{"id":1,"texts":[…]}` is answered by `{"id":1,"vectors":[[…]]}`. A program that is late, ends, answers
// nonsense or too much is killed, left alone for a while that grows with every failure in a row, and started again with
// the next texts. It is given no shell.
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type * as Scope from "effect/Scope"
import type { EmbedderShape } from "../../../application/network/embedder.ts"
import { readJson } from "../../../domain/canonical/strict-reader.ts"
import { type EmbedderIdentity, preparedText, unitVector } from "../../../domain/network/vectors.ts"
import { EmbedderFailed } from "../../../domain/network/errors.ts"
import { Backoff } from "../children/backoff.ts"

export interface CommandEmbedderOptions {
  /** The program and its arguments. */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly cwd: string
  readonly identity: EmbedderIdentity
  /** How long one batch may take, starting the program included (milliseconds). */
  readonly deadlineMillis?: number | undefined
  /** The first pause after a failure; each further one is twice as long (milliseconds). */
  readonly pauseMillis?: number | undefined
}

/** A model may have to be loaded first. */
const DEFAULT_DEADLINE_MILLIS = 120_000

/** How long an answer may be: so many bytes for each number, and for what stands around them. */
const MAX_NUMBER_BYTES = 40
const MAX_FRAME_BYTES = 1_024

const LINE_FEED = 10

/** How much of a line that is no answer is shown (UTF-16 units). */
const SHOWN_UNITS = 60

const EmbeddingLine = Schema.Struct({ id: Schema.Int, vectors: Schema.Array(Schema.Array(Schema.Number)) })
const decodeAnswer = Schema.decodeUnknownResult(EmbeddingLine)

const answerOf = (line: string): typeof EmbeddingLine.Type | undefined => {
  const json = readJson(line, "jcs/1")
  const decoded = Result.isSuccess(json) ? decodeAnswer(json.success) : undefined
  return decoded !== undefined && Result.isSuccess(decoded) ? decoded.success : undefined
}

type Program = ChildProcessByStdio<Socket, Socket, null>

/** Takes the vectors, or why there are none. */
type Settle = (answer: Result.Result<ReadonlyArray<Float32Array>, string>) => void

interface Waiting {
  readonly id: number
  /** How many texts. */
  readonly count: number
  /** How long the answer may be (bytes). */
  readonly room: number
  readonly settle: Settle
}

class EmbeddingProgram {
  private readonly options: CommandEmbedderOptions
  private program: Program | undefined
  private waiting: Waiting | undefined
  private next = 1
  private readonly pause: Backoff
  private parts: Array<Buffer> = []
  private size = 0

  constructor(options: CommandEmbedderOptions) {
    this.options = options
    this.pause = new Backoff(options.pauseMillis)
  }

  /** Sends one batch; the caller sends the next only after this one is settled. */
  send(texts: ReadonlyArray<string>, settle: Settle): void {
    const { reason } = this.pause
    if (reason !== undefined) return settle(Result.fail(reason))
    const program = (this.program ??= this.start())
    const id = this.next++
    const deadline = this.options.deadlineMillis ?? DEFAULT_DEADLINE_MILLIS
    const timer = setTimeout(() => this.fail(`no answer within ${deadline} ms`), deadline)
    this.waiting = {
      id,
      count: texts.length,
      room: MAX_FRAME_BYTES + texts.length * this.options.identity.dimensions * MAX_NUMBER_BYTES,
      settle: (answer) => {
        clearTimeout(timer)
        this.waiting = undefined
        settle(answer)
      }
    }
    program.stdin.write(`${JSON.stringify({ id, texts })}\n`)
  }

  /** Ends the program; a batch that waits is told so. */
  stop(): void {
    this.kill()
    this.waiting?.settle(Result.fail("it was closed"))
  }

  private kill(): void {
    const { program } = this
    this.program = undefined
    this.parts = []
    this.size = 0
    program?.removeAllListeners()
    program?.stdout.removeAllListeners()
    program?.on("error", () => {})
    program?.kill("SIGKILL")
  }

  private start(): Program {
    const [file, ...args] = this.options.command
    // Its pipes are sockets, which Node's types do not say.
    const program = spawn(file, args, {
      cwd: this.options.cwd,
      stdio: ["pipe", "pipe", "inherit"]
    }) as ChildProcess as Program
    // Only a batch that waits keeps this process alive, by its timer; the program ends with its standard input.
    for (const handle of [program, program.stdin, program.stdout]) handle.unref()
    program.on("error", (error) => this.fail(error.message))
    program.on("exit", (code, signal) => {
      // A program that ends between two questions has done nothing wrong; the next texts start it again.
      if (this.waiting === undefined) this.kill()
      else if (program.killed && signal === "SIGKILL") this.fail("the program closed its standard output")
      else this.fail(`the program ended with ${signal ?? code}`)
    })
    // A program that can answer no more is killed, and its end says which came first.
    program.stdout.on("end", () => program.kill("SIGKILL"))
    // A program that is gone cannot read any more: its end says why.
    program.stdin.on("error", () => {})
    program.stdout.on("data", (chunk: Buffer) => this.read(chunk))
    return program
  }

  /** Takes lines out of what has come so far; never more than one answer's room is kept. */
  private read(chunk: Buffer): void {
    let from = 0
    while (this.program !== undefined) {
      const end = chunk.indexOf(LINE_FEED, from)
      const part = chunk.subarray(from, end === -1 ? undefined : end)
      this.parts.push(part)
      this.size += part.byteLength
      const room = this.waiting?.room ?? MAX_FRAME_BYTES
      if (this.size > room) return this.fail(`its answer is longer than ${room} bytes`)
      if (end === -1) return
      const line = Buffer.concat(this.parts).toString("utf8")
      this.parts = []
      this.size = 0
      from = end + 1
      this.received(line)
    }
  }

  private received(line: string): void {
    const answer = answerOf(line)
    const { waiting } = this
    if (answer === undefined || answer.id !== waiting?.id) {
      const begins = JSON.stringify(line.slice(0, SHOWN_UNITS).toWellFormed())
      return this.fail(
        `its line ${begins} is no {"id":…,"vectors":[[…]]} with the id that was asked and finite numbers: other output, such as progress, belongs on standard error`
      )
    }
    const { dimensions } = this.options.identity
    const vectors = answer.vectors.flatMap((values) => unitVector(values, dimensions) ?? [])
    if (answer.vectors.length !== waiting.count || vectors.length !== waiting.count) {
      return this.fail(`it must answer ${waiting.count} vectors of ${dimensions} finite numbers, none all 0`)
    }
    this.pause.succeeded()
    waiting.settle(Result.succeed(vectors))
  }

  /** Kills the program and leaves it alone for a while. */
  private fail(reason: string): void {
    this.pause.failed(reason)
    this.kill()
    this.waiting?.settle(Result.fail(reason))
  }
}

/** The embedder of a program; the scope's end kills it. */
export const commandEmbedder = Effect.fnUntraced(function* (
  options: CommandEmbedderOptions
): Effect.fn.Return<EmbedderShape, never, Scope.Scope> {
  const { model } = options.identity
  const program = yield* Effect.acquireRelease(
    Effect.sync(() => new EmbeddingProgram(options)),
    (running) => Effect.sync(() => running.stop())
  )
  const oneAtATime = yield* Semaphore.make(1)
  const ask = (texts: ReadonlyArray<string>) =>
    Effect.callback<ReadonlyArray<Float32Array>, EmbedderFailed>((resume) => {
      program.send(texts.map(preparedText), (answer) => {
        resume(Effect.fromResult(Result.mapError(answer, (reason) => new EmbedderFailed({ model, reason }))))
      })
    })
  return {
    identity: options.identity,
    embed: (texts) =>
      texts.length === 0 ? Effect.succeed([]) : oneAtATime.withPermit(Effect.uninterruptible(ask(texts)))
  }
})
