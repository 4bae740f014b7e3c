// A cassette that a child process serves, so that a file that hangs or breaks SQLite harms that process alone. A child that is
// late is killed, and its cassette is left alone for a while that grows with every failure in a row; a child that has
// nothing to do is stopped. Deadlines are real time: a hanging file does not follow a test's clock.
import { constants } from "node:os"
import * as Effect from "effect/Effect"
import type { AskIndex, FileIndex } from "../../../application/network/cassette.ts"
import { isJsonObject, type JsonValue } from "../../../domain/canonical/json.ts"
import { messageValue } from "../../../domain/canonical/written-json.ts"
import { CassetteOffline } from "../../../domain/network/errors.ts"
import type { IndexAnswers, IndexRequest } from "../../../domain/network/index-requests.ts"
import { DEFAULT_DEADLINE_MILLIS } from "../../../domain/network/limits.ts"
import { programBeside } from "../../files/program-beside.ts"
import type { CassetteFault } from "../cassette-file.ts"
import type { ChildAnswer, ChildRequest } from "./child-messages.ts"
import { Backoff } from "./backoff.ts"
import { indexedCassette } from "../index/indexed-cassette.ts"
import { type BoundProcess, startBound } from "./parent-bound-process.ts"
import { LineReader } from "./line-reader.ts"
import type { CassetteAddress } from "../index/local-cassette.ts"

export interface ChildCassetteOptions extends CassetteAddress {
  /** How long one request may take (milliseconds). */
  readonly deadlineMillis?: number | undefined
  /** How long a child without requests is kept (milliseconds). */
  readonly idleMillis?: number | undefined
  /** The first pause after a failure; each further one is twice as long (milliseconds). */
  readonly pauseMillis?: number | undefined
  /** The child's program, where it does not stand beside this module. */
  readonly program?: string | undefined
}

const DEFAULT_IDLE_MILLIS = 30_000

const NO_PROGRAM: CassetteFault = {
  status: "refused",
  reason:
    "the program of its process is not beside this one: bundle cortex-cassette/cassette-child and name it " +
    "with the option childProgram, or set isolation: inline in the configuration"
}

/** What a request leaves behind is collected early and by the one thread there is: there may be many children. */
const CHILD_FLAGS = ["--max-semi-space-size=1", "--single-threaded"]

/** How a shell tells the end of what it ran: 128 and more is a signal. */
const endOf = (code: number | null, signal: string | null): string => {
  const number = (code ?? 0) - 128
  const named = Object.entries(constants.signals).find(([, each]) => each === number)
  return signal ?? named?.[0] ?? String(code)
}

/** Every way not to answer, each of which a child may tell. */
const FAULT_STATUSES: Readonly<Record<CassetteFault["status"], true>> = {
  offline: true,
  timeout: true,
  error: true,
  refused: true
}

const isFault = (value: JsonValue | undefined): boolean =>
  isJsonObject(value) &&
  typeof value["status"] === "string" &&
  Object.hasOwn(FAULT_STATUSES, value["status"]) &&
  typeof value["reason"] === "string"

/** The answer in a line from a child, which may say anything when its program or its memory is broken. */
const answerIn = (line: string): ChildAnswer | undefined => {
  const answer = messageValue(line)
  if (!isJsonObject(answer)) return undefined
  const isWhole = Object.hasOwn(answer, "fault") ? isFault(answer["fault"]) : Object.hasOwn(answer, "value")
  return isWhole ? (answer as unknown as ChildAnswer) : undefined
}

type Settle = (answer: { readonly value: unknown } | CassetteFault) => void

class Child {
  private readonly options: ChildCassetteOptions
  private process: BoundProcess | undefined
  private readonly waiting = new Map<number, Settle>()
  private next = 0
  private readonly pause: Backoff
  private idle: NodeJS.Timeout | undefined

  constructor(options: ChildCassetteOptions) {
    this.options = options
    this.pause = new Backoff(options.pauseMillis)
  }

  /** Sends a request; `settle` is called once. Gives what takes the request back. */
  ask(request: IndexRequest, settle: Settle): () => void {
    const { reason } = this.pause
    if (reason !== undefined) {
      settle({ status: "offline", reason })
      return () => {}
    }
    const program = this.options.program ?? programBeside("cassette-child", import.meta.url)
    if (program === undefined) {
      settle(NO_PROGRAM)
      return () => {}
    }
    const child = (this.process ??= this.start(program))
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
    child.channel?.write(`${JSON.stringify({ number, request } satisfies ChildRequest)}\n`)
    return () => {
      clearTimeout(timer)
      this.waiting.delete(number)
    }
  }

  stop(): void {
    clearTimeout(this.idle)
    const child = this.process
    this.process = undefined
    child?.shell.removeAllListeners()
    // A child that is being killed may still report an error.
    child?.shell.on("error", () => {})
    child?.cut()
    this.settleAll({ status: "offline", reason: "the cassette was closed" })
  }

  private start(program: string): BoundProcess {
    const { asked = {}, file, id } = this.options
    const child = startBound([...CHILD_FLAGS, program, file, id, JSON.stringify(asked)])
    const lines = new LineReader()
    child.shell.on("error", (error) => this.fail({ status: "error", reason: error.message }))
    child.shell.on("exit", (code, signal) => {
      this.fail({ status: "error", reason: `its process ended with ${endOf(code, signal)}` })
    })
    child.channel?.on("data", (bytes: Buffer) => {
      for (const line of lines.read(bytes)) if (this.process === child) this.received(line)
    })
    // The end of the channel is the end of the process: the shell tells which.
    child.channel?.on("error", () => {})
    child.channel?.on("close", child.cut)
    return child
  }

  private received(line: string): void {
    const answer = answerIn(line)
    if (answer === undefined) {
      this.fail({ status: "error", reason: "its process answered what is no answer to the question" })
      return
    }
    this.pause.succeeded()
    this.waiting.get(answer.number)?.("fault" in answer ? answer.fault : { value: answer.value })
    if (this.waiting.size > 0) return
    clearTimeout(this.idle)
    this.idle = setTimeout(() => this.stop(), this.options.idleMillis ?? DEFAULT_IDLE_MILLIS)
    this.idle.unref()
  }

  /** Kills the child and leaves the cassette alone for a while. */
  private fail(fault: CassetteFault): void {
    this.pause.failed(fault.reason)
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
export const childCassette = (options: ChildCassetteOptions): FileIndex => {
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
    busyDeadlineMillis: options.busyDeadlineMillis,
    inProcess: false,
    askIndex,
    close: Effect.sync(() => child.stop())
  })
}
