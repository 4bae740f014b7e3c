// The embedder `command`: a program that the configuration names, started once, which answers lines of JSON on its
// standard output: `{"id":1,"texts":[…]}` is answered by `{"id":1,"vectors":[[…]]}`. A program that is late, ends or answers
// nonsense is killed, and started again with the next texts. It is given no shell.
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type * as Scope from "effect/Scope"
import type { EmbedderShape } from "../../application/network/embedder.ts"
import { readJson } from "../../domain/canonical/strict-reader.ts"
import { type EmbedderIdentity, preparedText, unitVector } from "../../domain/network/vectors.ts"
import { EmbedderFailed } from "../../domain/network/errors.ts"

export interface CommandEmbedderOptions {
  /** The program and its arguments. */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly cwd: string
  readonly identity: EmbedderIdentity
  /** How long one batch may take, starting the program included (milliseconds). */
  readonly deadlineMillis?: number | undefined
}

/** A model may have to be loaded first. */
const DEFAULT_DEADLINE_MILLIS = 120_000

const Answer = Schema.Struct({ id: Schema.Int, vectors: Schema.Array(Schema.Array(Schema.Number)) })
const decodeAnswer = Schema.decodeUnknownResult(Answer)

const answerOf = (line: string): typeof Answer.Type | undefined => {
  const json = readJson(line, "jcs/1")
  const decoded = Result.isSuccess(json) ? decodeAnswer(json.success) : undefined
  return decoded !== undefined && Result.isSuccess(decoded) ? decoded.success : undefined
}

type Program = ChildProcessByStdio<Writable, Readable, null>

interface Waiting {
  readonly id: number
  readonly settle: (
    answer: { readonly vectors: ReadonlyArray<ReadonlyArray<number>> } | { readonly reason: string }
  ) => void
}

class EmbeddingProgram {
  private readonly options: CommandEmbedderOptions
  private program: Program | undefined
  private waiting: Waiting | undefined
  private next = 1

  constructor(options: CommandEmbedderOptions) {
    this.options = options
  }

  /** Sends one batch; the caller sends the next only after this one is settled. */
  send(texts: ReadonlyArray<string>, settle: Waiting["settle"]): void {
    const program = (this.program ??= this.start())
    const id = this.next++
    const deadline = this.options.deadlineMillis ?? DEFAULT_DEADLINE_MILLIS
    const timer = setTimeout(() => this.fail(`no answer within ${deadline} ms`), deadline)
    this.waiting = {
      id,
      settle: (answer) => {
        clearTimeout(timer)
        this.waiting = undefined
        settle(answer)
      }
    }
    program.stdin.write(`${JSON.stringify({ id, texts })}\n`)
  }

  stop(): void {
    const { program } = this
    this.program = undefined
    program?.removeAllListeners()
    program?.on("error", () => {})
    program?.kill("SIGKILL")
  }

  private start(): Program {
    const [file, ...args] = this.options.command
    const program = spawn(file, args, { cwd: this.options.cwd, stdio: ["pipe", "pipe", "inherit"] })
    program.on("error", (error) => this.fail(error.message))
    program.on("exit", (code, signal) => this.fail(`the program ended with ${signal ?? code}`))
    // A program that is gone cannot read any more: its end says why.
    program.stdin.on("error", () => {})
    createInterface({ input: program.stdout }).on("line", (line) => this.received(line))
    return program
  }

  private received(line: string): void {
    const answer = answerOf(line)
    if (answer === undefined || answer.id !== this.waiting?.id) this.fail("it answered something else")
    else this.waiting.settle(answer)
  }

  private fail(reason: string): void {
    this.stop()
    this.waiting?.settle({ reason })
  }
}

/** The embedder of a program; the scope's end kills it. */
export const commandEmbedder = Effect.fnUntraced(function* (
  options: CommandEmbedderOptions
): Effect.fn.Return<EmbedderShape, never, Scope.Scope> {
  const { dimensions, model } = options.identity
  const program = yield* Effect.acquireRelease(
    Effect.sync(() => new EmbeddingProgram(options)),
    (running) => Effect.sync(() => running.stop())
  )
  const oneAtATime = yield* Semaphore.make(1)
  const failed = (reason: string) => new EmbedderFailed({ model, reason })
  const vectorsOf = (found: ReadonlyArray<ReadonlyArray<number>>, count: number) => {
    const vectors = found.flatMap((values) => unitVector(values, dimensions) ?? [])
    return found.length === count && vectors.length === count
      ? Effect.succeed(vectors)
      : Effect.fail(failed(`it must answer ${count} vectors of ${dimensions} finite numbers`))
  }
  const ask = (texts: ReadonlyArray<string>) =>
    Effect.callback<ReadonlyArray<ReadonlyArray<number>>, EmbedderFailed>((resume) => {
      program.send(texts.map(preparedText), (answer) => {
        resume("vectors" in answer ? Effect.succeed(answer.vectors) : Effect.fail(failed(answer.reason)))
      })
    })
  return {
    identity: options.identity,
    embed: (texts) =>
      texts.length === 0
        ? Effect.succeed([])
        : oneAtATime.withPermit(
            Effect.uninterruptible(Effect.flatMap(ask(texts), (found) => vectorsOf(found, texts.length)))
          )
  }
})
