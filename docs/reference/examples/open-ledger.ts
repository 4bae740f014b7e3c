// The example of openLedger in interfaces/promise/index.ts.
import { openLedger } from "cortex-cassette/promise"

await using ledger = await openLedger({ filename: "promised.db" })
await ledger.postMessage({ run_id: "r", source: "USER", payload: { intent: "greet" } })
const step = await ledger.claimStep({ run_id: "r", worker_id: "w" })
await ledger.completeStep({ ...step.lease, receipt_payload: { said: "hello" }, outcome: "SUCCESS" })
