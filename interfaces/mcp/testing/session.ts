// A client of lines for tests: it runs `cortex mcp` inside the test's own process, writes to its input what a test
// wants, well-formed or not, and finds answers by their ids. Official clients are tested elsewhere.
import { main } from "../../cli/main.ts"
import { testHost } from "../../cli/testing/test-host.ts"

/** One answer: a result or an error of the protocol; or a notification, which has a method and no id. */
export interface Answer {
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly id: number | string | null
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

/** A tool's envelope with the flag beside it. */
export interface ToolAnswer {
  readonly isError: boolean
  readonly envelope: {
    readonly ok: boolean
    readonly data?: Readonly<Record<string, unknown>>
    readonly error?: {
      readonly code: string
      readonly message: string
      readonly details: Readonly<Record<string, unknown>>
    }
  }
}

const later = <A>() => {
  let resolve: (value: A) => void = () => {}
  const promise = new Promise<A>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** What speaks in lines to a server, however that is run. */
export abstract class LineClient {
  readonly answers: Array<Answer> = []
  /** Every line of the server as it was written. */
  readonly lines: Array<string> = []
  readonly stderr: Array<string> = []
  /** Its exit code, once it has ended. */
  abstract readonly ended: Promise<number>
  private waiting: Array<() => void> = []
  private nextId = 1

  /** Writes to the server; undefined ends its input. */
  protected abstract push(chunk: Uint8Array | undefined): void

  protected receive(line: string): void {
    this.lines.push(line)
    const message = JSON.parse(line) as Answer | ReadonlyArray<Answer>
    this.answers.push(...[message].flat())
    for (const wake of this.waiting) wake()
    this.waiting = []
  }

  /** Writes bytes as they are. */
  raw(text: string | Uint8Array): void {
    this.push(Buffer.from(text))
  }

  /** Writes one message as one line. */
  send(message: object): void {
    this.raw(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  }

  /** The first answer that fits; waits for it. */
  async answer(fits: (answer: Answer) => boolean): Promise<Answer> {
    while (true) {
      const found = this.answers.find(fits)
      if (found !== undefined) return found
      const { promise, resolve } = later<void>()
      this.waiting.push(resolve)
      const ended = await Promise.race([promise, this.ended])
      if (typeof ended === "number") {
        throw new Error(`the server ended with ${ended} before it answered: ${this.stderr.join("")}`)
      }
    }
  }

  /** Asks and waits for the answer. */
  async request(method: string, params: object = {}): Promise<Answer> {
    const id = this.nextId++
    this.send({ id, method, params })
    return this.answer((answer) => answer.id === id)
  }

  /** The handshake of the versions that have one; gives the server's answer. */
  async initialize(protocolVersion = "2025-06-18"): Promise<Answer> {
    const answer = await this.request("initialize", {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: "test", version: "1.0.0" }
    })
    this.send({ method: "notifications/initialized" })
    return answer
  }

  /** Calls a tool; structured content, where there is some, must say the same as the text. */
  async call(name: string, input: unknown = {}): Promise<ToolAnswer> {
    const { error, result } = await this.request("tools/call", { name, arguments: input })
    if (result === undefined)
      throw new Error(`${name} answered with an error of the protocol: ${error?.message}`)
    const { content, isError, structuredContent } = result as {
      readonly content: ReadonlyArray<{ readonly type: string; readonly text: string }>
      readonly isError: boolean
      readonly structuredContent?: ToolAnswer["envelope"]
    }
    const [{ text = "" } = {}] = content
    if (
      content.length !== 1 ||
      (structuredContent !== undefined && text !== JSON.stringify(structuredContent))
    ) {
      throw new Error(`${name} says one thing as text and another as structured content`)
    }
    return { isError, envelope: JSON.parse(text) as ToolAnswer["envelope"] }
  }

  /** Calls a tool that must succeed; gives its data. */
  async data(name: string, input: unknown = {}): Promise<Readonly<Record<string, unknown>>> {
    const { envelope, isError } = await this.call(name, input)
    if (isError || !envelope.ok || envelope.data === undefined) {
      throw new Error(`${name} failed: ${JSON.stringify(envelope)}`)
    }
    return envelope.data
  }

  /** Calls a tool that must fail; gives the error's code. */
  async code(name: string, input: unknown = {}): Promise<string> {
    const { envelope, isError } = await this.call(name, input)
    if (!isError || envelope.ok || envelope.error === undefined) {
      throw new Error(`${name} should have failed: ${JSON.stringify(envelope)}`)
    }
    return envelope.error.code
  }

  /** Ends the input and gives the exit code. */
  async close(): Promise<number> {
    this.push(undefined)
    return this.ended
  }
}

/** Bytes that are pushed by a test and pulled by the server. */
class Input implements AsyncIterable<Uint8Array> {
  private readonly waiting: Array<Uint8Array | undefined> = []
  private arrived = later<void>()

  push(chunk: Uint8Array | undefined): void {
    this.waiting.push(chunk)
    this.arrived.resolve()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (true) {
      while (this.waiting.length > 0) {
        const chunk = this.waiting.shift()
        if (chunk === undefined) return
        yield chunk
      }
      await this.arrived.promise
      this.arrived = later()
    }
  }
}

/** A server inside the test's own process. */
export class Session extends LineClient {
  readonly stop = new AbortController()
  readonly ended: Promise<number>
  private readonly input = new Input()

  constructor(folder: string, ...args: ReadonlyArray<string>) {
    super()
    this.ended = main(
      testHost({
        args: ["mcp", ...args],
        cwd: folder,
        stdin: () => this.input,
        write: async (stream, text) => {
          if (stream === "stderr") this.stderr.push(text)
          else for (const line of text.split("\n").slice(0, -1)) this.receive(line)
        },
        stop: this.stop.signal
      })
    )
  }

  protected push(chunk: Uint8Array | undefined): void {
    this.input.push(chunk)
  }
}
