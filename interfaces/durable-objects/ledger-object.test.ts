// Ledgers as objects in workerd: birth by a post alone, the life of steps, bounds, the log as lines, the file that the runtime keeps,
// and what is left when it is killed.
import { createPublicKey } from "node:crypto"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { expect, it } from "vitest"
import type { MadeCheckpoint } from "../../application/ledger/proofs/checkpoint.ts"
import type { Claimed, Posted } from "../../domain/ledger/decide.ts"
import type { Head } from "../../domain/ledger/event-envelope.ts"
import type { VerificationReport } from "../../domain/ledger/verification.ts"
import { runCli } from "../cli/testing/in-process.ts"
import { Ledger } from "../embedding/ledger.ts"
import type { LedgerStatus } from "./ledger-object.ts"
import type { Outcome } from "./outcome.ts"
import { AUDIT_KEY } from "./testing/audit-key.ts"
import { describeInWorkerd } from "./testing/describe-workerd.ts"

const message = (run_id: string, n: number) => ({
  run_id,
  source: "USER",
  payload: { n },
  idempotency_key: `k${n}`
})

describeInWorkerd("a ledger in a Durable Object", (running) => {
  const ask = <A>(name: string, method: string, ...args: ReadonlyArray<unknown>) =>
    running.workerd().ask<Outcome<A>>("RUN", name, method, ...args)
  const data = async <A>(name: string, method: string, ...args: ReadonlyArray<unknown>): Promise<A> => {
    const outcome = await ask<A>(name, method, ...args)
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.error))
    return outcome.data
  }
  const codeOf = async (name: string, method: string, ...args: ReadonlyArray<unknown>) => {
    const outcome = await ask(name, method, ...args)
    return outcome.ok ? "ok" : outcome.error.code
  }
  const fileOf = (before: ReadonlySet<string>): string => {
    const file = [...files()].find((name) => name.endsWith(".sqlite") && !before.has(name))
    return join(running.folder, "data", "run", file ?? "")
  }
  const files = () => new Set(readdirSync(join(running.folder, "data", "run")))

  it("is born by a post alone: nothing else writes anything", async () => {
    const step = { run_id: "r", step_id: "s", worker_id: "w", fencing_token: 1 }
    const calls: ReadonlyArray<readonly [string, ...ReadonlyArray<unknown>]> = [
      ["claim", { run_id: "r", worker_id: "w" }],
      ["claimAny", { worker_id: "w" }],
      ["complete", { ...step, receipt_payload: {}, outcome: "SUCCESS" }],
      ["renew", step],
      ["requeue", { ...step, reason: "x" }],
      ["commands", [{ _tag: "ClaimStep", run_id: "r", worker_id: "w" }]],
      ["recordThought", { type: "plan", task_id: "t", agent_id: "a", content: "c" }],
      ...["status", "log", "head", "verify", "export", "listThoughts"].map((name): readonly [string] => [
        name
      ])
    ]
    for (const [method, ...args] of calls) {
      expect(await codeOf("unborn", method, ...args), method).toBe("NOT_A_LEDGER")
    }
    expect(await codeOf("unborn", "post", { run_id: "r", source: "ANYONE", payload: {} })).toBe(
      "INVALID_PARAMS"
    )
    expect(await codeOf("unborn", "commands", [{ _tag: "PostMessage", run_id: "" }])).toBe("INVALID_PARAMS")
    expect(await codeOf("unborn", "commands", null)).toBe("NOT_A_LEDGER")
    const steps = Array.from({ length: 3 }, () => ({ text: "x".repeat(700_000) }))
    const long = { ...message("r", 1), jobs: [{ intent: "i", steps }] }
    expect(await codeOf("unborn", "post", long)).toBe("INVALID_PARAMS")
    const outcomes = await data<ReadonlyArray<Outcome<unknown>>>("unborn", "commands", [
      { _tag: "PostMessage", ...long },
      { _tag: "ClaimStep", run_id: "r", worker_id: "w" }
    ])
    expect(outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.error.code))).toEqual([
      "INVALID_PARAMS",
      "NO_PENDING_STEP"
    ])
    expect(await running.workerd().ask("RUN", "unborn", "sql", "SELECT name FROM sqlite_schema")).toEqual([])
    await data("unborn", "post", message("r", 1))
    expect((await data<LedgerStatus>("unborn", "status")).ledger_id).toBe("unborn")
  })

  it("lives as any ledger does, and answers errors as data", async () => {
    const posted = await data<Posted>("life", "post", message("r1", 1))
    expect(await data<Posted>("life", "post", message("r1", 1))).toEqual({ ...posted, created: false })
    const claimed = await data<Claimed>("life", "claim", { run_id: "r1", worker_id: "w1" })
    const renewed = await data<{ lease: object }>("life", "renew", claimed.lease)
    expect(
      await ask("life", "complete", { ...claimed.lease, receipt_payload: {}, outcome: "SUCCESS" })
    ).toMatchObject({
      ok: false,
      error: { code: "STALE_FENCING_TOKEN", details: { step_id: claimed.step_id } }
    })
    await data("life", "requeue", { ...renewed.lease, reason: "given back" })
    const again = await data<Claimed>("life", "claimAny", { worker_id: "w2" })
    await data("life", "complete", { ...again.lease, receipt_payload: { said: "hello" }, outcome: "SUCCESS" })
    expect(await codeOf("life", "claim", { run_id: "r1", worker_id: "w" })).toBe("NO_PENDING_STEP")
    const record = await data("life", "recordThought", {
      type: "plan",
      task_id: "t",
      agent_id: "a",
      content: "c"
    })
    expect(await data("life", "listThoughts")).toEqual([record])
    expect((await data<LedgerStatus>("life", "status", "r1")).runs).toMatchObject([
      { run_id: "r1", committed: 1 }
    ])
    expect(await data<ReadonlyArray<object>>("life", "log", { after: 1, limit: 2 })).toMatchObject([
      { position: 2, type: "MessagePosted" },
      { position: 3, type: "StepClaimed" }
    ])
    const report = await data<VerificationReport>("life", "verify")
    expect(report).toMatchObject({ verdict: "PASS", counts: { events: 8 } })
  })

  it("verifies beside posts, and both are right", async () => {
    await data("beside", "post", message("r", 0))
    const posts = Array.from({ length: 20 }, (_, n) => data<Posted>("beside", "post", message("r", n + 1)))
    const reports = Array.from({ length: 5 }, () => data<VerificationReport>("beside", "verify"))
    expect((await Promise.all(reports)).map(({ verdict }) => verdict)).toEqual(
      Array.from({ length: 5 }, () => "PASS")
    )
    expect(new Set((await Promise.all(posts)).map(({ message_id }) => message_id)).size).toBe(20)
    expect((await data<Head>("beside", "head")).position).toBe(22)
  })

  it("is no ledger under a name that can be no id, and shows nothing but its methods", async () => {
    expect(await codeOf("n".repeat(257), "post", message("r", 1))).toBe("INVALID_PARAMS")
    for (const name of ["answer", "create", "run", "opened", "services", "signingKey", "key"]) {
      await expect(ask("life", name)).rejects.toThrow("does not implement")
    }
  })

  it("takes several commands in one call, each with an outcome", async () => {
    const outcomes = await data<ReadonlyArray<Outcome<unknown>>>("batch", "commands", [
      { _tag: "PostMessage", ...message("r1", 1) },
      { _tag: "ClaimStep", run_id: "r1", worker_id: "w1" },
      { _tag: "ClaimStep", run_id: "r1", worker_id: "w2" }
    ])
    expect(outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.error.code))).toEqual([
      "ok",
      "ok",
      "NO_PENDING_STEP"
    ])
  })

  it("refuses at once what an object cannot hold or do, and stays as it was", async () => {
    await data("bounds", "post", message("r1", 1))
    const head = await data<Head>("bounds", "head")
    const steps = Array.from({ length: 3 }, () => ({ text: "x".repeat(700_000) }))
    const large = await ask("bounds", "post", { ...message("r1", 2), jobs: [{ intent: "i", steps }] })
    expect(large).toMatchObject({ ok: false, error: { code: "INVALID_PARAMS" } })
    expect(JSON.stringify(large)).toMatch(
      /the event would have 2100\d\d\d bytes, and this store takes 1995904/
    )
    const thought = { type: "plan", task_id: "t", agent_id: "a", content: '"'.repeat(1_048_576) }
    expect(await codeOf("bounds", "recordThought", thought)).toBe("INVALID_PARAMS")
    const wait = await ask("bounds", "claim", { run_id: "none", worker_id: "w", wait: 60_000 })
    expect(wait).toMatchObject({ ok: false, error: { details: { issues: [{ path: "/wait" }] } } })
    const many = Array.from({ length: 257 }, () => ({ _tag: "ClaimStep", run_id: "r1", worker_id: "w" }))
    expect(await codeOf("bounds", "commands", many)).toBe("INVALID_PARAMS")
    expect(await data<Head>("bounds", "head")).toEqual(head)
    const { length } = JSON.stringify(await data("bounds", "post", message("r1", 3)))
    expect(length).toBeGreaterThan(0)
  })

  it("finds rules that were taken away, and what was changed then", async () => {
    await data("cheat", "post", message("r1", 1))
    const cheated = [
      "DROP TRIGGER tr_messages_append_only_update",
      "UPDATE cassette_messages SET source = 'SYSTEM'"
    ]
    await running.workerd().ask("RUN", "cheat", "sql", ...cheated)
    const { findings, verdict } = await data<VerificationReport>("cheat", "verify")
    expect(verdict).toBe("FAIL")
    expect(findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["TRIGGER_MISSING", "ROW_DIFFERS"])
    )
  })

  it("comes out as lines of which a file with the same head is made, and its own file verifies", async () => {
    const before = files()
    for (let n = 0; n < 3; n++) await data("out", "post", message("r0", n))
    const posts = (run_id: string) =>
      Array.from({ length: 250 }, (_, n) => ({ _tag: "PostMessage", ...message(run_id, n) }))
    for (let n = 1; n <= 5; n++) await data("out", "commands", posts(`r${n}`))
    const lines = await running.workerd().exported("out")
    const filename = join(running.folder, "imported.db")
    const bytes = Stream.make(Buffer.from(lines))
    const report = await Effect.runPromise(Ledger.importFrom(bytes, { filename }))
    expect(report.head).toEqual((await data<VerificationReport>("out", "verify")).head)
    const verified = async (db: string) => {
      const { code, stderr, stdout } = await runCli(["cassette", "verify", "--db", db], {
        cwd: running.folder
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: "PASS: All invariants verified\n" })
      return stdout
    }
    expect(await verified(fileOf(before))).toBe(await verified(filename))
  })

  it("signs what a file with the same events signs, to the last byte", async () => {
    await data("signed", "post", message("r1", 1))
    const { note } = await data<MadeCheckpoint>("signed", "checkpoint", { keyName: "ops" })
    await data("signed", "post", message("r1", 2))
    const head = await data<Head>("signed", "head")
    const newer = await data<MadeCheckpoint>("signed", "checkpoint")
    expect(newer).toMatchObject({ origin: "cassette/signed", size: 3, key_name: "cassette/signed" })
    const run = async (...args: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await runCli(args, { cwd: running.folder })
      expect({ code, stderr }).toMatchObject({ code: 0 })
      return stdout
    }
    const lines = await running.workerd().exported("signed")
    writeFileSync(join(running.folder, "signed.jsonl"), lines)
    writeFileSync(join(running.folder, "audit.pem"), AUDIT_KEY, { mode: 0o600 })
    writeFileSync(join(running.folder, "older.txt"), note)
    writeFileSync(join(running.folder, "newer.txt"), newer.note)
    const file = ["--db", "signed.db"]
    await run("cassette", "import", "signed.jsonl", "--to", "signed.db")
    expect(await run("cassette", "checkpoint", ...file, "--key", "audit.pem")).toBe(newer.note)
    const public_key = createPublicKey(AUDIT_KEY).export({ format: "pem", type: "spki" })
    const scope = { ledgers: ["signed"] }
    const keys = ["ops", newer.key_name].map((name) => ({ name, public_key, scope, enabled: true }))
    writeFileSync(join(running.folder, "trust.json"), JSON.stringify({ keys }))
    const trust = ["--trust", "trust.json"]
    await run("cassette", "verify", ...file, "--checkpoint", "older.txt", ...trust)
    await run("dossier", "export", "--out", "out", ...file, "--run-id", "r1", "--checkpoint", "newer.txt")
    await run("dossier", "verify", "out", ...trust)
    const checkpoint = { note, trust: { keys } }
    expect((await data<VerificationReport>("signed", "verify", { checkpoint })).verdict).toBe("PASS")
    expect(await data<Head>("signed", "head")).toEqual(head)
  })

  it("signs nothing without a key, or under a name that is none", async () => {
    await data("keyless", "post", message("r1", 1))
    const refused = await ask("keyless", "checkpoint")
    expect(refused).toMatchObject({ ok: false, error: { code: "SIGNING_FAILED" } })
    expect(JSON.stringify(refused)).toContain("the secret is no key: it is not one block")
    expect(await codeOf("life", "checkpoint", { keyName: "a b" })).toBe("INVALID_KEY_NAME")
    expect(await codeOf("life", "checkpoint", { keyName: 7 })).toBe("INVALID_PARAMS")
  })

  it("has everything that was acknowledged before the runtime was killed", async () => {
    const acknowledged = new Set<string>()
    const posts = Array.from({ length: 200 }, async (_, n) => {
      const posted = await ask<Posted>("killed", "post", message("r1", n)).catch(() => undefined)
      if (posted?.ok === true) acknowledged.add(posted.data.message_id)
      if (acknowledged.size === 50) await running.kill()
    })
    await Promise.all(posts)
    expect(acknowledged.size).toBeGreaterThanOrEqual(50)
    await running.start()
    expect((await data<VerificationReport>("killed", "verify")).verdict).toBe("PASS")
    const log = await running.workerd().exported("killed")
    expect([...acknowledged].filter((id) => !log.includes(id))).toEqual([])
    await data("killed", "post", message("r1", 1_000))
  })
})
