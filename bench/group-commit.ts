// What durable commands cost together: 1, 4 and 64 fibers post, claim and complete at synchronous=FULL and NORMAL on a
// real disk, against the same events written by the floor program in one big transaction (no fsync in between, so the
// CPU is the bound), in transactions of 64, and in transactions of one, all on the same disk in the same run.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { LedgerShape } from "../interfaces/embedding/index.ts"
import { compare, rateOf } from "./support/comparison.ts"
import { payload, type RawEvent, receipt } from "./support/events.ts"
import { openLedger } from "./support/ledger-runtime.ts"
import { inPlace } from "./support/place.ts"
import { createRawLedger, type Durability, openDatabase, type RawLedger } from "./support/raw-ledger.ts"
import { type Benchmark, type Line, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const FIBERS = [1, 4, 64] as const

/** One fiber's part: messages of its own run, each posted, claimed and completed. */
const fiberWork = (ledger: LedgerShape, fiber: number, messages: number) =>
  Effect.gen(function* () {
    const run_id = `run-${fiber}`
    const worker_id = `worker-${fiber}`
    for (let number = 0; number < messages; number++) {
      yield* ledger.postMessage({ run_id, source: "USER", payload: payload(number) })
      const step = yield* ledger.claimStep({ run_id, worker_id, ttl_seconds: 3_600 })
      yield* ledger.completeStep({
        run_id,
        step_id: step.step_id,
        worker_id,
        fencing_token: step.fencing_token,
        receipt_payload: receipt(number),
        outcome: "SUCCESS"
      })
    }
  })

/** `commands` in all, spread over the fibers. */
const concurrently = (ledger: LedgerShape, fibers: number, commands: number) =>
  Effect.forEach(
    Array.from({ length: fibers }, (_, fiber) => fiber),
    (fiber) => fiberWork(ledger, fiber, commands / fibers / 3),
    { concurrency: fibers, discard: true }
  )

/** The newest events of a ledger file, as they were before they were hashed. */
const newestEvents = (file: string, count: number): ReadonlyArray<RawEvent> => {
  const database = openDatabase(file, "FULL")
  const events = database
    .prepare<[number], RawEvent>(
      "SELECT type, stream_id, data FROM events WHERE position > (SELECT size FROM head) - ? ORDER BY position"
    )
    .all(count)
  database.close()
  return events
}

/** Writes events that were legal in another ledger of the same length. */
const replay = (ledger: RawLedger, events: ReadonlyArray<RawEvent>): void => {
  ledger.begin()
  for (const event of events) ledger.append(event)
  ledger.commit()
}

const replayInGroups = (ledger: RawLedger, events: ReadonlyArray<RawEvent>, group: number): void => {
  for (let done = 0; done < events.length; done += group) replay(ledger, events.slice(done, done + group))
}

const measure = async (
  folder: string,
  synchronous: Durability,
  repeats: number,
  commands: number
): Promise<ReadonlyArray<Line>> => {
  const durability = synchronous === "FULL" ? "full" : "normal"
  const fileOf = (name: string) => join(folder, `${name}-${durability}.db`)
  const singles = Math.min(commands, 192)
  const recording = fileOf("recording")
  const recorder = await openLedger({ filename: recording, durability })
  const one = await createRawLedger(fileOf("one"), synchronous)
  const groups = await createRawLedger(fileOf("groups"), synchronous)
  const single = await createRawLedger(fileOf("single"), synchronous)
  const byFibers = await Promise.all(
    FIBERS.map((fibers) => openLedger({ filename: fileOf(`fibers-${fibers}`), durability }))
  )
  /** The events that 64 fibers write next; the floor ledgers keep step with the recording. */
  const record = async (): Promise<ReadonlyArray<RawEvent>> => {
    await recorder.run((ledger) => concurrently(ledger, 64, commands))
    return newestEvents(recording, commands)
  }
  let events: ReadonlyArray<RawEvent> = []
  let singleEvents: ReadonlyArray<RawEvent> = []
  const figuresOf = async (turns: number) => {
    const figures = { one: [], groups: [], single: [], f1: [], f4: [], f64: [] } as Record<
      string,
      Array<number>
    >
    for (let turn = 0; turn < turns; turn++) {
      events = await record()
      singleEvents = events.slice(0, singles)
      const turnFigures = await compare(1, {
        f64: () => rateOf(commands, () => byFibers[2]?.run((ledger) => concurrently(ledger, 64, commands))),
        one: () => rateOf(commands, () => replay(one, events)),
        groups: () => rateOf(commands, () => replayInGroups(groups, events, 64)),
        f4: () => rateOf(commands, () => byFibers[1]?.run((ledger) => concurrently(ledger, 4, commands))),
        f1: () => rateOf(singles, () => byFibers[0]?.run((ledger) => concurrently(ledger, 1, singles))),
        single: () => rateOf(singles, () => replayInGroups(single, singleEvents, 1))
      })
      replay(single, events.slice(singles))
      for (const [name, values] of Object.entries(turnFigures)) figures[name]?.push(...values)
    }
    return figures
  }
  await figuresOf(2)
  const {
    f1 = [],
    f4 = [],
    f64 = [],
    groups: grouped = [],
    one: big = [],
    single: alone = []
  } = await figuresOf(repeats)
  await recorder.close()
  for (const ledger of byFibers) await ledger.close()
  one.close()
  groups.close()
  single.close()
  const unit = "commands per second"
  return [
    line(`64 fibers, against one big transaction, ${synchronous}`, unit, f64, big, "ratio at least 0.7"),
    line(`64 fibers, against transactions of 64, ${synchronous}`, unit, f64, grouped),
    line(`4 fibers, against one big transaction, ${synchronous}`, unit, f4, big),
    line(`1 fiber, against one command per transaction, ${synchronous}`, unit, f1, alone),
    line(`64 fibers, against one command per transaction, ${synchronous}`, unit, f64, alone)
  ]
}

export const benchmark: Benchmark = {
  description:
    "commands of many fibers on a real disk, FULL and NORMAL, against the same events in one transaction",
  run: () =>
    inPlace("disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 9)
      // A multiple of what every number of fibers divides into whole messages.
      const commands = Math.ceil(setting("BENCH_COMMANDS", 1_920) / 192) * 192
      const lines = [
        ...(await measure(folder, "FULL", repeats, commands)),
        ...(await measure(folder, "NORMAL", repeats, commands))
      ]
      return { place, settings: { repeats, commands }, lines }
    })
}
