// The reading half of the benchmark `open-and-stream`, in a process of its own so that its memory and its reads
// are its own: opens a ledger, then streams every event, and reports time, bytes read and resident memory.
import { readFileSync } from "node:fs"
import * as Stream from "effect/Stream"
import * as Effect from "effect/Effect"
import { openLedger } from "./ledger-runtime.ts"

/** What the reader saw; bytes are undefined where the system does not count them. */
export interface Reading {
  readonly open_ms: number
  readonly open_bytes: number | undefined
  readonly events: number
  readonly stream_seconds: number
  /** Resident memory once a tenth of the events had passed, and the most seen after that. */
  readonly resident_bytes: number
  readonly peak_resident_bytes: number
}

/** Bytes that this process has read through system calls, from the page cache or not. */
const bytesRead = (): number | undefined => {
  try {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1])
  } catch {
    return undefined
  }
}

const read = async (file: string, expected: number): Promise<Reading> => {
  // The modules are loaded and a ledger has been opened before anything is counted.
  await (await openLedger({ filename: ":memory:" })).close()
  const before = bytesRead()
  const start = performance.now()
  const opened = await openLedger({ filename: file })
  const open_ms = performance.now() - start
  const after = bytesRead()
  let events = 0
  let resident = 0
  let peak = 0
  const streaming = performance.now()
  await opened.run((ledger) =>
    Stream.runForEachArray(ledger.events({ live: false }), (page) =>
      Effect.sync(() => {
        events += page.length
        if (events < expected / 10) return
        const rss = process.memoryUsage.rss()
        if (resident === 0) resident = rss
        peak = Math.max(peak, rss)
      })
    )
  )
  const stream_seconds = (performance.now() - streaming) / 1000
  await opened.close()
  return {
    open_ms,
    open_bytes: before === undefined || after === undefined ? undefined : after - before,
    events,
    stream_seconds,
    resident_bytes: resident,
    peak_resident_bytes: peak
  }
}

process.once("message", (job) => {
  const { events, file } = job as { readonly file: string; readonly events: number }
  void read(file, events).then((reading) => {
    process.send?.(reading, () => process.disconnect())
  })
})
