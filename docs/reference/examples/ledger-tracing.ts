// The example of ledgerTracing in interfaces/agents/openai-agents.ts.
addTraceProcessor(ledgerTracing({ ledger }))
