// The example of ledgerSession in interfaces/agents/openai-agents.ts.
import { Agent, run } from "@openai/agents"
import { ledgerSession } from "cortex-cassette/agents/openai-agents"
import { openLedger } from "cortex-cassette/promise"

export const greet = async () => {
  const ledger = await openLedger({ filename: "work.db" })
  const session = ledgerSession({ ledger, sessionId: "support-42" })
  return run(new Agent({ name: "support" }), "Hello", { session })
}
