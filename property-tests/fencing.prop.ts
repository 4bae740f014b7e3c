// Fencing: several workers, each a connection of its own with a clock of its own that jumps both ways, keep every
// lease they ever had and try to use it. A token is never given twice, only the newest one completes, and nothing
// that is stale is ever accepted.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { propParameters } from "./support/configuration.ts"
import { anyJump } from "./support/ledger-commands.ts"
import type { Answer, Command } from "./support/ledger-model.ts"
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
  | { readonly do: "expire" | "force"; readonly worker: number; readonly ticket: number }
  | { readonly do: "jump"; readonly worker: number; readonly millis: number }

const worker = fc.nat({ max: WORKERS - 1 })
// Often the newest ticket: numbers count from the end.
const ticket = fc.oneof(fc.constant(0), fc.nat({ max: 12 }))
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("claim" as const), worker, ttl: fc.constantFrom(1, 60, 300) })
  },
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
): Command | undefined => {
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
    case "release":
      return { kind: "requeue", ...step(ticket), reason: "given back", lease: held, force: false }
    case "expire":
      return { kind: "requeue", ...step(ticket), reason: "expired", lease: undefined, force: false }
    case "force":
      return { kind: "requeue", ...step(ticket), reason: "forced", lease: undefined, force: true }
  }
}

/** What must hold, whatever the clocks say. */
class Witness {
  readonly tickets: Array<Ticket> = []
  /** The newest token of every step, and whether its lease still stands. */
  readonly #newest = new Map<string, { token: number; open: boolean; done: boolean }>()

  #stateOf(stepId: string) {
    const known = this.#newest.get(stepId) ?? { token: 0, open: false, done: false }
    this.#newest.set(stepId, known)
    return known
  }

  see(command: Command, answer: Answer): void {
    if (command.kind === "claim") {
      if (answer.tag !== "done") return
      const { fencing_token, step_id } = answer["reply"] as Ticket
      const state = this.#stateOf(step_id)
      expect(state.open || state.done, "a step was leased twice at once").toBe(false)
      expect(fencing_token, "a token was repeated or left out").toBe(state.token + 1)
      state.token = fencing_token
      state.open = true
      this.tickets.push({ step_id, worker_id: command.worker_id, fencing_token })
      return
    }
    if (command.kind === "post") return
    const state = this.#stateOf(command.step_id)
    const held = command.kind === "complete" ? command : command.lease
    const isNewest = held === undefined || held.fencing_token === state.token
    if (answer.tag === "done") {
      expect(isNewest && state.open, "a stale lease was accepted").toBe(true)
      state.open = false
      state.done = command.kind === "complete"
    } else if (isNewest && state.open) {
      expect(["LeaseExpired", "LeaseNotExpired", "ClockFarBehindHead"], answer.tag).toContain(answer.tag)
    }
  }

  get completed(): number {
    return [...this.#newest.values()].filter(({ done }) => done).length
  }
}

const play = async (workers: ReadonlyArray<LedgerSystem>, deeds: ReadonlyArray<Deed>): Promise<void> => {
  const witness = new Witness()
  const [first] = workers
  if (first === undefined) throw new Error("there is no worker")
  for (const deed of deeds) {
    const system = workers[deed.worker] ?? first
    if (deed.do === "jump") {
      system.clock.set(system.clock.now() + deed.millis)
      continue
    }
    const command = commandOf(deed, witness.tickets)
    if (command === undefined) continue
    const [answer] = await system.perform([command])
    if (answer !== undefined) witness.see(command, answer)
  }
  const receipts = await first.run(first.ledger.receipts({ run_id: RUN }))
  expect(receipts.length).toBe(witness.completed)
  const report = await first.run(first.ledger.verifyCassette({ pure: true }))
  expect(report.findings).toStrictEqual([])
}

describe("fencing", () => {
  it("never repeats a token and never accepts a stale lease", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cassette-fencing-"))
    let files = 0
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(deed, { minLength: 20, maxLength: 60, size: "max" }), async (deeds) => {
          const filename = join(folder, `${(files += 1)}.db`)
          const workers = Array.from({ length: WORKERS }, () => new LedgerSystem(filename))
          try {
            for (const system of workers) await system.open()
            const payload = { steps: Array.from({ length: STEPS }, (_, n) => ({ n })) }
            await workers[0]?.perform([
              { kind: "post", run_id: RUN, source: "USER", payload, idempotency_key: null, jobs: undefined }
            ])
            await play(workers, deeds)
          } finally {
            for (const system of workers) await system.close()
          }
        }),
        propParameters(0.25)
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
