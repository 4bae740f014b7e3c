// The program of a child process that serves one external cassette: it answers requests one after another and does
// nothing else. A thread of its own watches the parent, since a query that hangs also keeps the child from noticing that its
// parent is gone; no child may outlive its parent.
import { Worker } from "node:worker_threads"
import { CassetteFile } from "./cassette-file.ts"
import { askIndex } from "./cassette-index.ts"
import type { ChildAnswer, ChildRequest } from "./child-messages.ts"
import { watchdogProgram } from "./watchdog.ts"

const [file = "", id = "", parent = ""] = process.argv.slice(2)

new Worker(watchdogProgram, { eval: true, workerData: { parent: Number(parent) } }).unref()

/** A process of its own is dear already: it keeps a quarter of what a cassette in the hub's process keeps (KiB). */
const CACHE_KIBIBYTES = 2_048

const cassette = new CassetteFile(file, id, CACHE_KIBIBYTES)

const send = (answer: ChildAnswer): void => {
  process.send?.(answer)
}

process.on("message", ({ number, request }: ChildRequest) => {
  try {
    const answer = askIndex(cassette, request)
    send("value" in answer ? { number, value: answer.value } : { number, fault: answer })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    send({ number, fault: { status: "error", reason } })
  }
})

process.on("disconnect", () => process.exit(0))
