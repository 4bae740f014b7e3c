// Two orders as durable workflows. The shop is killed right after the bank took the money, and started again: the customer is
// charged once. A person approves the first order and not the second, whose money goes back. Run it with
// `node examples/workflow/demo.ts` after `pnpm build`.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import { prove } from "./proof.ts"

const folder = mkdtempSync(join(tmpdir(), "orders-"))
// The reader that closes the pipe has seen enough.
process.stdout.on("error", () => process.exit(0))

const say = (text: string) => process.stdout.write(`${text}\n`)

/** Runs a program beside this file to its end; it is killed when it prints the line `killAt`. */
const run = async (program: string, args: ReadonlyArray<string>, killAt?: string): Promise<void> => {
  say(`$ node ${program} ${args.join(" ")}`)
  const child = spawn(process.execPath, [join(import.meta.dirname, program), folder, ...args], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  createInterface({ input: child.stdout }).on("line", (line) => {
    say(`  ${line}`)
    if (line === killAt) child.kill("SIGKILL")
  })
  const [, signal] = (await once(child, "close")) as [number | null, string | null]
  if (signal !== null) say(`  killed with ${signal}`)
}

await run("shop.ts", ["order-1"], "charge order-1")
await run("approve.ts", ["order-1", "yes"])
await run("shop.ts", ["order-1"])

const shop = run("shop.ts", ["order-2"])
await run("approve.ts", ["order-2", "no"])
await shop

say(`Look at it: npx cortex cassette log --db ${join(folder, "orders.db")}`)
process.exitCode = (await Effect.runPromise(prove(folder, say))) ? 0 : 1
