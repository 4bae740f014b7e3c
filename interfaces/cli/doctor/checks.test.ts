/** What the doctor says of facts that no test machine has: network file systems, full disks, logs that are held, old schemas. */
import { describe, expect, it } from "vitest"
import type { Handshake } from "../../../domain/network/cassette.ts"
import {
  bytesText,
  embedderCheck,
  type FileFacts,
  fileChecks,
  type LedgerFacts,
  ledgerChecks,
  missingCheck,
  reportOf,
  unusableCheck,
  vectorChecks
} from "./checks.ts"

const file: FileFacts = {
  name: "ledger",
  file: "/data/system3.db",
  fileSystem: "ext4",
  isNetwork: false,
  isMemory: false,
  freeBytes: 10 * 2 ** 30,
  bytes: 2 ** 20,
  walBytes: 4_096,
  writable: true,
  lone: undefined
}

const ledger: LedgerFacts = {
  version: 2,
  supported: 2,
  durability: "full",
  events: 100,
  lastDay: 10,
  lastWeek: 70,
  newest: "2026-11-28T08:00:00.000Z",
  oldestLease: undefined,
  expiredLeases: 0,
  executions: undefined,
  fault: undefined
}

const lease = {
  run_id: "r",
  step_id: "s",
  job_id: "j",
  worker_id: "w",
  fencing_token: 1,
  lease_expires_at: "2026-11-28T09:00:00.001Z",
  expired: false
}

const worst = (facts: Partial<FileFacts>) =>
  fileChecks({ ...file, ...facts }).filter(({ state }) => state !== "ok")

const worstOfLedger = (facts: Partial<LedgerFacts>, place: Partial<FileFacts> = {}) =>
  ledgerChecks({ ...ledger, ...facts }, { ...file, ...place }).filter(({ state }) => state !== "ok")

describe("a file", () => {
  it("on a local disk with room, written to, with a short log, needs nothing", () => {
    expect(worst({})).toEqual([])
    expect(worst({ walBytes: 64 * 2 ** 20 })).toEqual([])
  })

  it("on a network file system is a problem, in memory is worth a word", () => {
    expect(worst({ fileSystem: "NFS", isNetwork: true })).toMatchObject([
      { check: "ledger file system", state: "problem", do: expect.stringContaining("local disk") }
    ])
    expect(worst({ fileSystem: "tmpfs", isMemory: true })).toMatchObject([{ state: "advice" }])
  })

  it("with another name, or mounted alone, is a problem with what to do", () => {
    expect(worst({ lone: "it has 2 names: remove one" })).toEqual([
      { check: "ledger place", state: "problem", seen: "it has 2 names", do: "remove one" }
    ])
  })

  it("without room for a copy of itself gets advice", () => {
    expect(worst({ freeBytes: 10 * 2 ** 20 })).toMatchObject([{ check: "ledger room" }])
    expect(worst({ freeBytes: 2 ** 30, bytes: 2 ** 31 })).toMatchObject([{ check: "ledger room" }])
  })

  it("with a log that cannot be emptied, or without the right to write, gets advice", () => {
    expect(worst({ walBytes: 300 * 2 ** 20 })).toMatchObject([
      { check: "ledger write-ahead log", seen: "300.0 MiB" }
    ])
    expect(worst({ writable: false })).toMatchObject([{ check: "ledger access", seen: "read-only" }])
  })
})

describe("a ledger", () => {
  it("that is sound, durable and has no expired lease needs nothing", () => {
    expect(worstOfLedger({ oldestLease: lease })).toEqual([])
  })

  it("tells its executions, and how one that stopped runs again", () => {
    const execution = {
      execution: "Order/it's",
      workflow: "Order",
      execution_id: "it's",
      status: "suspended",
      since: "2026-11-28T08:00:00.000Z",
      turns: 1,
      waits: ["gate"]
    } as const
    const executions = {
      counts: { suspended: 2, running: 1 },
      longest_suspended: execution,
      stopped: [],
      more: false
    }
    const workflows = (facts: Partial<LedgerFacts>) =>
      ledgerChecks({ ...ledger, ...facts }, file).filter(({ check }) => check === "workflows")
    expect(workflows({})).toEqual([])
    expect(workflows({ executions: { ...executions, counts: {} } })).toEqual([])
    const seen = "1 running, 2 suspended (Order/it's since 2026-11-28T08:00:00.000Z, waits: gate)"
    expect(workflows({ executions })).toEqual([{ check: "workflows", state: "ok", seen }])
    const stopped = [{ ...execution, status: "failed" as const }]
    expect(
      workflows({ executions: { ...executions, counts: { failed: 1 }, stopped, more: true } })
    ).toMatchObject([
      { state: "advice", seen: "1 failed, and more", run: `cortex workflow resume 'Order/it'\\''s'` }
    ])
  })

  it("with an expired lease gets the command that lets the step wait again", () => {
    expect(worstOfLedger({ oldestLease: { ...lease, expired: true }, expiredLeases: 3 })).toMatchObject([
      {
        check: "oldest lease",
        state: "advice",
        seen: expect.stringContaining("3 expired"),
        do: expect.stringContaining("let it wait again"),
        run: expect.stringContaining("cortex cassette requeue --run-id r --step s")
      }
    ])
  })

  it("with very many expired leases is told that there are as many or more", () => {
    const oldestLease = { ...lease, run_id: "-r", expired: true }
    expect(worstOfLedger({ oldestLease, expiredLeases: 999 })[0]?.seen).toContain("; 999 expired")
    expect(worstOfLedger({ oldestLease, expiredLeases: 1_000 })).toMatchObject([
      {
        seen: expect.stringContaining("; 1000 or more expired"),
        run: expect.stringContaining(" --run-id=-r ")
      }
    ])
  })

  it("that is damaged is a problem", () => {
    expect(worstOfLedger({ fault: "TRIGGER_MISSING at x: y" })).toMatchObject([
      { check: "ledger", state: "problem" }
    ])
  })

  it("of an older version, less durable, in memory or very long gets advice", () => {
    expect(worstOfLedger({ version: 1 })).toMatchObject([{ check: "ledger schema" }])
    expect(worstOfLedger({ durability: "normal" })).toMatchObject([{ check: "durability" }])
    expect(worstOfLedger({}, { isMemory: true })).toMatchObject([{ check: "durability" }])
    expect(worstOfLedger({ events: 10_000_001 })).toMatchObject([{ check: "growth" }])
  })

  it("tells its growth by what the last week added", () => {
    const [, , , , growth] = ledgerChecks(ledger, { ...file, bytes: 1_000 * 100 })
    expect(growth?.seen).toContain("about 9.8 KiB a day")
    const [, , , , none] = ledgerChecks({ ...ledger, events: 0, lastWeek: 0, newest: null }, file)
    expect(none?.seen).toContain("about 0 bytes a day")
  })
})

describe("an embedder", () => {
  const embedder = {
    model: "m",
    revision: "1",
    dimensions: 3,
    normalizer: "nfc/1",
    status: "ok",
    took_ms: 4,
    last_failure: null
  } as const
  const handshake: Handshake = {
    cassette_id: "docs",
    db_path: "docs.db",
    db_hash: "0".repeat(16),
    capabilities: ["fts"],
    schema_version: "1.0",
    protocol: "SNP",
    protocol_version: "1.0",
    embedding_model: null,
    mutability: "mutable",
    stats: { total_chunks: 5, with_vectors: 0, files: 1, content_types: [] }
  }

  it("is a problem where it fails, and advice where it may only be slow", () => {
    expect(embedderCheck(embedder)).toMatchObject({ state: "ok", seen: expect.stringContaining("4 ms") })
    const states = (["failed", "late"] as const).map((status) =>
      embedderCheck({ ...embedder, status, reason: "why" })
    )
    expect(states).toMatchObject([
      { state: "problem", seen: expect.stringContaining(": why") },
      { state: "advice", seen: expect.stringContaining(": why") }
    ])
  })

  it("is of no use to a cassette without vectors, or with those of another one", () => {
    const stats = { ...handshake.stats, with_vectors: 5 }
    const origin = { isExternal: false, isImmutable: false, hasSources: true }
    const run = (more: Partial<typeof origin>, found = handshake) =>
      vectorChecks(found, embedder, { ...origin, ...more }).map(({ run }) => run)
    expect(run({})).toEqual(["cortex network index docs"])
    expect(run({ hasSources: false })).toEqual(["cortex network reindex docs"])
    expect(run({ isImmutable: true })).toEqual(["cortex network index docs"])
    const others = { ...handshake, stats }
    expect(run({}, others)).toEqual(["cortex network reindex docs"])
    expect(run({ hasSources: false }, others)).toEqual(["cortex network reindex docs"])
    expect(run({ isImmutable: true }, others)).toEqual(["cortex network index docs"])
    for (const found of [handshake, others]) {
      const checks = [
        { ...origin, isExternal: true },
        { ...origin, isImmutable: true, hasSources: false }
      ].flatMap((each) => vectorChecks(found, embedder, each))
      expect(checks.map(({ run }) => run)).toEqual([undefined, undefined])
      expect(checks).toMatchObject([
        { do: expect.stringContaining("where it belongs") },
        { do: expect.stringContaining("import its cartridge again") }
      ])
    }
    expect(run({}, { ...others, capabilities: ["vectors", "fts"] })).toEqual([])
    expect(run({}, { ...others, stats: { ...stats, total_chunks: 0 } })).toEqual([])
  })
})

describe("the report", () => {
  it("is as bad as its worst check", () => {
    const fine = missingCheck("corpus", "/x", "make it")
    const bad = unusableCheck("corpus", { message: "no database" }, "cortex cache verify")
    expect(reportOf([]).verdict).toBe("ok")
    expect(reportOf([fine, ...worst({ writable: false })]).verdict).toBe("advice")
    expect(reportOf([bad, fine]).verdict).toBe("problem")
  })

  it("tells bytes in the unit that people use", () => {
    expect([0, 1_023, 1_024, 1_048_576, 2 ** 31].map(bytesText)).toEqual([
      "0 bytes",
      "1023 bytes",
      "1.0 KiB",
      "1.0 MiB",
      "2.0 GiB"
    ])
  })
})
