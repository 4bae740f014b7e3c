// Fencing: several workers, each a connection of its own with a clock of its own that jumps both ways, keep every
// lease they ever had and try to use it. A token is never given twice, only the newest one completes, and nothing
// that is stale is ever accepted.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { propParameters } from "./support/configuration.ts"
import { anyJump } from "../interfaces/test-kit/ledger-commands.ts"
import { leaseIn } from "../interfaces/test-kit/law.ts"
import { LeaseBook } from "../interfaces/test-kit/laws/lease-book.ts"
import { judgeLeases } from "../interfaces/test-kit/laws/lease-laws.ts"
import type { OneCommand } from "../interfaces/test-kit/ledger-model.ts"
import { LedgerSystem } from "./support/ledger-system.ts"

const RUN = "run-a"
const WORKERS = 3
const STEPS = 4

/** A lease that a worker was given and never forgets. */
interface Ticket {
  readonly step_id: string
  readonly worker_id: string
  readonly fencing_token: number
}

type Deed =
  | { readonly do: "claim"; readonly worker: number; readonly ttl: number }
  | { readonly do: "complete" | "release"; readonly worker: number; readonly ticket: number }
  | { readonly do: "renew"; readonly worker: number; readonly ticket: number; readonly ttl: number }
  | { readonly do: "expire" | "force"; readonly worker: number; readonly ticket: number }
  | { readonly do: "jump"; readonly worker: number; readonly millis: number }

const worker = fc.nat({ max: WORKERS - 1 })
// Often the newest ticket: numbers count from the end.
const ticket = fc.oneof(fc.constant(0), fc.nat({ max: 12 }))
const ttl = fc.constantFrom(1, 60, 300)
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("claim" as const), worker, ttl }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("renew" as const), worker, ticket, ttl }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom("complete" as const, "release" as const), worker, ticket })
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("expire" as const, "force" as const), worker, ticket })
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("jump" as const), worker, millis: anyJump }) }
)

const step = (ticket: Ticket) => ({ run_id: RUN, step_id: ticket.step_id })

const commandOf = (
  deed: Exclude<Deed, { do: "jump" }>,
  tickets: ReadonlyArray<Ticket>
): OneCommand | undefined => {
  const worker_id = `worker-${deed.worker}`
  if (deed.do === "claim") {
    return { kind: "claim", run_id: RUN, worker_id, job_id: undefined, ttl_seconds: deed.ttl }
  }
  const ticket = tickets.at(-1 - (deed.ticket % Math.max(1, tickets.length)))
  if (ticket === undefined) return undefined
  const { fencing_token } = ticket
  const held = { worker_id: ticket.worker_id, fencing_token }
  switch (deed.do) {
    case "complete":
      return {
        kind: "complete",
        ...step(ticket),
        ...held,
        outcome: "SUCCESS",
        receipt_payload: { fencing_token }
      }
    case "renew":
      return { kind: "renew", ...step(ticket), ...held, ttl_seconds: deed.ttl }
    case "release":
      return { kind: "requeue", ...step(ticket), reason: "given back", lease: held, force: false }
    case "expire":
      return { kind: "requeue", ...step(ticket), reason: "expired", lease: undefined, force: false }
    case "force":
      return { kind: "requeue", ...step(ticket), reason: "forced", lease: undefined, force: true }
  }
}

const play = async (workers: ReadonlyArray<LedgerSystem>, deeds: ReadonlyArray<Deed>): Promise<void> => {
  const book = new LeaseBook()
  const tickets: Array<Ticket> = []
  const [first] = workers
  if (first === undefined) throw new Error("there is no worker")
  for (const deed of deeds) {
    const system = workers[deed.worker] ?? first
    if (deed.do === "jump") {
      system.clock.set(system.clock.now() + deed.millis)
      continue
    }
    const command = commandOf(deed, tickets)
    if (command === undefined) continue
    const [answer] = await system.perform([command])
    const one = { command, answer: answer ?? { tag: "no answer" } }
    await judgeLeases(one, book, async () => (await first.run(first.ledger.head)).recorded_at ?? "")
    book.record(one)
    const lease = leaseIn(one)
    if (lease !== undefined) tickets.push(lease)
  }
  const receipts = await first.run(first.ledger.receipts({ run_id: RUN }))
  expect(receipts.length).toBe(book.completed)
  const report = await first.run(first.ledger.verifyCassette({ pure: true }))
  expect(report.findings).toStrictEqual([])
}

/** Opens as many workers as there are on one new file, with one message of some steps, and closes them in the end. */
const withWorkers = async (
  filename: string,
  use: (workers: ReadonlyArray<LedgerSystem>) => Promise<void>
): Promise<void> => {
  const workers = Array.from({ length: WORKERS }, () => new LedgerSystem(filename))
  try {
    for (const system of workers) await system.open()
    const payload = { steps: Array.from({ length: STEPS }, (_, n) => ({ n })) }
    await workers[0]?.perform([
      { kind: "post", run_id: RUN, source: "USER", payload, idempotency_key: null, jobs: undefined }
    ])
    await use(workers)
  } finally {
    for (const system of workers) await system.close()
  }
}

/** What a twin that was paused tries with the lease that it still believes in. */
const late = (held: Ticket): ReadonlyArray<OneCommand> => {
  const lease = { worker_id: held.worker_id, fencing_token: held.fencing_token }
  return [
    { kind: "renew", ...step(held), ...lease, ttl_seconds: 300 },
    { kind: "complete", ...step(held), ...lease, outcome: "SUCCESS", receipt_payload: {} },
    { kind: "requeue", ...step(held), reason: "given back", lease, force: false }
  ]
}

describe("fencing", () => {
  it("never repeats a token and never accepts a stale lease", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cassette-fencing-"))
    let files = 0
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(deed, { minLength: 20, maxLength: 60, size: "max" }), async (deeds) => {
          await withWorkers(join(folder, `${(files += 1)}.db`), (workers) => play(workers, deeds))
        }),
        propParameters(0.25)
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("holds off a paused twin of the same name whose lease was renewed, once or many times", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cassette-twins-"))
    let files = 0
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ ttl, pause: fc.nat({ max: 400_000 }) }), { minLength: 1, maxLength: 6 }),
          anyJump,
          async (renewals, jump) => {
            await withWorkers(join(folder, `${(files += 1)}.db`), async ([twin, other]) => {
              if (twin === undefined || other === undefined) throw new Error("there are no twins")
              const one = async (system: LedgerSystem, command: OneCommand) =>
                (await system.perform([command]))[0] ?? { tag: "no answer" }
              const worker_id = "twin"
              const ttl_seconds = 300
              const claimed = await one(twin, {
                kind: "claim",
                run_id: RUN,
                worker_id,
                job_id: undefined,
                ttl_seconds
              })
              const held: Ticket = { ...(claimed["reply"] as Ticket), worker_id }
              // The twin is paused here; the other goes on under the same name, with the same lease.
              let newest = held
              for (const { pause, ttl } of renewals) {
                const answer = await one(other, {
                  kind: "renew",
                  ...step(newest),
                  worker_id,
                  fencing_token: newest.fencing_token,
                  ttl_seconds: ttl
                })
                if (answer.tag !== "done") break
                newest = { ...(answer["reply"] as Ticket), worker_id }
                other.clock.set(other.clock.now() + pause)
              }
              expect(newest.fencing_token).toBeGreaterThan(held.fencing_token)
              twin.clock.set(twin.clock.now() + jump)
              for (const command of late(held)) {
                const { tag } = await one(twin, command)
                expect(["StaleFencingToken", "ClockFarBehindHead"], tag).toContain(tag)
              }
              expect(await twin.run(twin.ledger.receipts({ run_id: RUN }))).toStrictEqual([])
            })
          }
        ),
        propParameters(0.1)
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
