// The same without Effect: a worker that posts, works and proves its own job. Run it with `node examples/promise.ts` after
// `pnpm build`.
import { openLedger } from "cortex-cassette/promise"

await using ledger = await openLedger({ filename: process.argv[2] ?? ":memory:" })
const run_id = "greeting"
await ledger.postMessage({ run_id, source: "USER", payload: { intent: "greet", name: "Ada" } })
await ledger.work({ worker_id: "w1", run_id, untilEmpty: true }, async ({ payload }) => ({
  said: `Hello, ${String(payload["name"])}!`
}))
for await (const event of ledger.events({ live: false })) console.log(event.position, event.type)
console.log((await ledger.verifyCassette()).verdict)
