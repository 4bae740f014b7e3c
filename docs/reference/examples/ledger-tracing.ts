// The example of ledgerTracing in interfaces/agents/openai-agents.ts.
import { addTraceProcessor } from "@openai/agents"
import { ledgerTracing } from "cortex-cassette/agents/openai-agents"
import { openLedger } from "cortex-cassette/promise"

const ledger = await openLedger({ filename: "work.db" })
addTraceProcessor(ledgerTracing({ ledger }))
