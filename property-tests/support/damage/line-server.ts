// A child process that answers each line with one line, in the order of the questions, within a time. One that does not
// answer is ended by its own id and another is started for the next question.

import { type ChildProcess, spawn } from "node:child_process"

export type Answer<A> = { readonly value: A } | { readonly failed: string }

export class LineServer<Question, A> {
  readonly #command: string
  readonly #args: ReadonlyArray<string>
  readonly #limitMillis: number
  #child: ChildProcess | undefined
  #take: (answer: Answer<A>) => void = () => {}
  #stderr = ""

  constructor(command: string, args: ReadonlyArray<string>, limitMillis: number) {
    this.#command = command
    this.#args = args
    this.#limitMillis = limitMillis
  }

  /** Asks one question; the next may be asked when this one is answered. */
  ask(question: Question): Promise<Answer<A>> {
    return new Promise((resolve) => {
      const child = (this.#child ??= this.#start())
      const timer = setTimeout(() => {
        this.end()
        resolve({ failed: `no answer within ${this.#limitMillis} ms` })
      }, this.#limitMillis)
      this.#take = (answer) => {
        clearTimeout(timer)
        resolve(answer)
      }
      child.stdin?.write(`${JSON.stringify(question)}\n`)
    })
  }

  /** Ends the child, if one was started. */
  end(): void {
    this.#child?.kill("SIGKILL")
    this.#child = undefined
  }

  #start(): ChildProcess {
    const child = spawn(this.#command, this.#args, { stdio: ["pipe", "pipe", "pipe"] })
    this.#stderr = ""
    // A child that has ended takes no more questions; that it has ended is told below.
    child.stdin.on("error", () => {})
    child.stderr.on("data", (chunk) => {
      this.#stderr = `${this.#stderr}${String(chunk)}`.slice(-2_000)
    })
    // What a child had not finished when it ended is no line.
    let rest = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = `${rest}${chunk}`.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (child === this.#child) this.#take({ value: JSON.parse(line) as A })
    })
    child.on("close", (code, signal) => {
      if (child !== this.#child) return
      this.#child = undefined
      this.#take({ failed: `ended with ${code ?? signal}: ${this.#stderr}` })
    })
    return child
  }
}
