// The example of ledgerTelemetry in interfaces/agents/ai-sdk.ts.
registerTelemetry(ledgerTelemetry({ ledger, session: "support-42" }))
