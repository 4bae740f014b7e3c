// The example of ledgerTelemetry in interfaces/agents/ai-sdk.ts.
import { registerTelemetry } from "ai"
import { ledgerTelemetry } from "cortex-cassette/agents/ai-sdk"
import { openLedger } from "cortex-cassette/promise"

const ledger = await openLedger({ filename: "work.db" })
registerTelemetry(ledgerTelemetry({ ledger, session: "support-42" }))
