// Workflows in processes that are killed: at random moments, after each single write, paused longer than their leases, and not at
// all. Afterwards each attempt has one receipt, nothing ran again whose end was known, a replay had the same values, all callers
// were told one end, nothing is left open, and the ledger verifies.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Child, Children } from "../storm/children.ts"
import { propParameters } from "./support/configuration.ts"
import { auditTrips, notesIn } from "./support/workflows/workflow-audit.ts"
import type { TripPlan } from "./support/workflows/workflow-trips.ts"

const program = fileURLToPath(new URL("support/workflows/workflow-child.ts", import.meta.url))

/** Longest that all trips of a file may take once no process is killed any more (milliseconds). */
const LONGEST_MILLIS = 300_000

/** A file, its log, and the processes on it. */
class Agency {
  readonly #folder = mkdtempSync(join(tmpdir(), "cassette-trips-"))
  readonly #children = new Children()
  readonly filename = join(this.#folder, "work.db")
  readonly log = join(this.#folder, "log")
  #started = 0

  start(plan: TripPlan): Child {
    this.#started += 1
    return this.#children.start([this.filename, this.log, `p${this.#started}`, JSON.stringify(plan)], program)
  }

  /** Lets the processes work until all trips have ended and nothing is left to be done. */
  async finish(plan: TripPlan, children: ReadonlyArray<Child>, paused = false): Promise<void> {
    const tooLong = setTimeout(() => this.#children.killAll(), LONGEST_MILLIS)
    for (const { ended } of children) {
      const { how, words } = await ended
      expect(how, `${words}\n${JSON.stringify(notesIn(this.log).slice(-20))}`).toBe(0)
    }
    clearTimeout(tooLong)
    const { findings, repeated } = await auditTrips(this.filename, this.log, plan.trips, paused)
    expect(findings).toStrictEqual([])
    console.log(`${this.#started} processes, ${plan.trips} trips, ${repeated} bodies begun again`)
  }

  close(): void {
    this.#children.killAll()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const inAgency = async (work: (agency: Agency) => Promise<void>): Promise<void> => {
  const agency = new Agency()
  try {
    await work(agency)
  } finally {
    agency.close()
  }
}

/** The shortest leases (seconds), and those that a process keeps also where it has to wait for its turn on a busy machine. */
const SHORT = 1
const KEPT = 3

const PLAN: TripPlan = { leaseSeconds: SHORT, trips: 6, sleepMillis: 300, stepMillis: 20, dieAfter: 0 }

/** Kills of one file, before its processes may finish. */
const KILLS = 5

describe("workflows in processes", () => {
  it("that are killed at any moment are done once, by two processes on one file", async () => {
    const { numRuns, ...parameters } = propParameters(0.01)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 700 }), fc.boolean()), { minLength: KILLS, maxLength: KILLS }),
        (kills) =>
          inAgency(async (agency) => {
            const pair = [agency.start(PLAN), agency.start(PLAN)]
            for (const [millis, second] of kills) {
              const at = second ? 1 : 0
              await pair[at]!.open
              await sleep(millis)
              pair[at]!.kill()
              await pair[at]!.ended
              pair[at] = agency.start(PLAN)
            }
            await agency.finish(PLAN, pair)
          })
      ),
      // Shrinking would take as long as all of it.
      { ...parameters, numRuns, endOnFailure: true }
    )
  })

  it("that die after any one write, before they know of it, are done once", async () => {
    const { numRuns, ...parameters } = propParameters(0.02)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 55 }), { minLength: 1, maxLength: 3 }), (lives) =>
        inAgency(async (agency) => {
          const plan = { ...PLAN, trips: 3, stepMillis: 0 }
          // The next one dies where it takes over, too.
          for (const dieAfter of lives) {
            const { how, words } = await agency.start({ ...plan, dieAfter }).ended
            expect(["SIGKILL", 0], words).toContain(how)
          }
          await agency.finish(plan, [agency.start(plan)])
        })
      ),
      { ...parameters, numRuns, endOnFailure: true }
    )
  })

  it("that are paused longer than their leases are done once", async () => {
    const { numRuns, ...parameters } = propParameters(0.005)
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 600 }), (millis) =>
        inAgency(async (agency) => {
          const pair = [agency.start(PLAN), agency.start(PLAN)]
          for (const child of pair) {
            await child.open
            await sleep(millis)
            await child.stopFor(SHORT * 2_500)
          }
          await agency.finish(PLAN, pair, true)
        })
      ),
      { ...parameters, numRuns, endOnFailure: true }
    )
  })

  it("share steps that are longer than a lease, each once", () =>
    inAgency(async (agency) => {
      const plan = { ...PLAN, leaseSeconds: KEPT, trips: 4, stepMillis: KEPT * 1_200 }
      await agency.finish(plan, [agency.start(plan), agency.start(plan)])
      const begun = notesIn(agency.log).filter(([, what]) => what === "begin")
      expect(begun.length, "no body began twice").toBe(
        new Set(begun.map(([, , id, at]) => `${id} ${at}`)).size
      )
    }))

  it("that no one kills all end", () =>
    inAgency(async (agency) => {
      const plan = { ...PLAN, trips: 60, stepMillis: 1 }
      await agency.finish(plan, [agency.start(plan), agency.start(plan)])
    }))
})
