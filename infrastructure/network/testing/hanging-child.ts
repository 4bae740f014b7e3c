// A cassette's child that hangs in its second request, with the thread that ends it when its parent is gone: what a
// file that never answers looks like from outside.
import { Worker } from "node:worker_threads"
import { watchdogProgram } from "../watchdog.ts"

const parent = Number(process.argv[4])
new Worker(watchdogProgram, { eval: true, workerData: { parent } }).unref()

process.on("message", ({ number }: { readonly number: number }) => {
  if (number === 0) {
    process.send?.({ number, value: { chunks: process.pid, words: 0, frequencies: [] } })
    return
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
