// How fast a history is verified: the chain, and the projections against the fold, against a program that reads
// the same rows and hashes them, which is the least that anybody must do who wants to check a chain; and how fast a new
// file is made from the log alone.
import { hash, randomUUID } from "node:crypto"
import { join } from "node:path"
import type { EventEnvelope } from "../interfaces/embedding/index.ts"
import { compare, rateOf } from "./support/comparison.ts"
import type { RawEvent } from "./support/events.ts"
import { finishedMessages } from "./support/history.ts"
import { openLedger } from "./support/ledger-runtime.ts"
import { inPlace } from "./support/place.ts"
import { createRawLedger, openDatabase } from "./support/raw-ledger.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const PAGE = 1_000

/** Reads every event, page by page, and recomputes its hash; throws when the chain is broken. */
const hashAll = (file: string): void => {
  const database = openDatabase(file, "NORMAL")
  const query = database.prepare<[number], EventEnvelope>(
    `SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ${PAGE}`
  )
  let before = "0".repeat(64)
  let page = query.all(0)
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    for (const event of page) {
      const { data, position, prev_hash, recorded_at, schema_version, stream_id, type } = event
      const envelope = [
        "cassette/event/1",
        position,
        type,
        stream_id,
        schema_version,
        data,
        recorded_at,
        prev_hash
      ]
      const digest = hash("sha256", JSON.stringify(envelope), "hex")
      if (prev_hash !== before || digest !== event.hash) throw new Error(`event ${position} breaks the chain`)
      before = digest
    }
    page = query.all(last.position)
  }
  database.close()
}

/** Writes the events of a ledger once more, through the triggers, which make every projection; ids are of another one. */
const replay = async (file: string, target: string): Promise<void> => {
  const source = openDatabase(file, "NORMAL")
  const ledger = await createRawLedger(target, "NORMAL")
  const query = source.prepare<[number], RawEvent & { readonly position: number }>(
    `SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ${PAGE}`
  )
  // The first event made the ledger, and the other one has its own.
  let page = query.all(1)
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    ledger.begin()
    for (const event of page) ledger.append(event)
    ledger.commit()
    page = query.all(last.position)
  }
  ledger.close()
  source.close()
}

export const benchmark: Benchmark = {
  description: "verification of chain and projections against reading and hashing the rows",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 5)
      const steps = setting("BENCH_STEPS", 10_000)
      const file = join(folder, "ledger.db")
      const raw = await createRawLedger(file, "NORMAL")
      finishedMessages(raw, steps)
      const events = raw.head.position
      raw.close()
      const opened = await openLedger({ filename: file, mode: "read" })
      const verifying = (rungs: ReadonlyArray<"chain" | "events" | "projections">) => () =>
        rateOf(events, async () => {
          const report = await opened.run((ledger) => ledger.verifyCassette({ rungs }))
          if (report.verdict !== "PASS") throw new Error(JSON.stringify(report.findings))
        })
      const contestants = {
        chain: verifying(["chain"]),
        events: verifying(["events"]),
        projections: verifying(["projections"]),
        all: verifying(["chain", "events", "projections"]),
        floor: () => rateOf(events, () => hashAll(file))
      }
      await compare(1, contestants)
      const figures = await compare(repeats, contestants)
      const rebuilding = {
        rebuilt: () => {
          const target = join(folder, `rebuilt-${randomUUID()}.db`)
          return rateOf(events, async () => {
            const { verdict } = await opened.run((ledger) => ledger.rebuild(target))
            if (verdict !== "PASS") throw new Error("what was rebuilt does not verify")
          })
        },
        replayed: () => {
          const target = join(folder, `replayed-${randomUUID()}.db`)
          return rateOf(events, () => replay(file, target))
        }
      }
      await compare(1, rebuilding)
      const { rebuilt, replayed } = await compare(repeats, rebuilding)
      await opened.close()
      const unit = "events per second"
      return {
        place,
        settings: { repeats, events, payload_bytes: 230 },
        lines: [
          line("chain", unit, figures.chain, figures.floor, "at least 0.8"),
          line("events", unit, figures.events, figures.floor),
          line("projections", unit, figures.projections, figures.floor),
          line("chain, events and projections", unit, figures.all, figures.floor),
          line(
            "chain, events and projections, against the chain alone",
            unit,
            figures.all,
            figures.chain,
            "at least 0.35"
          ),
          line(
            "rebuilt into a new file and verified, against writing it through the triggers",
            unit,
            rebuilt,
            replayed
          )
        ]
      }
    })
}
