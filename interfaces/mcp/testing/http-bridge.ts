// The server of standard streams behind HTTP, for programs that test servers and speak nothing else: each session is a
// `cortex mcp` in the test's own process, and every message is handed on as it is, both ways. It listens on the loopback interface alone.
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import { inProcess } from "./official-client.ts"

/** One session: what comes over HTTP goes to a server, and its answers come back on the request that they belong to. */
const bridged = async (folder: string, opened: (id: string) => void) => {
  const http = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: opened
  })
  const lines = inProcess(folder)
  /** The requests whose progress is told, by their token. */
  const requestOf = new Map<unknown, RequestId>()
  // Transports have one listener each, as a member.
  Object.assign(http, {
    onmessage: (message: JSONRPCMessage) => {
      if ("method" in message && "id" in message) {
        const token = message.params?._meta?.progressToken
        if (token !== undefined) requestOf.set(token, message.id)
      }
      void lines.send(message)
    }
  })
  Object.assign(lines, {
    onmessage: (message: JSONRPCMessage) => {
      const token = "method" in message ? message.params?.["progressToken"] : undefined
      const relatedRequestId = requestOf.get(token)
      const options = relatedRequestId === undefined ? {} : { relatedRequestId }
      // The client may have gone.
      http.send(message, options).catch(() => undefined)
    }
  })
  await Promise.all([http.start(), lines.start()])
  return { http, lines }
}

export class HttpBridge {
  private readonly server = createServer((request, response) => {
    this.take(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  private readonly sessions = new Map<string, Awaited<ReturnType<typeof bridged>>>()
  private readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Serves a folder on a free port; `url` leads to it. */
  static async start(folder: string): Promise<HttpBridge> {
    const bridge = new HttpBridge(folder)
    await new Promise<void>((listening) => bridge.server.listen(0, "127.0.0.1", listening))
    return bridge
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const known = this.sessions.get(String(request.headers["mcp-session-id"]))
    if (known !== undefined) return known.http.handleRequest(request, response)
    const session = await bridged(this.folder, (id) => this.sessions.set(id, session))
    await session.http.handleRequest(request, response)
    if (![...this.sessions.values()].includes(session)) await session.lines.close()
  }

  /** Ends every session with its server. */
  async close(): Promise<void> {
    for (const { http, lines } of this.sessions.values()) {
      await http.close()
      await lines.close()
    }
    this.server.closeAllConnections()
    await new Promise((closed) => this.server.close(closed))
  }
}
