// A server of the Model Context Protocol in a process of its own, spoken to line by line, and the program that `pnpm build` makes.
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface, type Interface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"

/** The built `cortex`: what people run. */
export const builtProgram = fileURLToPath(new URL("../../dist/bin/cortex/bin.js", import.meta.url))

/** A server's process, spoken to line by line. */
export class ServerProcess {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>
  private readonly lines: Interface
  private id = 0

  constructor(args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env }
    })
    this.lines = createInterface(this.child.stdout)
  }

  /** Asks and waits for the next line, which is the answer when one question is asked at a time. */
  async ask(method: string, params: object): Promise<string> {
    const answer = once(this.lines, "line") as Promise<[string]>
    this.id += 1
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: this.id, method, params })}\n`)
    const [text] = await answer
    if (!text.includes('"result"')) throw new Error(text)
    return text
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "bench", version: "1.0.0" }
    await this.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
    this.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  }

  async end(): Promise<void> {
    const ended = once(this.child, "exit")
    this.child.stdin.end()
    await ended
  }
}
