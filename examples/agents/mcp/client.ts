// A client of the Model Context Protocol that works with a ledger through its server, as an agent would. What follows the file's name
// starts the server: `node client.ts npx cortex mcp --agent ada`.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"

const [command = "npx", ...args] = process.argv.slice(2)
const client = new Client({ name: "example", version: "1.0.0" })
await client.connect(new StdioClientTransport({ command, args }))

/** What a tool answers as data; a refusal is thrown. */
const call = async (name: string, given: Record<string, unknown> = {}) => {
  const { content } = await client.callTool({ name, arguments: given })
  const [{ text }] = content as readonly [{ readonly text: string }]
  const answer = JSON.parse(text) as { readonly ok: boolean; readonly data: Record<string, unknown> }
  if (!answer.ok) throw new Error(text)
  return answer.data
}

const run_id = "greeting"
await call("message_post", { run_id, source: "USER", payload: { intent: "greet", name: "Ada" } })
const { lease } = await call("step_claim", { run_id })
await call("step_complete", {
  ...(lease as object),
  receipt_payload: { said: "Hello, Ada!" },
  outcome: "SUCCESS"
})
console.log((await call("ledger_verify"))["verdict"])
await client.close()
