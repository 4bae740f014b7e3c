// A cassette that a child process serves, so that a file that hangs or breaks SQLite harms nobody else. A child that is
// late is killed, and its cassette is left alone for a while that grows with every failure in a row; a child that has
// nothing to do is stopped. Deadlines are real time: a hanging file does not follow a test's clock.
import { type ChildProcess, fork } from "node:child_process"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type { AskIndex, Cassette } from "../../application/network/cassette.ts"
import { CassetteOffline } from "../../domain/network/errors.ts"
import type { IndexAnswers, IndexRequest } from "../../domain/network/index-requests.ts"
import { DEFAULT_DEADLINE_MILLIS } from "../../domain/network/limits.ts"
import type { CassetteFault } from "./cassette-file.ts"
import type { ChildAnswer, ChildRequest } from "./child-messages.ts"
import { GrowingPause } from "./growing-pause.ts"
import { indexedCassette } from "./indexed-cassette.ts"
import type { CassetteAddress } from "./local-cassette.ts"

export interface ChildCassetteOptions extends CassetteAddress {
  /** How long one request may take (milliseconds). */
  readonly deadlineMillis?: number | undefined
  /** How long a child without requests is kept (milliseconds). */
  readonly idleMillis?: number | undefined
  /** The first pause after a failure; each further one is twice as long (milliseconds). */
  readonly pauseMillis?: number | undefined
  /** The child's program, replaced in tests. */
  readonly program?: string | undefined
}

const DEFAULT_IDLE_MILLIS = 30_000

/** The same place from the sources and from a bundle two levels below dist/. */
const childProgram = (): string => {
  const extension = extname(fileURLToPath(import.meta.url))
  return fileURLToPath(new URL(`../../infrastructure/network/cassette-child${extension}`, import.meta.url))
}

type Settle = (answer: { readonly value: unknown } | CassetteFault) => void

class Child {
  private readonly options: ChildCassetteOptions
  private process: ChildProcess | undefined
  private readonly waiting = new Map<number, Settle>()
  private next = 0
  private readonly pause: GrowingPause
  private idle: NodeJS.Timeout | undefined

  constructor(options: ChildCassetteOptions) {
    this.options = options
    this.pause = new GrowingPause(options.pauseMillis)
  }

  /** Sends a request; `settle` is called once. Gives what takes the request back. */
  ask(request: IndexRequest, settle: Settle): () => void {
    const { failures, left } = this.pause
    if (left > 0) {
      const reason = `suspended for ${Math.ceil(left)} ms more after ${failures} failure(s)`
      settle({ status: "offline", reason })
      return () => {}
    }
    const child = (this.process ??= this.start())
    const number = this.next++
    const deadline = this.options.deadlineMillis ?? DEFAULT_DEADLINE_MILLIS
    const timer = setTimeout(() => {
      this.fail({ status: "timeout", reason: `no answer within ${deadline} ms` })
    }, deadline)
    this.waiting.set(number, (answer) => {
      clearTimeout(timer)
      this.waiting.delete(number)
      settle(answer)
    })
    clearTimeout(this.idle)
    child.send({ number, request } satisfies ChildRequest, (error) => {
      if (error !== null) this.waiting.get(number)?.({ status: "error", reason: error.message })
    })
    return () => {
      clearTimeout(timer)
      this.waiting.delete(number)
    }
  }

  stop(): void {
    clearTimeout(this.idle)
    const child = this.process
    this.process = undefined
    child?.removeAllListeners()
    // A child that is being killed may still report an error of its channel.
    child?.on("error", () => {})
    child?.kill("SIGKILL")
    this.settleAll({ status: "offline", reason: "the cassette was closed" })
  }

  private start(): ChildProcess {
    const { file, id, program = childProgram() } = this.options
    const child = fork(program, [file, id, `${process.pid}`], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // What a request leaves behind is collected early: there may be many children, and each is small.
      execArgv: ["--max-semi-space-size=1"]
    })
    child.on("message", (answer: ChildAnswer) => this.received(answer))
    child.on("error", (error) => this.fail({ status: "error", reason: error.message }))
    child.on("exit", (code, signal) => {
      this.fail({ status: "error", reason: `its process ended with ${signal ?? code}` })
    })
    // Only a request that waits keeps this process alive.
    child.unref()
    child.channel?.unref()
    return child
  }

  private received(answer: ChildAnswer): void {
    this.pause.succeeded()
    this.waiting.get(answer.number)?.("fault" in answer ? answer.fault : { value: answer.value })
    if (this.waiting.size > 0) return
    clearTimeout(this.idle)
    this.idle = setTimeout(() => this.stop(), this.options.idleMillis ?? DEFAULT_IDLE_MILLIS)
    this.idle.unref()
  }

  /** Kills the child and leaves the cassette alone for a while. */
  private fail(fault: CassetteFault): void {
    this.pause.failed()
    const waiting = [...this.waiting.values()]
    this.waiting.clear()
    this.stop()
    for (const settle of waiting) settle(fault)
  }

  private settleAll(fault: CassetteFault): void {
    for (const settle of this.waiting.values()) settle(fault)
  }
}

/** The cassette in a file, served by a child process that starts with the first request. */
export const childCassette = (options: ChildCassetteOptions): Cassette => {
  const child = new Child(options)
  const askIndex: AskIndex = <Op extends IndexRequest["op"]>(request: IndexRequest) =>
    Effect.callback<IndexAnswers[Op], CassetteOffline>((resume) => {
      const takeBack = child.ask(request, (answer) => {
        resume(
          "value" in answer
            ? Effect.succeed(answer.value as IndexAnswers[Op])
            : Effect.fail(new CassetteOffline({ cassette_id: options.id, ...answer }))
        )
      })
      return Effect.sync(takeBack)
    })
  return indexedCassette({
    id: options.id,
    shownPath: options.shownPath,
    embedder: options.embedder,
    agent: options.agent,
    inProcess: false,
    askIndex,
    close: Effect.sync(() => child.stop())
  })
}
