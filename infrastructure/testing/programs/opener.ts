/**
 * A child process that opens a ledger's file several times at once when it is told to, and tells the ledger's id of
 * each: `node opener.ts <file> <times>`. It imports as little as it can, since many of them are started.
 */
import * as Effect from "effect/Effect"
import { openLedgerFile } from "../../ledger/opening/ledger-file.ts"
import { schemaSteps } from "../../ledger/opening/schema-snapshots.ts"
import { openScratch } from "../../sqlite/connection/better-sqlite3-host.ts"

const [filename = "", times = "1"] = process.argv.slice(2)
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

schemaSteps()
openScratch().close()
const open = Effect.scoped(Effect.map(openLedgerFile({ filename }), (file) => file.ledgerId))
process.stdin.once("data", () => {
  const all = Effect.all(
    Array.from({ length: Number(times) }, () => open),
    { concurrency: "unbounded" }
  )
  void Effect.runPromise(Effect.result(all)).then((result) => {
    print(result)
    process.stdin.destroy()
  })
})
print("ready")
