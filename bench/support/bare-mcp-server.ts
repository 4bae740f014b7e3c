// The floor of the MCP benchmarks: the official SDK's server with one tool that does nothing. Started by the benchmark
// `mcp` as a process; never by hand.
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"

const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [{ name: "nothing", inputSchema: { type: "object" } }]
}))
server.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }))
await server.connect(new StdioServerTransport())
