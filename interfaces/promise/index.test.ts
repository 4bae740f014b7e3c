// The ledger without Effect: promises, async iterables and `await using`, with the same names and the same errors.
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { eventLine } from "../../domain/ledger/event-line.ts"
import {
  importLedger,
  InvalidInput,
  LedgerClosed,
  NoPendingStep,
  openLedger,
  type PromiseLedger,
  StaleFencingToken,
  WrongLedger
} from "./index.ts"

const open: Array<PromiseLedger> = []
const folders: Array<string> = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((ledger) => ledger.close()))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const ledgerAt = async (filename = ":memory:") => {
  const ledger = await openLedger({ filename })
  open.push(ledger)
  return ledger
}

const fileName = () => {
  const folder = mkdtempSync(join(tmpdir(), "cassette-promise-"))
  folders.push(folder)
  return join(folder, "work.db")
}

const message = { run_id: "r", source: "USER", payload: { intent: "greet" } } as const
const worker = { run_id: "r", worker_id: "w" }
const done = { receipt_payload: { ok: true }, outcome: "SUCCESS" } as const

describe("a ledger without Effect", () => {
  it("posts, claims, completes, reads and verifies, and is closed at the end of its block", async () => {
    const filename = fileName()
    {
      await using ledger = await openLedger({ filename })
      const posted = await ledger.postMessage({ ...message, claim: { worker_id: "w" } })
      expect(posted.lease?.fencing_token).toBe(1)
      if (posted.lease === null) return
      const { lease } = await ledger.renewLease(posted.lease)
      await ledger.completeStep({ ...lease, ...done })
      expect(await ledger.messages("r")).toHaveLength(1)
      expect((await ledger.head()).position).toBe(5)
      expect((await ledger.runs())[0]?.run_id).toBe("r")
      const positions: Array<number> = []
      for await (const event of ledger.events({ live: false })) positions.push(event.position)
      expect(positions).toEqual([1, 2, 3, 4, 5])
      for await (const run of ledger.runStream()) expect(run.committed).toBe(1)
      await ledger.thoughts.createThoughtRecord({ type: "plan", task_id: "t", agent_id: "a", content: "c" })
      expect(await ledger.thoughts.listThoughtRecords()).toHaveLength(1)
      expect((await ledger.verifyCassette()).verdict).toBe("PASS")
    }
    // The log was moved into the file.
    expect(existsSync(`${filename}-wal`)).toBe(false)
  })

  it("rejects with the same tagged errors", async () => {
    const ledger = await ledgerAt()
    await expect(ledger.claimStep(worker)).rejects.toBeInstanceOf(NoPendingStep)
    await expect(ledger.postMessage({ ...message, source: "X" as "USER" })).rejects.toBeInstanceOf(
      InvalidInput
    )
    await ledger.postMessage(message)
    const { lease } = await ledger.claimStep(worker)
    await expect(ledger.completeStep({ ...lease, ...done, fencing_token: 2 })).rejects.toBeInstanceOf(
      StaleFencingToken
    )
    const filename = fileName()
    await (await openLedger({ filename })).close()
    await expect(openLedger({ filename, ledgerId: "another" })).rejects.toBeInstanceOf(WrongLedger)
  })

  it("gives one result for each command of a batch", async () => {
    const ledger = await ledgerAt()
    const [posted, claimed] = await ledger.commands([
      { _tag: "PostMessage", ...message },
      { _tag: "ClaimStep", ...worker, run_id: "empty" }
    ])
    expect([posted._tag, claimed._tag]).toEqual(["Success", "Failure"])
  })

  it("ends a stream where its consumer stops", async () => {
    const ledger = await ledgerAt()
    for await (const event of ledger.events()) {
      expect(event.position).toBe(1)
      break
    }
  })

  it("gives up waiting when its signal is aborted", async () => {
    const ledger = await ledgerAt()
    const controller = new AbortController()
    const waiting = [
      ledger.claimStep({ ...worker, wait: "1 hour" }, controller),
      ledger.claimAny({ worker_id: "w", wait: "1 hour" }, controller),
      ledger.changed(99, controller)
    ]
    setTimeout(() => controller.abort(new Error("enough")), 10)
    for (const each of waiting) await expect(each).rejects.toThrow("enough")
    await ledger.postMessage(message)
    expect((await ledger.claimStep(worker)).fencing_token).toBe(1)
  })

  it("is closed once, and says so to what waits and to what comes later", async () => {
    const ledger = await openLedger({ filename: ":memory:" })
    const waiting = ledger.claimStep({ ...worker, wait: "1 hour" }).catch((error: unknown) => error)
    await ledger.head()
    await Promise.all([ledger.close(), ledger.close()])
    expect(await waiting).toBeInstanceOf(LedgerClosed)
    await expect(ledger.head()).rejects.toBeInstanceOf(LedgerClosed)
  })
})

describe("events as lines without Effect", () => {
  const linesOf = async (filename: string) => {
    await using ledger = await openLedger({ filename })
    await ledger.postMessage(message)
    const lines: Array<string> = []
    for await (const event of ledger.events({ live: false })) lines.push(`${eventLine(event)}\n`)
    return { head: await ledger.head(), lines }
  }

  async function* bytesOf(lines: ReadonlyArray<string>): AsyncGenerator<Uint8Array> {
    for (const line of lines) yield Buffer.from(line)
  }

  it("make a ledger with the same head, or none", async () => {
    const { head, lines } = await linesOf(fileName())
    const filename = fileName()
    const { hash, position } = head
    expect((await importLedger(bytesOf(lines), { filename })).head).toMatchObject({ hash, position })
    const other = fileName()
    await expect(importLedger(bytesOf(lines.slice(1)), { filename: other })).rejects.toThrow(
      "line 1, event 2: position 2 follows position 0"
    )
    expect(existsSync(other)).toBe(false)
  })

  it("leave no file when their signal is aborted", async () => {
    const { lines } = await linesOf(fileName())
    const filename = fileName()
    const stop = new AbortController()
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield* bytesOf(lines)
      stop.abort(new Error("enough"))
      await new Promise(() => {})
    }
    await expect(importLedger(endless(), { filename, signal: stop.signal })).rejects.toThrow("enough")
    expect(readdirSync(dirname(filename))).toEqual([])
  })
})

describe("a worker without Effect", () => {
  it("works what its handler promises, and makes a failure of what it rejects", async () => {
    const ledger = await ledgerAt()
    for (const n of [0, 1, 2]) await ledger.postMessage({ ...message, payload: { n } })
    const tally = await ledger.work({ ...worker, untilEmpty: true, concurrency: 2 }, ({ payload }) =>
      payload["n"] === 1
        ? Promise.reject(new TypeError("no"))
        : Promise.resolve({ did: payload["n"] ?? null })
    )
    expect(tally).toEqual({ completed: 3, given_back: 0, lost: 0 })
    const receipts = await ledger.receipts({ run_id: "r" })
    expect(receipts.map(({ outcome, receipt_json }) => [outcome, receipt_json])).toEqual([
      ["SUCCESS", `{"did":0}`],
      ["FAILURE", `{"error":{"_tag":"TypeError","message":"no"}}`],
      ["SUCCESS", `{"did":2}`]
    ])
  })

  it("keeps a step until its handler has settled, and gives it back then", async () => {
    const ledger = await ledgerAt()
    await ledger.postMessage(message)
    const controller = new AbortController()
    let leasesWhileClearing = 0
    const work = ledger.work({ ...worker, signal: controller.signal }, async (_, { signal }) => {
      setTimeout(() => controller.abort(), 5)
      await once(signal, "abort")
      await new Promise((resolve) => setTimeout(resolve, 20))
      leasesWhileClearing = (await ledger.leases()).length
      return {}
    })
    expect(await work).toEqual({ completed: 0, given_back: 1, lost: 0 })
    expect(leasesWhileClearing).toBe(1)
    expect(await ledger.leases()).toEqual([])
  })

  it("begins nothing with a signal that is aborted, nor on a ledger that is closed", async () => {
    const ledger = await ledgerAt()
    await ledger.postMessage(message)
    const signal = AbortSignal.abort(new Error("early"))
    await expect(ledger.claimStep(worker, { signal })).rejects.toThrow("early")
    const work = () => ledger.work({ ...worker, signal }, async () => ({}))
    expect(await work()).toEqual({ completed: 0, given_back: 0, lost: 0 })
    expect((await ledger.head()).position).toBe(2)
    await ledger.close()
    await expect(work()).rejects.toBeInstanceOf(LedgerClosed)
  })

  it("is not closed by a handler, which closing would wait for, but by what a handler left behind", async () => {
    const ledger = await ledgerAt()
    await ledger.postMessage({ run_id: "r", source: "USER", payload: {} })
    let later: Promise<void> | undefined
    const tally = await ledger.work({ worker_id: "w", run_id: "r", untilEmpty: true }, async () => {
      const refused = await ledger.close().catch((error: unknown) => error)
      expect(refused).toMatchObject({ _tag: "InvalidInput" })
      await new Promise((resolve) => setImmediate(resolve))
      await expect(ledger[Symbol.asyncDispose]()).rejects.toMatchObject({ _tag: "InvalidInput" })
      later = new Promise<void>((resolve) => setTimeout(resolve, 50)).then(() => ledger.close())
      return { done: true }
    })
    expect(tally).toMatchObject({ completed: 1 })
    await later
    await expect(ledger.head()).rejects.toMatchObject({ _tag: "LedgerClosed" })
  })

  it.each(["signal", "close"] as const)("gives back what it has in hand: stopped by its %s", async (how) => {
    const filename = fileName()
    const ledger = await ledgerAt(filename)
    await ledger.postMessage(message)
    const controller = new AbortController()
    let aborted = false
    const begun = Promise.withResolvers<void>()
    const work = ledger.work({ ...worker, signal: controller.signal }, (_, { lease, signal }) => {
      expect(lease().fencing_token).toBe(1)
      begun.resolve()
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted = true
          reject(new Error("stopped"))
        })
      })
    })
    await begun.promise
    if (how === "signal") controller.abort()
    else await ledger.close()
    expect(await work).toEqual({ completed: 0, given_back: 1, lost: 0 })
    expect(aborted).toBe(true)
    const again = await ledgerAt(filename)
    expect((await again.claimStep(worker)).fencing_token).toBe(2)
  })
})
