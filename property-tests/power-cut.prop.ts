// Power cuts: the write-ahead log of a busy ledger ends anywhere, at each frame's boundary and within frames, is torn to
// zeros or has a bit turned over. What is opened afterwards is always the history up to the last commit that is whole,
// with everything that had been answered by then; it verifies, and the ledger goes on.

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { withLedger } from "../infrastructure/testing/ledgers.ts"
import { makeManualClock, withClock } from "../interfaces/test-kit/manual-clock.ts"
import { propParameters, propRuns, propSeed } from "./support/configuration.ts"
import { anyPlan, type Plan } from "../interfaces/test-kit/ledger-commands.ts"
import { RUNS } from "../interfaces/test-kit/ledger-model.ts"
import { START } from "./support/ledger-system.ts"
import { hashesOf, record, type RecordedRun } from "./support/processes/recorded-run.ts"
import { framesOf, lastCommitEnd } from "./support/damage/wal-file.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-power-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Groups of commands in the recorded run: more runs, a longer log. */
const GROUPS = Math.min(400, 20 + Math.round(propRuns / 10))

const wanted = { worker_id: "w1", ttl_seconds: 86_400 }
const posted = {
  kind: "post",
  run_id: RUNS[0],
  source: "USER",
  payload: {},
  idempotency_key: null,
  jobs: undefined
} as const

/** What each recorded run has, with any draw: commands of several events, and a renewal. */
const always: ReadonlyArray<ReadonlyArray<Plan>> = [
  [
    () => ({ ...posted, claim: wanted }),
    () => ({ kind: "batch", commands: [posted, posted, { ...posted, claim: wanted }] })
  ],
  [
    ({ steps }) => {
      const step = steps.find(({ status }) => status === "LEASED")
      if (step === undefined) throw new Error("no step is leased")
      const { id: step_id, run: run_id, token: fencing_token } = step
      return { kind: "renew", run_id, step_id, fencing_token, ...wanted }
    }
  ]
]

let run: RecordedRun
beforeAll(async () => {
  const [groups = []] = fc.sample(
    fc.array(fc.array(anyPlan, { minLength: 1, maxLength: 5 }), {
      minLength: GROUPS,
      maxLength: GROUPS,
      size: "max"
    }),
    { numRuns: 1, seed: propSeed }
  )
  run = await record(join(folder, "whole.db"), [...always, ...groups])
})

let files = 0

/** The ledger's file as the power left it: the database from before, and this log. */
const fileAfter = (wal: Buffer): string => {
  const filename = join(folder, `${(files += 1)}.db`)
  copyFileSync(run.base, filename)
  writeFileSync(`${filename}-wal`, wal)
  return filename
}

const remove = (filename: string): void => {
  for (const part of ["", "-wal", "-shm"]) rmSync(`${filename}${part}`, { force: true })
}

/** The position that must be the newest when so many bytes of the log are whole. */
const positionAt = (bytes: number): number =>
  run.commits.findLast((commit) => commit.bytes <= bytes)?.position ?? 0

/** What had been answered when the log was no longer than this. */
const answeredAt = (bytes: number): number =>
  run.answers.findLast((answer) => answer.bytes <= bytes)?.position ?? 1

/** Holds what is opened after a cut against the run; gives the newest position. */
const holds = (wal: Buffer, answered: number): number => {
  const filename = fileAfter(wal)
  try {
    const expected = positionAt(lastCommitEnd(wal))
    const found = hashesOf(filename)
    expect(found).toStrictEqual(run.hashes.slice(0, expected))
    expect(found.length).toBeGreaterThanOrEqual(answered)
    return found.length
  } finally {
    remove(filename)
  }
}

/** The ledger that is opened after a cut verifies, takes a message, and verifies with it. */
const goesOn = async (wal: Buffer): Promise<void> => {
  const filename = fileAfter(wal)
  const expected = positionAt(lastCommitEnd(wal))
  const program = withLedger({ filename }, (ledger) =>
    Effect.gen(function* () {
      const before = yield* ledger.verifyCassette({ pure: true })
      expect(before).toMatchObject({ verdict: "PASS", findings: [], head: { position: expected } })
      yield* ledger.postMessage({ run_id: "after", source: "USER", payload: {} })
      return yield* ledger.verifyCassette({ pure: true })
    })
  )
  try {
    const after = await Effect.runPromise(withClock(makeManualClock(START))(program))
    expect(after).toMatchObject({ verdict: "PASS", findings: [], head: { position: expected + 1 } })
  } finally {
    remove(filename)
  }
}

const anyByte = fc.nat().map((number) => number % run.wal.length)

/** The log with one bit turned over. */
const flipped = (at: number, bit: number): Buffer => {
  const wal = Buffer.from(run.wal)
  wal[at] = (wal[at] ?? 0) ^ (1 << bit)
  return wal
}

describe("the recorded log", () => {
  it("is whole, has a commit frame at the end of every transaction, and was written before each answer", () => {
    const frames = framesOf(run.wal)
    expect(frames.at(-1)?.end).toBe(run.wal.length)
    const ends = frames.flatMap(({ commits, end }) => (commits ? [end] : []))
    const recorded = new Set(run.commits.map(({ bytes }) => bytes).filter((bytes) => bytes > 0))
    expect([...recorded]).toStrictEqual(ends)
    expect(frames.length).toBeGreaterThan(ends.length)
    for (const { bytes, position } of run.answers) expect(positionAt(bytes)).toBe(position)
    expect(run.hashes.length).toBe(positionAt(run.wal.length))
  })
})

describe("a command of several events", () => {
  it("is in one commit, so that a cut leaves all of it or nothing", () => {
    for (const { first, last } of run.together) {
      const inside = run.commits.filter(({ position }) => position >= first && position < last)
      expect(inside, `events ${first} to ${last}`).toStrictEqual([])
    }
    expect(run.together.length).toBeGreaterThanOrEqual(2)
    expect(run.types.get("LeaseRenewed")).toBeGreaterThan(0)
    console.log(`recorded: ${run.together.length} commands of several events`, run.types)
  })
})

describe("a power cut", () => {
  it("at any frame's boundary leaves the history up to the last commit", () => {
    let newest = 1
    for (const { end } of framesOf(run.wal)) {
      const position = holds(run.wal.subarray(0, end), answeredAt(end))
      expect(position).toBeGreaterThanOrEqual(newest)
      newest = position
    }
    expect(newest).toBe(run.hashes.length)
  })

  it("within a frame drops the frame and its transaction", () => {
    fc.assert(
      fc.property(anyByte, (bytes) => {
        holds(run.wal.subarray(0, bytes), answeredAt(bytes))
      }),
      propParameters()
    )
  })

  it("that leaves zeros drops what is no longer whole", () => {
    fc.assert(
      fc.property(anyByte, (bytes) => {
        const wal = Buffer.from(run.wal).fill(0, bytes)
        holds(wal, answeredAt(bytes))
      }),
      propParameters()
    )
  })

  it("or a disk that turns one bit over drops that frame and everything behind it", () => {
    fc.assert(
      fc.property(anyByte, fc.nat({ max: 7 }), (at, bit) => {
        const frame = framesOf(run.wal).findLast(({ end }) => end <= at)
        const wal = flipped(at, bit)
        expect(framesOf(wal).at(-1)?.end ?? 0).toBeLessThanOrEqual(at)
        holds(wal, answeredAt(frame?.end ?? 0))
      }),
      propParameters()
    )
  })

  it("leaves a ledger that verifies and goes on", async () => {
    await fc.assert(
      fc.asyncProperty(anyByte, (bytes) => goesOn(run.wal.subarray(0, bytes))),
      propParameters(0.1)
    )
  })
})
