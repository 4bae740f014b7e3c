// Races between real processes on one file: no two are ever given the same lease, every one of them gets on, and a
// reader sees all of it once and in order. The interleaving is the operating system's; the bounds are ours.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { afterAll, describe, expect, it } from "vitest"
import { withLedger } from "../infrastructure/testing/ledgers.ts"
import { type Child, startChild, type Told } from "./support/processes/child-process.ts"
import { propRuns } from "./support/configuration.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-race-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const rounds = Array.from({ length: Math.max(1, Math.round(propRuns / 200)) }, (_, index) => index + 1)

/** Waits for all, and kills those that a failure leaves behind. */
const finished = async (children: ReadonlyArray<Child>): Promise<ReadonlyArray<Told>> => {
  try {
    for (const child of children) {
      const { how, stderr } = await child.ended
      expect(how, stderr).toBe(0)
      expect(child.told.at(-1)?.did).toBe("end")
    }
  } finally {
    for (const child of children) child.kill()
  }
  return children.flatMap(({ told }) => told)
}

const leaseOf = ({ fencing_token, step_id }: Told): string => `${step_id} ${fencing_token}`

describe("two processes that claim from one file", () => {
  it.each(rounds)("are never given the same lease (round %i)", async (round) => {
    const filename = join(folder, `claims-${round}.db`)
    const steps = 100
    const program = withLedger({ filename }, (ledger) =>
      Effect.gen(function* () {
        const payload = { steps: Array.from({ length: steps }, (_, n) => ({ n })) }
        yield* ledger.postMessage({ run_id: "race", source: "USER", payload })
        const seen: Array<number> = []
        const reader = yield* ledger.events().pipe(
          Stream.runForEach(({ position }) => Effect.sync(() => seen.push(position))),
          Effect.forkChild
        )
        const told = yield* Effect.promise(() =>
          finished(["left", "right"].map((name) => startChild("race", filename, name)))
        )
        const { position } = yield* ledger.head
        while (seen.length < position) yield* Effect.sleep("10 millis")
        yield* Fiber.interrupt(reader)
        expect(seen).toStrictEqual(Array.from({ length: position }, (_, index) => index + 1))

        const claims = told.filter(({ did }) => did === "claim")
        const completions = told.filter(({ did }) => did === "complete")
        expect(new Set(claims.map(leaseOf)).size).toBe(claims.length)
        expect(new Set(completions.map(({ step_id }) => step_id)).size).toBe(steps)
        expect(completions.length).toBe(steps)
        for (const { by, fencing_token, step_id } of completions) {
          const owner = claims.find(
            (claim) => claim.step_id === step_id && claim.fencing_token === fencing_token
          )
          expect(owner?.by).toBe(by)
        }
        const rows = yield* ledger.steps({ run_id: "race" })
        expect(rows.every(({ status }) => status === "COMMITTED")).toBe(true)
        return yield* ledger.verifyCassette({ pure: true })
      })
    )
    expect(await Effect.runPromise(program)).toMatchObject({ verdict: "PASS", findings: [] })
  })
})

describe("processes that wait for steps", () => {
  it.each(rounds)(
    "are given what another posts, each step once, round the runs (round %i)",
    async (round) => {
      const filename = join(folder, `waits-${round}.db`)
      const [names, each, runs] = [["left", "middle", "right"], 12, ["wait-a", "wait-b", "wait-c"]]
      const all = names.length * each
      const program = withLedger({ filename }, (ledger) =>
        Effect.gen(function* () {
          const children = names.map((name) => startChild("wait", filename, name, each))
          // All of them wait before anything is there.
          yield* Effect.promise(() => Promise.all(children.map((child) => child.lines(1))))
          const posted: Array<string> = []
          for (let n = 0; n < all; n++) {
            const run_id = runs[n % runs.length] ?? ""
            // Now and then a step that none of them may take, which wakes them all the same.
            if (n % 4 === 0) yield* ledger.postMessage({ run_id: "other", source: "USER", payload: { n } })
            const { message_id } = yield* ledger.postMessage({ run_id, source: "USER", payload: { n } })
            posted.push(`${message_id.replace("msg_", "step_")}.0001.00001`)
            if (n % 5 === 0) yield* Effect.sleep("5 millis")
          }
          const told = yield* Effect.promise(() => finished(children))
          const claims = told.filter(({ did }) => did === "claim")
          const tokens = told.filter(({ did }) => did === "claim" || did === "renew").map(leaseOf)
          expect(claims.map(({ step_id }) => step_id).toSorted()).toStrictEqual(posted.toSorted())
          expect(new Set(tokens).size).toBe(tokens.length)
          expect(told.filter(({ did }) => did === "renew").length).toBe(all / 2)
          expect(told.filter(({ did }) => did === "complete").length).toBe(all)
          for (const run_id of runs) {
            const rows = yield* ledger.steps({ run_id })
            expect(rows.every(({ status }) => status === "COMMITTED")).toBe(true)
          }
          expect((yield* ledger.waiting()).every(({ run_id }) => run_id === "other")).toBe(true)
          return yield* ledger.verifyCassette({ pure: true })
        })
      )
      expect(await Effect.runPromise(program)).toMatchObject({ verdict: "PASS", findings: [] })
    }
  )
})

describe("four processes on one file", () => {
  it.each(rounds)("each finish their quota with every commit on disk (round %i)", async (round) => {
    const filename = join(folder, `quota-${round}.db`)
    const quota = 25
    const names = ["north", "east", "south", "west"]
    // The file is not made yet: all of them open it first.
    const told = await finished(names.map((name) => startChild("quota", filename, name, quota)))
    for (const name of names) {
      const own = told.filter(({ by, did }) => by === name && did === "complete")
      expect([name, own.length]).toStrictEqual([name, quota])
    }
    const report = await Effect.runPromise(
      withLedger({ filename }, (ledger) => ledger.verifyCassette({ pure: true }))
    )
    expect(report).toMatchObject({ verdict: "PASS", findings: [] })
    expect(report.counts).toMatchObject({
      events: 1 + 3 * quota * names.length,
      cassette_receipts: quota * names.length
    })
  })
})
