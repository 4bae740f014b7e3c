/** The tools: one envelope, strict input, honest hints, one agent's name, and a server that only reads. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { runCli } from "../cli/testing/in-process.ts"
import { testHost } from "../cli/testing/test-host.ts"
import { Ledger } from "../embedding/ledger.ts"
import { agentTools, toolGroups } from "./tools/agent-tools.ts"
import { Caller } from "./caller.ts"
import { CorpusAccess } from "./corpus-access.ts"
import { LedgerAccess } from "./ledger-access.ts"
import { NetworkAccess } from "./network-access.ts"
import { RootFolder } from "./root-folder.ts"
import { serve } from "./server.ts"
import { Session } from "./testing/session.ts"
import { sessionsOfTests } from "./testing/sessions.ts"

const { place, start } = sessionsOfTests()

const hello = { type: "plan", task_id: "t1", agent_id: "a1", content: "hello" }
const work = { run_id: "r1", source: "USER", payload: { intent: "tidy", steps: [{ n: 1 }, { n: 2 }] } }

/** What a server that only reads has left. */
const readingTools = [
  "lease_list",
  "job_status",
  "ledger_verify",
  "thought_record_list",
  "audit_verify_chain",
  "history_show",
  "history_timeline",
  "corpus_list",
  "bundle_verify",
  "dossier_verify",
  "semantic_search",
  "cassette_network_query",
  "cassette_stats",
  "symbol_resolve",
  "semantic_neighbors",
  "memory_query",
  "memory_recall"
]

const rememberedHash = createHash("sha256").update("one thing").digest("hex")

/** The hash of the one chunk of "one\ntwo\n", whose end does not belong to it. */
const oneHash = createHash("sha256").update("one\ntwo").digest("hex")

describe("thought_record MCP tool", () => {
  it("returns envelope {ok:true, data: ThoughtRecord}", async () => {
    const session = await start()
    const { envelope, isError } = await session.call("thought_record", {
      ...hello,
      id: "r1",
      timestamp: "2026-04-17T00:00:00Z"
    })
    expect(isError).toBe(false)
    expect(envelope).toEqual({
      ok: true,
      data: {
        id: "r1",
        ...hello,
        timestamp: "2026-04-17T00:00:00Z",
        prev_hash: "0".repeat(64),
        hash: "6a2f9597f563d5515cfa69891a51806d0f93bfbe222997d3ba37c365ceee3f1a"
      }
    })
  })

  it("rejects invalid type with INVALID_PARAMS envelope", async () => {
    const session = await start()
    const { envelope, isError } = await session.call("thought_record", { ...hello, type: "guess" })
    expect(isError).toBe(true)
    expect(envelope.error).toMatchObject({ code: "INVALID_PARAMS", details: { issues: [{ path: "/type" }] } })
  })
})

describe("thought_record_list MCP tool", () => {
  it("returns envelope {ok:true, data: {records: []}} on empty", async () => {
    const session = await start()
    await session.data("message_post", work)
    expect((await session.call("thought_record_list")).envelope).toEqual({ ok: true, data: { records: [] } })
  })

  it("filters by task_id through the tool", async () => {
    const session = await start()
    for (const task_id of ["t1", "t2", "t1"]) await session.data("thought_record", { ...hello, task_id })
    const { records } = await session.data("thought_record_list", { task_id: "t1" })
    expect(records).toMatchObject([{ task_id: "t1" }, { task_id: "t1" }])
  })

  it("refuses a limit of 0", async () => {
    const session = await start()
    await session.data("thought_record", hello)
    expect(await session.code("thought_record_list", { limit: 0 })).toBe("INVALID_PARAMS")
  })
})

describe("registerThoughtTools", () => {
  const nobody = testHost()
  const serving = (tools: typeof agentTools) =>
    Effect.runPromise(
      serve(nobody, tools).pipe(
        Effect.scoped,
        Effect.provideService(Caller, { agent: undefined }),
        Effect.provideService(RootFolder, { path: "/", isNamed: true }),
        Effect.provideService(LedgerAccess, { open: () => Effect.die("no tool is called here") }),
        Effect.provideService(CorpusAccess, { open: Effect.die("no tool is called here") }),
        Effect.provideService(NetworkAccess, { open: Effect.die("no tool is called here") })
      )
    )

  it("registers both tool names on the ctx", async () => {
    const session = await start()
    const { result } = await session.request("tools/list")
    const names = (result as { tools: ReadonlyArray<{ name: string }> }).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["thought_record", "thought_record_list"]))
  })

  it("throws when called twice (double-registration)", async () => {
    await serving(agentTools)
    await expect(serving([...agentTools, ...agentTools.slice(0, 1)])).rejects.toThrow(
      "two tools are called message_post"
    )
  })
})

describe("what a tool says of itself", () => {
  it("hints are of one piece: what reads destroys nothing and can be repeated", () => {
    for (const { hints, name } of agentTools) {
      if (hints.readOnly)
        expect(hints, name).toEqual({ readOnly: true, destructive: false, idempotent: true })
    }
    expect(agentTools.filter(({ hints }) => hints.readOnly).map(({ name }) => name)).toEqual(readingTools)
  })

  it("answers fit the Schemas that are promised", async () => {
    const session = await start()
    const answers: Record<string, unknown> = {}
    const call = async (name: string, input: unknown = {}) => {
      answers[name] = (await session.call(name, input)).envelope
      return (answers[name] as { data?: Record<string, unknown> }).data ?? {}
    }
    const { job_id } = await call("message_post", work)
    const first = await call("step_claim", { run_id: "r1", worker_id: "w" })
    const renewed = await call("lease_renew", first["lease"])
    await call("step_requeue", {
      run_id: "r1",
      step_id: first["step_id"],
      reason: "tired",
      requested_by: "w",
      worker_id: "w",
      fencing_token: renewed["fencing_token"]
    })
    const again = await call("step_claim", { run_id: "r1", worker_id: "w" })
    await call("lease_list")
    await call("step_complete", {
      ...(again["lease"] as object),
      receipt_payload: { done: true },
      outcome: "SUCCESS"
    })
    await call("job_status", { job_id })
    await call("ledger_verify", { pure: true })
    await call("thought_record", hello)
    await call("thought_record_list")
    await call("audit_verify_chain")
    await call("history_show", { id: first["step_id"] })
    await call("history_timeline", { run_id: "r1" })
    writeFileSync(join(place.folder, "a.txt"), "one\ntwo\n")
    await runCli(["index"], { cwd: place.folder })
    await runCli(["symbol", "add", "@DOCS/a", "a.txt"], { cwd: place.folder })
    await call("corpus_list", { kind: "symbols" })
    const piece = { symbol_id: "@DOCS/a", slice: "lines[0:1]" }
    await call("corpus_resolve", { ...piece, run_id: "r1" })
    const request = { run_id: "r1", request_id: "q1", intent: "read", inputs: { symbols: [piece] } }
    const { job_id: reading } = await call("plan_submit", request)
    await runCli(["work", "--run-id", "r1", "--worker", "w", "--job", String(reading)], { cwd: place.folder })
    await call("bundle_build", { run_id: "r1", job_id: reading, out: "out" })
    await call("bundle_verify", { path: "out" })
    await runCli(["key", "generate", "--out", "audit.pem"], { cwd: place.folder })
    await runCli(["cassette", "checkpoint", "--key", "audit.pem", "--out", "note.txt"], { cwd: place.folder })
    writeFileSync(join(place.folder, "trust.json"), '{"keys":[]}')
    await call("dossier_export", { run_id: "r1", checkpoint: "note.txt", out: "evidence" })
    await call("dossier_verify", { path: "evidence", trust: "trust.json" })
    await runCli(["network", "init"], { cwd: place.folder })
    await runCli(["network", "index"], { cwd: place.folder })
    await call("semantic_search", { query: "one" })
    await call("cassette_network_query", { query: "one" })
    await call("cassette_stats")
    await call("symbol_resolve", { symbol: `@C:${oneHash}` })
    await call("semantic_neighbors", { hash: oneHash })
    await call("memory_save", { text: "one thing", cassette: "memory", metadata: { why: "later" } })
    await call("memory_query", { query: "one" })
    await call("memory_recall", { hash: rememberedHash })
    const { symbol } = await call("memory_save", { text: "for a while", cassette: "documents" })
    await call("memory_forget", { hash: symbol, cassette: "documents" })
    for (const tool of agentTools) {
      const { data, ...others } = answers[tool.name] as { data: unknown }
      expect(others, tool.name).toEqual({ ok: true })
      Schema.decodeUnknownSync(tool.data, { onExcessProperty: "error" })(data)
    }
  })
})

describe("strict input", () => {
  it("refuses an argument that no tool knows, with its path", async () => {
    const session = await start()
    const { envelope } = await session.call("step_claim", { run_id: "r1", worker_id: "w", priority: 1 })
    expect(envelope.error).toMatchObject({
      code: "INVALID_PARAMS",
      details: { issues: [{ path: "/priority" }] }
    })
    expect(existsSync(join(place.folder, "CORTEX"))).toBe(false)
  })

  it("refuses a job and a run at once, and neither", async () => {
    const session = await start()
    expect(await session.code("job_status", { run_id: "r1", job_id: "j" })).toBe("INVALID_PARAMS")
    expect(await session.code("job_status")).toBe("INVALID_PARAMS")
  })
})

describe("errors", () => {
  it("are the ledger's own, one envelope each", async () => {
    const session = await start()
    expect(await session.code("step_claim", { run_id: "r1", worker_id: "w" })).toBe("FILE_MISSING")
    await session.data("message_post", { ...work, idempotency_key: "k" })
    expect(
      await session.code("message_post", { ...work, idempotency_key: "k", payload: { other: true } })
    ).toBe("IDEMPOTENCY_CONFLICT")
    expect(await session.code("step_claim", { run_id: "r2", worker_id: "w" })).toBe("NO_PENDING_STEP")
    const claim = await session.data("step_claim", { run_id: "r1", worker_id: "w" })
    const step = { run_id: "r1", step_id: claim["step_id"] }
    const finish = { ...step, worker_id: "w", fencing_token: 1, receipt_payload: {}, outcome: "SUCCESS" }
    expect(await session.code("step_complete", { ...finish, outcome: "MAYBE" })).toBe("INVALID_PARAMS")
    expect(await session.code("step_complete", { ...finish, step_id: "step_none" })).toBe("STEP_NOT_FOUND")
    expect(await session.code("step_complete", { ...finish, run_id: "r2" })).toBe("WRONG_RUN")
    expect(await session.code("step_complete", { ...finish, worker_id: "v" })).toBe("WRONG_WORKER")
    expect(await session.code("step_complete", { ...finish, fencing_token: 2 })).toBe("STALE_FENCING_TOKEN")
    expect(await session.code("step_requeue", { ...step, reason: "late", requested_by: "o" })).toBe(
      "LEASE_NOT_EXPIRED"
    )
    await session.data("step_complete", finish)
    expect(await session.code("step_complete", finish)).toBe("NOT_LEASED")
    expect(await session.code("job_status", { job_id: "job_none" })).toBe("JOB_NOT_FOUND")
    expect(await session.code("job_status", { run_id: "none" })).toBe("RUN_NOT_FOUND")
    await session.data("thought_record", { ...hello, id: "x" })
    expect(await session.code("thought_record", { ...hello, id: "x" })).toBe("DUPLICATE_ID")
    expect(await session.code("thought_record_list", { after: "none" })).toBe("THOUGHT_NOT_FOUND")
  })

  it("a verdict that is no is a report, not an error", async () => {
    const session = await start()
    await session.data("message_post", work)
    await session.data("step_claim", { run_id: "r1", worker_id: "w", ttl_seconds: 1 })
    const now = "2099-01-01T00:00:00.000Z"
    const report = await session.data("ledger_verify", { now })
    expect(report).toMatchObject({ verdict: "FAIL" })
    expect(await session.data("ledger_verify", { now, run_id: "r1" })).toMatchObject({ verdict: "FAIL" })
    await session.data("message_post", { ...work, run_id: "another" })
    const other = await session.data("ledger_verify", { now, run_id: "another" })
    expect(other).toMatchObject({ verdict: "PASS" })
    expect(await session.code("ledger_verify", { run_id: "typo", pure: true })).toBe("RUN_NOT_FOUND")
  })
})

describe("--agent", () => {
  it("acts in its own name where a call names no one", async () => {
    const session = await start("--agent", "ada")
    await session.data("message_post", work)
    expect(await session.data("thought_record", { ...hello, agent_id: "ada" })).toMatchObject({
      agent_id: "ada"
    })
    const claim = await session.data("step_claim", { run_id: "r1" })
    expect(
      await session.data("step_complete", {
        run_id: "r1",
        step_id: claim["step_id"],
        fencing_token: 1,
        receipt_payload: {},
        outcome: "SUCCESS"
      })
    ).toHaveProperty("receipt_id")
  })

  it("refuses another's name in every tool that takes one", async () => {
    const session = await start("--agent", "ada")
    const step = { run_id: "r1", step_id: "s", fencing_token: 1 }
    const lease = { worker_id: "bob", fencing_token: 1 }
    expect([
      await session.code("step_claim", { run_id: "r1", worker_id: "bob" }),
      await session.code("step_complete", {
        ...step,
        worker_id: "bob",
        receipt_payload: {},
        outcome: "SUCCESS"
      }),
      await session.code("step_requeue", { run_id: "r1", step_id: "s", reason: "x", requested_by: "bob" }),
      await session.code("step_requeue", { run_id: "r1", step_id: "s", reason: "x", ...lease }),
      await session.code("lease_renew", { ...step, worker_id: "bob" }),
      await session.code("thought_record", { ...hello, agent_id: "bob" })
    ]).toEqual(Array.from({ length: 6 }, () => "AGENT_MISMATCH"))
  })

  it("without it, an agent must be named", async () => {
    const session = await start()
    await session.data("message_post", work)
    expect(await session.code("step_claim", { run_id: "r1" })).toBe("INVALID_PARAMS")
  })
})

describe("--read-only", () => {
  /** Everything that the ledger's tables and log hold. */
  const content = () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const layer = Ledger.layer({
            filename: join(place.folder, "CORTEX/_generated/system3.db"),
            mode: "read"
          })
          const ledger = Context.get(yield* Layer.build(layer), Ledger)
          const { digests, head } = yield* ledger.verifyCassette({ pure: true })
          return { digests, head, cassettes: cassetteFiles() }
        })
      )
    )

  /** Every cassette's file, byte by byte; SQLite lays its shared memory beside a file that is only read. */
  const cassetteFiles = () => {
    const folder = join(place.folder, "CORTEX/cassettes")
    return readdirSync(folder)
      .filter((name) => name.endsWith(".db"))
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")
      ])
  }

  it("has no tool that writes, and what is left changes nothing", async () => {
    const writer = await start()
    await writer.data("message_post", work)
    await writer.data("thought_record", hello)
    await writer.close()
    writeFileSync(join(place.folder, "a.txt"), "one\ntwo\n")
    await runCli(["network", "init"], { cwd: place.folder })
    await runCli(["network", "index"], { cwd: place.folder })
    await runCli(["memory", "save", "one thing", "--cassette", "memory"], { cwd: place.folder })
    await runCli(["index"], { cwd: place.folder })
    writeFileSync(join(place.folder, "trust.json"), '{"keys":[]}')
    const before = await content()
    const session = await start("--read-only")
    const { result } = await session.request("tools/list")
    const names = (result as { tools: ReadonlyArray<{ name: string }> }).tools.map(({ name }) => name)
    expect(names).toEqual(readingTools)
    const inputs: Readonly<Record<string, unknown>> = {
      job_status: { run_id: "r1" },
      history_show: { id: "r1" },
      corpus_list: { kind: "symbols" },
      bundle_verify: { path: "." },
      dossier_verify: { path: ".", trust: "trust.json" },
      semantic_search: { query: "one" },
      cassette_network_query: { query: "one" },
      symbol_resolve: { symbol: `@C:${oneHash}` },
      semantic_neighbors: { hash: oneHash },
      memory_query: { query: "one" },
      memory_recall: { hash: rememberedHash }
    }
    for (const name of names) await session.data(name, inputs[name] ?? {})
    expect(
      (await session.request("tools/call", { name: "message_post", arguments: work })).error
    ).toBeDefined()
    await session.close()
    expect(await content()).toEqual(before)
  })
})

describe("--tools", () => {
  it("offers only the named ones", async () => {
    const session = await start("--tools", "thought_record, job_status")
    const { result } = await session.request("tools/list")
    expect((result as { tools: ReadonlyArray<{ name: string }> }).tools.map(({ name }) => name)).toEqual([
      "job_status",
      "thought_record"
    ])
  })

  it("takes groups beside single names", async () => {
    const session = await start("--tools", "memory,thoughts,job_status,memory_save")
    const { result } = await session.request("tools/list")
    expect((result as { tools: ReadonlyArray<{ name: string }> }).tools.map(({ name }) => name)).toEqual([
      "job_status",
      ...[...toolGroups.thoughts, ...toolGroups.memory].map(({ name }) => name)
    ])
  })

  it("leaves out what writes in a group of a read-only server", async () => {
    const session = await start("--tools", "memory", "--read-only")
    const { result } = await session.request("tools/list")
    expect((result as { tools: ReadonlyArray<{ name: string }> }).tools.map(({ name }) => name)).toEqual([
      "memory_query",
      "memory_recall"
    ])
  })

  for (const [name, args] of Object.entries({
    "a group that does not exist": ["--tools", "ledger,kitchen"],
    "a tool that does not exist": ["--tools", "thought_record,fly"],
    "a choice that leaves none": ["--tools", "thought_record", "--read-only"]
  })) {
    it(`refuses ${name}`, async () => {
      const session = new Session(place.folder, ...args)
      expect(await session.ended).toBe(2)
      expect(session.stderr.join("")).toContain("--tools")
    })
  }
})

describe("paths", () => {
  it("lead nowhere but into the root, on every way", async () => {
    const session = await start("--root", join(place.folder, "root"))
    mkdirSync(join(place.folder, "root/inside"), { recursive: true })
    mkdirSync(join(place.folder, "root-twin"))
    symlinkSync(place.folder, join(place.folder, "root/out"))
    symlinkSync("nowhere/../../..", join(place.folder, "root/dangling"))
    const outside = [
      "..",
      "../root-twin",
      join(place.folder, "root-twin"),
      "/",
      "inside/../../x",
      "out",
      "out/root-twin",
      "out/not/there"
    ]
    for (const path of outside)
      expect(await session.code("bundle_verify", { path }), path).toBe("PATH_OUTSIDE_ROOT")
    for (const path of ["", "a\u0000b", "x".repeat(5_000)]) {
      expect(await session.code("bundle_verify", { path }), path.slice(0, 9)).toBe("INVALID_PARAMS")
    }
    const within = [
      "inside",
      "inside/..",
      ".",
      "not/there",
      join(place.folder, "root/inside"),
      "out/root/inside"
    ]
    for (const path of within) {
      expect(await session.data("bundle_verify", { path }), path).toMatchObject({ verdict: "INVALID" })
    }
  })
})

describe("resources", () => {
  it("shows a run, and says when there is none", async () => {
    const session = await start()
    await session.data("message_post", { ...work, run_id: "run 1/ä" })
    const uri = `cortex://run/${encodeURIComponent("run 1/ä")}`
    const { result } = await session.request("resources/read", { uri })
    const [content] = (result as { contents: ReadonlyArray<{ uri: string; text: string }> }).contents
    expect(JSON.parse(content?.text ?? "")).toMatchObject({ run_id: "run 1/ä", pending: 2 })
    const { error } = await session.request("resources/read", { uri: "cortex://run/none" })
    expect(error?.message).toContain("RUN_NOT_FOUND")
  })
})
