// The example of ledgerSession in interfaces/agents/openai-agents.ts.
await run(agent, "Hello", { session: ledgerSession({ ledger, sessionId: "support-42" }) })
