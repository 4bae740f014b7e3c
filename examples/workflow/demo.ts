// Two orders as durable workflows. The shop is killed right after the bank took the money, and started again: the customer is
// charged once. A person approves the first order and not the second, whose money goes back. Run it with
// `node examples/workflow/demo.ts`; in a checkout it builds the package first.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"

const folder = mkdtempSync(join(tmpdir(), "orders-"))
// The reader that closes the pipe has seen enough.
process.stdout.on("error", () => process.exit(0))

const say = (text: string) => process.stdout.write(`${text}\n`)

if (!existsSync(fileURLToPath(import.meta.resolve("cortex-cassette/workflow")))) {
  say("The package is built first.")
  const checkout = join(import.meta.dirname, "..", "..")
  execFileSync(process.execPath, ["--run", "build"], {
    cwd: checkout,
    stdio: ["ignore", "ignore", "inherit"]
  })
}
const { prove } = await import("./proof.ts")

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

say(`Look at it: npx cortex timeline --db ${join(folder, "orders.db")}`)
process.exitCode = (await Effect.runPromise(prove(folder, say))) ? 0 : 1
