// One process that runs many command lines, under a limit of the shell or as another user.
import { type ChildProcessByStdio, spawn, type SpawnOptions } from "node:child_process"
import { once } from "node:events"
import { createInterface, type Interface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { programOf } from "../../../infrastructure/testing/programs/program.ts"
import type { CommandLine } from "./command-server.ts"
import type { Ran } from "./in-process.ts"

export class CommandProcess {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>
  private readonly answers: AsyncIterator<string>

  /** `limit` is what `ulimit` gets. */
  constructor({ limit, ...user }: { readonly limit?: string } & Pick<SpawnOptions, "uid" | "gid">) {
    const server = [process.execPath, programOf("interfaces/cli/testing/command-server.ts")]
    const [program, ...args] =
      limit === undefined ? server : ["bash", "-c", `ulimit ${limit}; exec "$@"`, "bash", ...server]
    this.child = spawn(program!, args, { ...user, stdio: ["pipe", "pipe", "inherit"] })
    const lines: Interface = createInterface({ input: this.child.stdout })
    this.answers = lines[Symbol.asyncIterator]()
  }

  /** Runs `cortex ARGS`; one command at a time. */
  async run(args: ReadonlyArray<string>, options: Omit<CommandLine, "args">): Promise<Ran> {
    this.child.stdin.write(`${JSON.stringify({ args, ...options })}\n`)
    const { done, value } = await this.answers.next()
    if (done === true) throw new Error(`the process ended before it answered: ${args.join(" ")}`)
    return JSON.parse(value) as Ran
  }

  async close(): Promise<void> {
    const ended = once(this.child, "close")
    this.child.stdin.end()
    await ended
  }
}
