// The example of ledgerSessionStore in interfaces/agents/claude-agent-sdk.ts.
query({ prompt, options: { sessionStore: ledgerSessionStore({ ledger }) } })
