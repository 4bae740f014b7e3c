// An agent's side of the streams for tests: the official client, and a server that is a real process of `cortex mcp` or runs in the
// test's own. `CORTEX_BINARY` names another program than the sources, such as the built one.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { binary } from "../../cli/testing/binary.ts"
import { runJson } from "../../cli/testing/in-process.ts"
import { Session } from "./session.ts"

/** What a tool answered: its envelope, with the protocol's flag beside it. */
export interface Called {
  readonly isError: boolean
  readonly ok: boolean
  readonly data: Readonly<Record<string, unknown>>
  readonly error: { readonly code: string; readonly message: string }
}

/** Runs `cortex ARGS` in a folder, inside the test's own process; gives its data, and throws where it failed. */
export const cortex = async (cwd: string, ...args: ReadonlyArray<string>): Promise<Called["data"]> => {
  const { document } = await runJson(args, { cwd })
  if (document.data === undefined) throw new Error(`cortex ${args.join(" ")}: ${document.error?.message}`)
  return document.data
}

/** What starts `cortex mcp` in a folder as a process of its own. */
export const serverCommand = (folder: string, ...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  args: [binary, "mcp", "--root", folder, ...args],
  // The client's own default leaves out what makes a start quick.
  env: { ...getDefaultEnvironment(), NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" }
})

/** A server in the test's own process, which hands on what it writes. */
class HandingSession extends Session {
  onMessage: (message: JSONRPCMessage) => void = () => {}

  protected override receive(line: string): void {
    this.onMessage(JSON.parse(line) as JSONRPCMessage)
  }
}

/** The streams of a server in the test's own process, as the official client has them. */
export const inProcess = (folder: string, ...args: ReadonlyArray<string>): Transport => {
  const session = new HandingSession(folder, ...args)
  const transport: Transport = {
    start: async () => {},
    send: async (message) => session.send(message),
    close: async () => {
      await session.close()
      transport.onclose?.()
    }
  }
  session.onMessage = (message) => transport.onmessage?.(message)
  return transport
}

/** A connected client with the server that it talks to. */
export class OfficialAgent {
  readonly client = new Client({ name: "agent", version: "1.0.0" })
  /** Told the code of every error. */
  onError: (code: string) => void = () => {}

  /** Starts a process of `cortex mcp ARGS`. */
  static start(folder: string, ...args: ReadonlyArray<string>): Promise<OfficialAgent> {
    return OfficialAgent.over(new StdioClientTransport({ ...serverCommand(folder, ...args), stderr: "pipe" }))
  }

  /** Runs `cortex mcp ARGS` in the test's own process. */
  static here(folder: string, ...args: ReadonlyArray<string>): Promise<OfficialAgent> {
    return OfficialAgent.over(inProcess(folder, ...args))
  }

  private static async over(transport: Transport): Promise<OfficialAgent> {
    const agent = new OfficialAgent()
    await agent.client.connect(transport)
    return agent
  }

  async call(name: string, input: Record<string, unknown> = {}): Promise<Called> {
    const { content, isError } = await this.client.callTool({ name, arguments: input })
    const [{ text }] = content as readonly [{ readonly text: string }]
    return { ...(JSON.parse(text) as Omit<Called, "isError">), isError: isError === true }
  }

  /** Calls a tool that must succeed; gives its data. */
  async data(name: string, input: Record<string, unknown> = {}): Promise<Called["data"]> {
    const called = await this.call(name, input)
    if (!called.ok || called.isError) throw new Error(`${name}: ${JSON.stringify(called)}`)
    return called.data
  }

  /** Calls a tool that must fail; gives the error's code. */
  async code(name: string, input: Record<string, unknown> = {}): Promise<string> {
    const called = await this.call(name, input)
    if (called.ok || !called.isError) throw new Error(`${name} should fail: ${JSON.stringify(called)}`)
    this.onError(called.error.code)
    return called.error.code
  }

  /** What stands at an address. */
  async resource(uri: string): Promise<unknown> {
    const { contents } = await this.client.readResource({ uri })
    return JSON.parse((contents[0] as { readonly text: string }).text)
  }
}
