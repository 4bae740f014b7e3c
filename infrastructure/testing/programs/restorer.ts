/**
 * A restore in a process of its own that dies right before one of its steps in the file system, or for which the file system has
 * no hard links: `node restorer.ts <options as JSON>`. It prints how many steps there were when it came to its end.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as Effect from "effect/Effect"
import { restoreLedger } from "../../ledger/copies/ledger-restore.ts"
import type { RestorerOptions } from "../restoring.ts"

const { dieBefore, hardLinks, ...options } = JSON.parse(process.argv[2] ?? "{}") as RestorerOptions

/** What changes something on the disk, or brings it there. */
const STEPS = [
  "chmodSync",
  "fsyncSync",
  "linkSync",
  "mkdtempSync",
  "renameSync",
  "rmSync",
  "writeSync"
] as const

let steps = 0
if (!hardLinks) {
  fs.linkSync = (): never => {
    throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM", syscall: "link" })
  }
}
for (const name of STEPS) {
  const step = fs[name] as (...given: ReadonlyArray<unknown>) => unknown
  Object.assign(fs, {
    [name]: (...given: ReadonlyArray<unknown>) => {
      steps += 1
      if (steps === dieBefore || name === dieBefore) process.kill(process.pid, "SIGKILL")
      return step(...given)
    }
  })
}
syncBuiltinESMExports()

const { kept } = await Effect.runPromise(restoreLedger(options))
console.log(JSON.stringify({ steps, kept }))
