// Whether a large ledger costs anything before it is used, and whether reading it needs memory: the time and the
// bytes that opening takes against the size of the file, and the resident memory while every event streams out.
// BENCH_STEPS=340000 makes about a gigabyte and a million events.
import { statSync } from "node:fs"
import { join } from "node:path"
import { answerOf } from "./support/child.ts"
import { finishedMessages } from "./support/history.ts"
import { inPlace } from "./support/place.ts"
import { createRawLedger } from "./support/raw-ledger.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"
import type { Reading } from "./support/stream-reader.ts"

const MEBI = 1_048_576

export const benchmark: Benchmark = {
  description: "opening a large ledger without reading it, streaming it with flat memory",
  run: () =>
    inPlace("disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 3)
      const steps = setting("BENCH_STEPS", 50_000)
      const file = join(folder, "ledger.db")
      const raw = await createRawLedger(file, "NORMAL")
      finishedMessages(raw, steps)
      const events = raw.head.position
      raw.close()
      const size = statSync(file).size
      const readings: Array<Reading> = []
      for (let repeat = 0; repeat < repeats; repeat++)
        readings.push(await answerOf<Reading>("stream-reader", { file, events }))
      if (readings.some((reading) => reading.events !== events))
        throw new Error("not every event was streamed")
      const of = (pick: (reading: Reading) => number) => readings.map(pick)
      const sizes = readings.map(() => size / MEBI)
      return {
        place,
        settings: { repeats, events, file_bytes: size },
        lines: [
          line(
            "opening",
            "milliseconds",
            of((reading) => reading.open_ms)
          ),
          line(
            "read while opening, against the file's size",
            "MiB",
            of((reading) => (reading.open_bytes ?? Number.NaN) / MEBI),
            sizes,
            "the same for any size"
          ),
          line(
            "streaming",
            "events per second",
            of((reading) => reading.events / reading.stream_seconds)
          ),
          line(
            "peak resident memory, against that after a tenth of the events",
            "MiB",
            of((reading) => reading.peak_resident_bytes / MEBI),
            of((reading) => reading.resident_bytes / MEBI),
            "flat"
          )
        ]
      }
    })
}
