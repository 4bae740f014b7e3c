// The client of lines for tests before a real process of `cortex mcp`, over its real streams.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { serverCommand } from "./official-client.ts"
import { LineClient } from "./session.ts"

export class ProcessSession extends LineClient {
  readonly ended: Promise<number>
  private readonly server: ChildProcessWithoutNullStreams

  constructor(folder: string, ...more: ReadonlyArray<string>) {
    super()
    const { args, command, env } = serverCommand(folder, ...more)
    this.server = spawn(command, args, { env })
    this.ended = once(this.server, "close").then(([code]) => Number(code))
    this.server.stderr.setEncoding("utf8").on("data", (text: string) => this.stderr.push(text))
    let rest = ""
    this.server.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) this.receive(line)
    })
  }

  protected push(chunk: Uint8Array | undefined): void {
    if (chunk === undefined) this.server.stdin.end()
    else this.server.stdin.write(chunk)
  }
}
