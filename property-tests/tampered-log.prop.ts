// Tampering campaign, log: the front and the tail are cut, the log is emptied, suffixes are rewritten with fresh valid
// hashes, and other histories are grafted on. Where tables are left as they were the ledger itself tells, with the place;
// where log, head and tables all agree it tells nothing, and what was noted elsewhere tells instead.

import { writeFileSync } from "node:fs"
import type Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openServices } from "../infrastructure/testing/ledgers.ts"
import { Ledger } from "../application/ledger/ledger.ts"
import type { VerificationOptions } from "../application/ledger/verification/verification.ts"
import { type EventEnvelope, eventHash } from "../domain/ledger/event-envelope.ts"
import { ZERO_HASH } from "../domain/ledger/limits.ts"
import { sha256 } from "../infrastructure/hashing/node-hashing.ts"
import { sqliteLedgerLayer } from "../infrastructure/ledger/sqlite-ledger.ts"
import { DisarmedLedger } from "../infrastructure/testing/disarmed-ledger.ts"
import {
  type CampaignLedger,
  eventsIn,
  ledgerOf,
  LEDGER_ID,
  makeCampaignLedger
} from "./support/campaigns/campaign-ledger.ts"
import { CampaignScore } from "./support/campaigns/campaign-score.ts"
import { type CampaignRow, placeOf, rowsOf } from "./support/campaigns/campaign-tables.ts"
import { noted, type Noted, trustFor } from "./support/noted.ts"

type Events = ReadonlyArray<EventEnvelope>

let ledger: CampaignLedger
let disarmed: DisarmedLedger
let rows: ReadonlyArray<CampaignRow>
let note: Noted
beforeAll(async () => {
  ledger = await makeCampaignLedger()
  disarmed = new DisarmedLedger(ledger.bytes)
  rows = rowsOf(ledger.bytes)
  const services = Ledger.layerWith().pipe(
    Layer.provideMerge(sqliteLedgerLayer({ filename: ledger.filename, mode: "read" }))
  )
  note = await Effect.runPromise(noted.pipe(Effect.provide(services)))
})
afterAll(() => ledger.close())

/** The numbers of events that can be kept, from `least` on and without all of them. */
const cuts = (least: number): ReadonlyArray<number> =>
  ledger.events.map(({ position }) => position - 1).filter((kept) => kept >= least)

/** Every row that stands for something after this position. */
const placesAfter = (position: number): ReadonlyArray<string> =>
  rows.filter(({ cells }) => Number(cells["event_position"] ?? 0) > position).map(placeOf)

const setHead = (database: Database.Database, events: Events): void => {
  const newest = events.at(-1)
  database
    .prepare("UPDATE head SET size = ?, hash = ?")
    .run(BigInt(newest?.position ?? 0), newest?.hash ?? ZERO_HASH)
}

/** The log and the head of other events, over tables that are left as they are. */
const grafted = (events: Events): Buffer =>
  disarmed.changed((database) => {
    database.exec("DELETE FROM events")
    const insert = database.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    for (const event of events) {
      const { data, hash, position, prev_hash, recorded_at, schema_version, stream_id, type } = event
      insert.run(
        BigInt(position),
        type,
        stream_id,
        BigInt(schema_version),
        data,
        recorded_at,
        prev_hash,
        hash
      )
    }
    setHead(database, events)
  })

/** Events with one of them changed, and every hash from there on made afresh. */
const rewritten = (position: number, data: string): Events => {
  let prev_hash = ledger.events[position - 2]?.hash ?? ZERO_HASH
  return ledger.events.map((event) => {
    if (event.position < position) return event
    const linked = { ...event, data: event.position === position ? data : event.data, prev_hash }
    prev_hash = eventHash(sha256, linked)
    return { ...linked, hash: prev_hash }
  })
}

/** A value inside an event that is exchanged for another of its kind, and the tables in which it shows. */
const rewrites: Readonly<Record<string, readonly [find: string, put: string, table?: string]>> = {
  LeaseRenewed: ['"Worker', '"Porker', "cassette_steps"],
  LedgerCreated: [LEDGER_ID, "campaigm"],
  MessagePosted: ['"intent":"', '"intent":"x', "cassette_messages"],
  StepClaimed: ['"Worker', '"Porker', "cassette_steps"],
  StepCompleted: ['"done":"Worker', '"done":"Porker', "cassette_receipts"],
  StepRequeued: ['"reason":"', '"reason":"x'],
  ThoughtRecorded: ["what Thought", "what Nought", "thought_records"]
}

/** Events that agree with all others when they alone say something else. */
const rewritable = new Set(["MessagePosted", "StepCompleted", "StepRequeued"])

const forks = new Map<number, Events>()

/** How an honest history could have gone on after its first events instead. */
const forkAfter = async (kept: number): Promise<Events> => {
  const known = forks.get(kept)
  if (known !== undefined) return known
  const filename = ledger.path(`fork-${kept}.db`)
  writeFileSync(filename, ledgerOf(ledger.events.slice(0, kept)))
  const program = Effect.gen(function* () {
    const services = yield* openServices({ filename, durability: "normal" })
    const posts = Array.from({ length: ledger.events.length + 2 - kept }, (_, n) =>
      services.ledger.postMessage({ run_id: "run-b", source: "USER", payload: { n } })
    )
    yield* Effect.all(posts, { concurrency: "unbounded" })
  })
  await Effect.runPromise(Effect.scoped(program))
  const events = eventsIn(filename)
  forks.set(kept, events)
  return events
}

describe("a log", () => {
  it("without its front is found, and its first event named", async () => {
    const score = new CampaignScore("cut fronts")
    for (const kept of cuts(1)) {
      const bytes = disarmed.changed((database) =>
        database.prepare("DELETE FROM events WHERE position <= ?").run(BigInt(kept))
      )
      await score.judge(`${kept} events cut off in front`, ledger.verify(bytes), [`event ${kept + 1}`])
    }
    score.end(ledger.events.length - 1)
  })

  it("without its tail is found by the head, and without that by every row that it made", async () => {
    const score = new CampaignScore("cut tails")
    for (const kept of cuts(0)) {
      const cut = disarmed.changed((database) =>
        database.prepare("DELETE FROM events WHERE position > ?").run(BigInt(kept))
      )
      const after = placesAfter(kept)
      await score.judge(`cut after ${kept}`, ledger.verify(cut), ["head", ...after])
      const moved = grafted(ledger.events.slice(0, kept))
      await score.judge(`cut after ${kept}, with the head`, ledger.verify(moved), after)
    }
    score.end(2 * ledger.events.length - 2)
  })

  it("that was rewritten from some event on is found where a table shows it", async () => {
    const score = new CampaignScore("rewritten suffixes")
    for (const { data, position, type } of ledger.events) {
      const [find, put, table] = rewrites[type] ?? []
      if (find === undefined || put === undefined || table === undefined) continue
      // A lease shows in its step alone, which later events have changed again.
      const step =
        type === "StepClaimed" || type === "LeaseRenewed"
          ? (JSON.parse(data) as { step_id: string }).step_id
          : undefined
      const places = rows
        .filter((row) => row.table === table && (row.id === step || row.cells["event_position"] === position))
        .map(placeOf)
      expect(places.length, `event ${position}`).toBeGreaterThan(0)
      const events = rewritten(position, data.replaceAll(find, put))
      await score.judge(`${type} ${position} rewritten`, ledger.verify(grafted(events)), places)
    }
    score.end(18)
  })

  it("of another history is found by every row that this one's made", async () => {
    const score = new CampaignScore("grafted forks")
    for (const kept of cuts(1)) {
      const events = await forkAfter(kept)
      const places = placesAfter(kept)
      await score.judge(`fork after ${kept}`, ledger.verify(grafted(events)), places)
      // Put on as it is, without new hashes, one event later than where it left.
      const late = [...ledger.events.slice(0, kept + 1), ...events.slice(kept + 1)]
      await score.judge(`fork after ${kept}, put on after ${kept + 1}`, ledger.verify(grafted(late)), [
        `event ${kept + 2}`
      ])
    }
    score.end(ledger.events.length)
  })
})

describe("a history that agrees with itself and is another one", () => {
  const judgeAgainstNotes = async (score: CampaignScore, name: string, events: Events): Promise<void> => {
    const bytes = ledgerOf(events)
    expect((await ledger.verify(bytes)).findings, `${name}: it agrees with itself`).toEqual([])
    const notes: Readonly<Record<string, VerificationOptions>> = {
      "an expected head": { expectHead: note.point },
      "a checkpoint": { checkpoint: { note: note.note, trust: trustFor(LEDGER_ID) } }
    }
    for (const [against, options] of Object.entries(notes)) {
      const place = against === "a checkpoint" ? "checkpoint" : `event ${note.point.position}`
      await score.judge(`${name}, against ${against}`, ledger.verify(bytes, options), [place])
    }
  }

  it("is none where nothing was changed", async () => {
    const options = { expectHead: note.point, checkpoint: { note: note.note, trust: trustFor(LEDGER_ID) } }
    for (const bytes of [ledger.bytes, ledgerOf(ledger.events)]) {
      expect((await ledger.verify(bytes, options)).findings).toEqual([])
    }
  })

  it("is found by what was noted, whether cut, emptied, rewritten or forked", async () => {
    const score = new CampaignScore("other histories")
    for (const kept of cuts(0)) {
      await judgeAgainstNotes(score, `cut after ${kept}`, ledger.events.slice(0, kept))
      if (kept > 0) await judgeAgainstNotes(score, `fork after ${kept}`, await forkAfter(kept))
    }
    for (const { data, position, type } of ledger.events) {
      const [find, put] = rewrites[type] ?? []
      // A claim's worker and a thought's own hash stand in other places too: forks stand for these.
      if (find === undefined || put === undefined || !rewritable.has(type)) continue
      await judgeAgainstNotes(
        score,
        `${type} ${position} rewritten`,
        rewritten(position, data.replaceAll(find, put))
      )
    }
    score.end(4 * ledger.events.length)
  })
})
