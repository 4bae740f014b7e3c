// Processes that share a queue are killed at random moments, again and again. Every element that was offered is worked in the end,
// none that was acknowledged is worked again, and each attempt follows the one that failed.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Ledger as LedgerService } from "../application/ledger/ledger.ts"
import { Ledger } from "../interfaces/embedding/ledger.ts"
import { CassettePersistedQueue } from "../interfaces/workflow/index.ts"
import { type Child, startScript } from "./support/processes/child-process.ts"
import { propParameters } from "./support/configuration.ts"
import {
  CRASH_LEASE_SECONDS,
  crashQueue,
  faultsOf,
  type QueueTold,
  readHistory
} from "./support/processes/crash-queue.ts"

/** Works what is left in the queue, then reads its history. */
const workTheRest = (filename: string) =>
  Effect.gen(function* () {
    const ledger = yield* LedgerService
    const queue = yield* crashQueue
    const worker = yield* Effect.forkChild(Effect.forever(queue.take(() => Effect.void)))
    while (true) {
      const { position } = yield* ledger.head
      const left = [...(yield* ledger.waiting()), ...(yield* ledger.leases())]
      if (left.length === 0) break
      yield* ledger.changed(position)
    }
    yield* Fiber.interrupt(worker)
    const { findings } = yield* ledger.verifyCassette()
    const events = yield* Stream.runCollect(ledger.events({ runId: "queue/crash", live: false }))
    return { findings, history: readHistory(events) }
  }).pipe(
    Effect.provide(
      PersistedQueue.layer.pipe(
        Layer.provide(CassettePersistedQueue.layerStore({ ttl_seconds: CRASH_LEASE_SECONDS })),
        Layer.provideMerge(Ledger.layer({ filename }))
      )
    ),
    Effect.runPromise
  )

/** Two processes on a queue; each is killed some milliseconds after its lines have come. */
const killBoth = async (
  filename: string,
  names: readonly [string, string],
  deaths: ReadonlyArray<{ readonly lines: number; readonly millis: number }>
): Promise<ReadonlyArray<QueueTold>> => {
  const children = names.map((name) => startScript<QueueTold>("queue", [filename, name]))
  const die = async (child: Child<QueueTold>, index: number) => {
    try {
      await child.lines(deaths[index]?.lines ?? 1)
      await sleep(deaths[index]?.millis ?? 0)
    } finally {
      child.kill()
    }
    const { how, stderr } = await child.ended
    expect(how, stderr).toBe("SIGKILL")
  }
  await Promise.all(children.map(die))
  return children.flatMap(({ told }) => told)
}

/** The lines that a process tells even if the other takes every element: that it has opened, and what it offered. */
const death = fc.record({ lines: fc.integer({ min: 1, max: 7 }), millis: fc.nat({ max: 120 }) })

describe("processes that share a queue and are killed", () => {
  it("leave each element worked once, and no acknowledged one worked again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cassette-queue-kills-"))
    const filename = join(folder, "work.db")
    let round = 0
    const told: Array<QueueTold> = []
    try {
      await fc.assert(
        fc.asyncProperty(fc.tuple(death, death), async (deaths) => {
          round += 1
          told.push(...(await killBoth(filename, [`left-${round}`, `right-${round}`], deaths)))
        }),
        { ...propParameters(0.02), endOnFailure: true }
      )
      const { findings, history } = await workTheRest(filename)
      expect(findings).toEqual([])
      expect(history.faults).toEqual([])
      const offered = told.filter(({ did }) => did === "offer")
      for (const { id } of offered) expect(history.done.has(id), `${id} was worked`).toBe(true)
      for (const [id, attempts] of history.attempts) expect(faultsOf(attempts), id).toEqual([])
      expect(offered.length).toBeGreaterThan(0)
      const all = [...history.attempts.values()].flat()
      const crashed = all.filter(({ end }) => JSON.stringify(end?.receipt).includes("LeaseExpired"))
      console.log(
        `${2 * round} processes killed: ${history.attempts.size} elements, ${all.length} attempts, ${crashed.length} of which ended with a process`
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
