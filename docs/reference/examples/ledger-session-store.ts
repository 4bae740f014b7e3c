// The example of ledgerSessionStore in interfaces/agents/claude-agent-sdk.ts.
import { query } from "@anthropic-ai/claude-agent-sdk"
import { ledgerSessionStore } from "cortex-cassette/agents/claude-agent-sdk"
import { openLedger } from "cortex-cassette/promise"

export const ask = async (prompt: string) => {
  const ledger = await openLedger({ filename: "work.db" })
  return query({ prompt, options: { sessionStore: ledgerSessionStore({ ledger }) } })
}
