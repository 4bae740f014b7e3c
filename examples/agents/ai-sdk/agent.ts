// An agent of the AI SDK whose generations, steps and tool calls are steps of a ledger. The model is scripted: take your own instead.
import { generateText, jsonSchema, registerTelemetry, stepCountIs, tool } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { ledgerTelemetry } from "cortex-cassette/agents/ai-sdk"
import { openLedger } from "cortex-cassette/promise"

await using ledger = await openLedger({ filename: process.argv[2] ?? ":memory:" })
registerTelemetry(ledgerTelemetry({ ledger, session: "support-42" }))

const answers = [
  [{ type: "tool-call", toolCallId: "call_1", toolName: "weather", input: `{"city":"Oslo"}` }],
  [{ type: "text", text: "It rains in Oslo." }]
] as const
let turn = 0
const model = new MockLanguageModelV4({
  doGenerate: async () => {
    const content = [...(answers[turn++] ?? [])]
    const unified = turn === 1 ? "tool-calls" : "stop"
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined }
    }
    return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
  }
})
const weather = tool({
  description: "The weather of a city",
  inputSchema: jsonSchema<{ readonly city: string }>({
    type: "object",
    properties: { city: { type: "string" } }
  }),
  execute: async ({ city }) => `rain in ${city}`
})
const { text } = await generateText({
  model,
  prompt: "Shall I take an umbrella?",
  tools: { weather },
  stopWhen: stepCountIs(3)
})
console.log(text)

for (const { outcome, receipt_json } of await ledger.receipts({ run_id: "agent/ai-sdk/support-42" })) {
  console.log(outcome, receipt_json)
}
console.log((await ledger.verifyCassette()).verdict)
