// Crashes: a real process works on a ledger in a file and is killed at a random moment, again and again. All that
// the ledger had acknowledged is there afterwards, everything verifies, and the next process goes on. When the
// kill comes is the operating system's to say; everything else follows from the seed.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { LedgerShape } from "../application/ledger/ledger.ts"
import type { PageOptions } from "../domain/foundation/page.ts"
import { withLedger } from "../infrastructure/testing/ledgers.ts"
import { type Child, startChild, type Told } from "./support/processes/child-process.ts"
import { propParameters } from "./support/configuration.ts"

const RUN = "crash"
/** Messages that a child posts in one batch. */
const BATCH = 3

/** The state of one step as far as it was acknowledged. */
interface Known {
  readonly messages: Map<string, string>
  /** Ids of messages that were posted in batches. */
  readonly batched: Set<string>
  readonly tokens: Map<string, number>
  readonly receipts: Map<string, Told>
}

const remember = (known: Known, told: ReadonlyArray<Told>): void => {
  for (const line of told) {
    if (line.did === "post") known.messages.set(line.key, line.message_id)
    if (line.did === "batch") for (const id of line.message_ids) known.batched.add(id)
    if (line.did === "claim" || line.did === "renew") known.tokens.set(line.step_id, line.fencing_token)
    if (line.did === "complete") known.receipts.set(line.receipt_id, line)
  }
}

/** The rows of every page of a list: a run of very many lives has more than one. */
const allRows = <Row, E>(
  read: (page: PageOptions) => Effect.Effect<ReadonlyArray<Row>, E>,
  idOf: (row: Row) => string
) =>
  Effect.gen(function* () {
    const rows: Array<Row> = []
    while (true) {
      const last = rows.at(-1)
      const page = yield* read(last === undefined ? {} : { after: idOf(last) })
      if (page.length === 0) return rows
      rows.push(...page)
    }
  })

/** What is committed together is there whole: the messages of a batch, a message and its claim. */
const nothingIsTorn = (ledger: LedgerShape) =>
  Effect.gen(function* () {
    const events = yield* Stream.runCollect(ledger.events({ live: false }))
    const batches = new Map<string, number>()
    for (const [index, { data, type }] of events.entries()) {
      if (type !== "MessagePosted") continue
      const { message_id, payload } = JSON.parse(data) as {
        readonly message_id: string
        readonly payload: { readonly batch?: string; readonly claimed?: boolean }
      }
      if (payload.batch !== undefined) batches.set(payload.batch, (batches.get(payload.batch) ?? 0) + 1)
      if (payload.claimed !== true) continue
      const next = events[index + 1]
      expect(next?.type, `behind ${message_id}`).toBe("StepClaimed")
      expect(next?.data).toContain(`"${message_id.replace("msg_", "step_")}.0001.00001"`)
    }
    for (const [batch, count] of batches) expect(count, `batch ${batch}`).toBe(BATCH)
  })

/** Everything that was acknowledged is there as it was acknowledged. */
const nothingIsLost = (ledger: LedgerShape, known: Known) =>
  Effect.gen(function* () {
    const report = yield* ledger.verifyCassette({ pure: true })
    expect(report).toMatchObject({ verdict: "PASS", findings: [] })
    yield* nothingIsTorn(ledger)
    const messages = new Map(
      (yield* allRows(
        (page) => ledger.messages(RUN, page),
        ({ message_id }) => message_id
      )).map((row) => [row.idempotency_key, row.message_id])
    )
    for (const [key, id] of known.messages) expect(messages.get(key), `message ${key}`).toBe(id)
    const ids = new Set(messages.values())
    for (const id of known.batched) expect(ids.has(id), `message ${id} of a batch`).toBe(true)
    const ofSteps = allRows(
      (page) => ledger.steps({ run_id: RUN }, page),
      ({ step_id }) => step_id
    )
    const steps = new Map((yield* ofSteps).map((row) => [row.step_id, row]))
    for (const [id, token] of known.tokens) {
      expect(steps.get(id)?.fencing_token, `the token of ${id}`).toBeGreaterThanOrEqual(token)
    }
    const ofReceipts = allRows(
      (page) => ledger.receipts({ run_id: RUN }, page),
      ({ receipt_id }) => receipt_id
    )
    const receipts = new Map((yield* ofReceipts).map((row) => [row.receipt_id, row]))
    for (const [id, { by, fencing_token, step_id }] of known.receipts) {
      expect(receipts.get(id), `receipt ${id}`).toMatchObject({ step_id, worker_id: by, fencing_token })
      expect(steps.get(step_id)?.status).toBe("COMMITTED")
    }
    return report.head.position
  })

/** One life: wait for some acknowledgements, then a moment, then kill. */
const liveAndDie = async (child: Child, lines: number, millis: number): Promise<void> => {
  try {
    await child.lines(lines)
    await sleep(millis)
  } finally {
    child.kill()
  }
  const { how, stderr } = await child.ended
  expect(how, stderr).toBe("SIGKILL")
}

describe("a process that is killed", () => {
  it("loses nothing that was acknowledged, however often it happens", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cassette-crash-"))
    const filename = join(folder, "ledger.db")
    const known: Known = {
      messages: new Map(),
      batched: new Set(),
      tokens: new Map(),
      receipts: new Map()
    }
    const { numRuns, ...parameters } = propParameters(0.05)
    let life = 0
    let position = 1
    try {
      await fc.assert(
        fc.asyncProperty(fc.nat({ max: 150 }), fc.nat({ max: 12 }), async (lines, millis) => {
          const child = startChild("life", filename, `life-${(life += 1)}`)
          await liveAndDie(child, lines, millis)
          remember(known, child.told)
          // A child that is killed before it has opened leaves no ledger.
          if (child.told.length === 0 && position === 1) return
          const now = await Effect.runPromise(
            withLedger({ filename }, (ledger) => nothingIsLost(ledger, known))
          )
          expect(now).toBeGreaterThanOrEqual(position)
          position = now
        }),
        // Shrinking would begin with the file as the failure left it.
        { ...parameters, numRuns, endOnFailure: true }
      )
      expect(known.messages.size).toBeGreaterThan(0)
      console.log(
        `${life} lives: ${known.messages.size} messages, ${known.batched.size} in batches, ${known.tokens.size} leases, ${known.receipts.size} receipts`
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
