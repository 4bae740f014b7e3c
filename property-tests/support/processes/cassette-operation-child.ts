// A process that does one thing to a cassette: `node cassette-operation-child.ts FOLDER OPERATION`. It prints when it begins,
// with everything loaded, and when that was acknowledged, with how long it took.
import { performance } from "node:perf_hooks"
import { type Operation, operate } from "./cassette-operations.ts"

const [folder = "", operation = ""] = process.argv.slice(2)

const tell = (did: string, millis: number): void => {
  process.stdout.write(`${JSON.stringify({ did, millis })}\n`)
}

tell("begin", 0)
const began = performance.now()
await operate(folder, operation as Operation)
tell("end", performance.now() - began)
