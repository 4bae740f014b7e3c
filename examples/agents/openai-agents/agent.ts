// An agent of OpenAI Agents whose spans are steps of a ledger, and whose session is kept in it. The model is scripted: take your own
// instead.
import { Agent, type Model, run, setTraceProcessors, setTracingDisabled, tool, Usage } from "@openai/agents"
import { ledgerSession, ledgerTracing } from "cortex-cassette/agents/openai-agents"
import { openLedger } from "cortex-cassette/promise"

await using ledger = await openLedger({ filename: process.argv[2] ?? ":memory:" })
const tracing = ledgerTracing({ ledger, session: "support-42" })
setTraceProcessors([tracing])
const session = ledgerSession({ ledger, sessionId: "support-42" })

// Tracing is off by default where NODE_ENV is "test".
setTracingDisabled(false)
const city = JSON.stringify({ city: "Oslo" })
const text = { type: "output_text", text: "It rains in Oslo." } as const
const answers = [
  [{ type: "function_call", callId: "call_1", name: "weather", status: "completed", arguments: city }],
  [{ type: "message", role: "assistant", status: "completed", content: [text] }]
] as const
let turn = 0
const model = {
  getResponse: async () => ({ usage: new Usage(), output: [...answers[turn++ % 2]!] }),
  getStreamedResponse: () => {
    throw new Error("this model does not stream")
  }
} as unknown as Model
const weather = tool({
  name: "weather",
  description: "The weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false
  },
  execute: async () => "rain"
})
const agent = new Agent({ name: "Forecaster", model, tools: [weather] })
console.log((await run(agent, "Shall I take an umbrella?", { session })).finalOutput)
await tracing.forceFlush()

console.log(`${(await session.getItems()).length} items in the session`)
for (const { outcome, receipt_json } of await ledger.receipts({ run_id: "agent/openai-agents/support-42" })) {
  console.log(outcome, receipt_json)
}
console.log((await ledger.verifyCassette()).verdict)
