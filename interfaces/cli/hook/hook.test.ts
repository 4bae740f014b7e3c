// What a hook does with what it is given: hostile JSON, calls told twice or in the wrong order, ledgers that cannot be written. In every
// case standard output stays empty, and the exit code is the one that lets the agent go on or holds it back.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import type { JsonObject } from "../../../domain/canonical/json.ts"
import { sha256 } from "../../embedding/hook-recording.ts"
import { type Ran, runCli, runJson, type RunOptions, temporaryFolder } from "../testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

let cwd = folder
let count = 0
beforeEach(() => {
  count += 1
  cwd = join(folder, `${count}`)
  mkdirSync(cwd)
})

const call = { session_id: "s1", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" }
const pre = { ...call, hook_event_name: "PreToolUse" }
const post = { ...call, hook_event_name: "PostToolUse", tool_response: { stdout: "a" } }
const stop = { session_id: "s1", hook_event_name: "Stop", stop_hook_active: false }

type Input = JsonObject | string | Uint8Array

const hook = (name: string, input: Input, flags: ReadonlyArray<string> = [], host?: RunOptions["host"]) =>
  runCli(["hook", name, ...flags], {
    cwd,
    stdin: typeof input === "string" || input instanceof Uint8Array ? input : JSON.stringify(input),
    ...(host === undefined ? {} : { host })
  })

const data = async (...args: ReadonlyArray<string>) => (await runJson(args, { cwd })).document.data ?? {}

interface Logged {
  readonly type: string
  readonly data: { readonly [name: string]: unknown }
}

const log = async (): Promise<ReadonlyArray<Logged>> =>
  (await runCli(["cassette", "log", "--format", "json"], { cwd })).stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Logged)

const typesOf = async () => (await log()).map(({ type }) => type)
const lastOf = async (type: string) => (await log()).findLast((event) => event.type === type)?.data
const receipt = async () => (await lastOf("StepCompleted"))?.["receipt"] as JsonObject
const verdict = async () => ((await runJson(["cassette", "verify"], { cwd })).document.ok ? "PASS" : "FAIL")

const done = { code: 0, stdout: "", stderr: "" }
const CALL = ["MessagePosted", "StepClaimed", "StepCompleted"]

/** The hook lets the agent go on and says why nothing was recorded; told to block, it does. */
const refused = async (name: string, input: Input, reason: string) => {
  const warned = await hook(name, input)
  expect(warned).toMatchObject({ code: 0, stdout: "" })
  expect(warned.stderr).toMatch(/^warning: this (call|stop) was not recorded: [^\n]+\n$/)
  expect(warned.stderr).toContain(reason)
  const blocked = await hook(name, input, ["--on-error", "block"])
  expect(blocked).toMatchObject({ code: name === "stop" ? 1 : 2, stdout: "" })
  expect(blocked.stderr).toContain(reason)
}

describe("a call", () => {
  it("is posted and claimed, then completed, with hashes of what it was given and gave", async () => {
    expect(await hook("pre", pre)).toEqual(done)
    expect(await typesOf()).toEqual(["LedgerCreated", "MessagePosted", "StepClaimed"])
    expect(await hook("post", post)).toEqual(done)
    expect((await lastOf("MessagePosted"))?.["payload"]).toMatchObject({
      op: "Bash",
      host: "claude-code",
      session: "s1",
      input: { sha256: sha256('{"command":"ls"}'), bytes: 16 }
    })
    expect(await receipt()).toEqual({
      on_error: "warn",
      output: { sha256: sha256('{"stdout":"a"}'), bytes: 14 }
    })
    expect(await verdict()).toBe("PASS")
  })

  it("keeps bodies when it is told to, and the receipt says what was in force", async () => {
    const flags = ["--bodies", "--on-error", "block"]
    expect(await hook("pre", pre, flags)).toEqual(done)
    expect(await hook("post", post, flags)).toEqual(done)
    expect((await lastOf("MessagePosted"))?.["payload"]).toMatchObject({ input: { body: { command: "ls" } } })
    expect(await receipt()).toMatchObject({ on_error: "block", output: { body: { stdout: "a" } } })
  })

  it("that is told twice is recorded once", async () => {
    for (const told of ["pre", "pre", "post", "post", "pre"]) {
      expect(await hook(told, told === "pre" ? pre : post)).toEqual(done)
    }
    expect(await typesOf()).toEqual(["LedgerCreated", ...CALL])
  })

  it("with the id of another call is refused, and one that has ended otherwise", async () => {
    await hook("pre", pre)
    await refused("pre", { ...pre, tool_input: { command: "rm" } }, "already names")
    await hook("post", post)
    await refused("post", { ...post, tool_response: "other" }, "not leased: it is COMMITTED")
    expect(await typesOf()).toEqual(["LedgerCreated", ...CALL])
  })

  it("that was not told before is posted when it has ended", async () => {
    expect(await hook("post", post)).toEqual(done)
    expect(await typesOf()).toEqual(["LedgerCreated", ...CALL])
    expect(await verdict()).toBe("PASS")
  })

  it("whose input was changed on its way has both", async () => {
    await hook("pre", pre)
    const changed = { command: "ls -l" }
    expect(await hook("post", { ...post, tool_input: changed })).toEqual(done)
    expect(await receipt()).toMatchObject({ input: { sha256: sha256(jcsText(changed)) } })
  })

  it("of one session is not that of another with the same id", async () => {
    await Promise.all([hook("pre", pre), hook("pre", { ...pre, session_id: "s2" })])
    expect(await hook("post", { ...post, session_id: "s2" })).toEqual(done)
    expect((await typesOf()).filter((type) => type === "MessagePosted")).toHaveLength(2)
    expect((await lastOf("StepCompleted"))?.["worker_id"]).toBe("claude-code/s2")
  })

  it("whose step waits again is claimed and completed", async () => {
    await hook("pre", pre)
    const { step_id } = (await lastOf("StepClaimed")) as { readonly step_id: string }
    const back = ["--run-id", "agent/claude-code/s1", "--step", step_id, "--force", "--reason", "lost"]
    expect((await runCli(["cassette", "requeue", ...back], { cwd })).code).toBe(0)
    expect(await hook("post", post)).toEqual(done)
    expect(await typesOf()).toEqual([
      "LedgerCreated",
      "MessagePosted",
      "StepClaimed",
      "StepRequeued",
      "StepClaimed",
      "StepCompleted"
    ])
  })

  it("that outlives its lease is taken back and completed", async () => {
    await hook("pre", pre, ["--lease", "1"])
    await expect.poll(verdict, { timeout: 10_000 }).toBe("FAIL")
    expect(await hook("post", post)).toEqual(done)
    expect(await lastOf("StepRequeued")).toMatchObject({ cause: "expired", requested_by: "claude-code/s1" })
    expect(await verdict()).toBe("PASS")
  })

  it("whose step another worker has claimed is taken back, and no receipt is in the other's name", async () => {
    await hook("pre", { ...pre, agent_id: "a1" })
    const { step_id } = (await lastOf("StepClaimed")) as { readonly step_id: string }
    const back = ["--run-id", "agent/claude-code/s1", "--step", step_id, "--force", "--reason", "lost"]
    await runCli(["cassette", "requeue", ...back], { cwd })
    await runCli(["cassette", "claim", "--any", "--worker", "shell"], { cwd })
    expect(await hook("post", { ...post, agent_id: "a1" })).toEqual(done)
    expect(await lastOf("StepRequeued")).toMatchObject({
      cause: "forced",
      worker_id: "shell",
      requested_by: "claude-code/a1"
    })
    expect(await lastOf("StepCompleted")).toMatchObject({ worker_id: "claude-code/a1", fencing_token: 3 })
    expect(await verdict()).toBe("PASS")
  })

  it("whose end names no agent is completed under the lease with which it began", async () => {
    await hook("pre", { ...pre, agent_id: "a1" })
    expect(await hook("post", post)).toEqual(done)
    expect(await typesOf()).toEqual(["LedgerCreated", ...CALL])
    expect((await lastOf("StepCompleted"))?.["worker_id"]).toBe("claude-code/a1")
  })

  it("that never ends stays a leased step, which the timeline tells", async () => {
    await hook("pre", pre)
    await hook("stop", stop)
    expect((await runCli(["timeline"], { cwd })).stdout).toContain("claude-code/s1 claimed step 2.1.1")
    expect((await data("cassette", "leases"))["leases"]).toMatchObject([{ worker_id: "claude-code/s1" }])
    expect(await verdict()).toBe("PASS")
  })
})

describe("calls without ids", () => {
  const told = { session_id: "g", timestamp: "t", tool_name: "read_file", tool_input: { path: "a" } }
  const before = { ...told, hook_event_name: "BeforeTool" }
  const after = { ...told, hook_event_name: "AfterTool", tool_response: { llmContent: "x" } }

  it("in the same words are as many steps as were begun, and each end ends one", async () => {
    for (const [name, json] of [
      ["pre", before],
      ["pre", before],
      ["post", after],
      ["pre", before],
      ["post", after],
      ["post", after],
      ["post", after]
    ] as const) {
      expect(await hook(name, json)).toEqual(done)
    }
    const types = await typesOf()
    expect(types.filter((type) => type === "MessagePosted")).toHaveLength(4)
    expect(types.filter((type) => type === "StepCompleted")).toHaveLength(4)
    expect(await verdict()).toBe("PASS")
  })
})

describe("a stop", () => {
  it("is a step that is completed at once, as often as it is told without an id", async () => {
    expect(await hook("stop", stop)).toEqual(done)
    expect(await hook("stop", stop)).toEqual(done)
    expect(await typesOf()).toEqual(["LedgerCreated", ...CALL, ...CALL])
  })

  it("of a turn with an id is recorded once", async () => {
    for (let told = 0; told < 2; told++) expect(await hook("stop", { ...stop, turn_id: "1" })).toEqual(done)
    expect(await typesOf()).toEqual(["LedgerCreated", ...CALL])
  })
})

describe("input that is refused", () => {
  it.each<readonly [string, Input, string]>([
    ["pre", "", "no JSON"],
    ["pre", "hello", "no JSON"],
    ["pre", '{"a":1', "no JSON"],
    ["pre", "[]", "no JSON object"],
    ["pre", "{}", "no hook_event_name"],
    ["pre", Buffer.from([0x7b, 0xff]), "UTF-8"],
    ["pre", '{"hook_event_name":"PreToolUse","hook_event_name":"PreToolUse"}', "already has that key"],
    ["pre", "[".repeat(2_000) + "]".repeat(2_000), "over 1000 levels"],
    ["pre", post, "`cortex hook post` takes, not pre"],
    ["post", pre, "`cortex hook pre` takes, not post"],
    ["post", stop, "`cortex hook stop` takes, not post"],
    ["stop", { ...stop, hook_event_name: "SessionStart" }, "no host is known"],
    ["stop", { hook_event_name: "Stop" }, "names no session"],
    ["pre", { ...pre, tool_use_id: "\0" }, "U+0000"]
  ])("says why, and no ledger is made: %s %j", async (name, input, reason) => {
    await refused(name, input, reason)
    expect(existsSync(join(cwd, "CORTEX"))).toBe(false)
  })

  it("a folder that is not there is not made", async () => {
    const ran = await hook("pre", pre, ["--root", join(cwd, "missing")])
    expect(ran).toMatchObject({ code: 0, stdout: "" })
    expect(ran.stderr).toContain("there is no folder")
  })

  it("input that never ends is given up", async () => {
    const never = {
      stdin: async function* () {
        yield Buffer.from("{")
        await new Promise(() => {})
      }
    }
    const ran = await hook("pre", "", ["--timeout", "1"], never)
    expect(ran).toMatchObject({ code: 0, stdout: "" })
    expect(ran.stderr).toContain("longer than 1 seconds")
  })
})

describe("strange bodies", () => {
  it.each<readonly [string, unknown]>([
    ["too_deep", JSON.parse("[".repeat(999) + "]".repeat(999))],
    ["lone_surrogate", "cut in the middle: \ud83d"]
  ])("leave the call its record: %s", async (_, body) => {
    const ran = await hook("post", JSON.stringify({ ...post, tool_response: body }))
    expect(ran).toEqual(done)
    expect(await receipt()).toHaveProperty("output")
    expect(await verdict()).toBe("PASS")
  })

  it("half a character has no hash, and the receipt says so", async () => {
    await hook("post", JSON.stringify({ ...post, tool_response: "\ud83d" }), ["--bodies"])
    expect((await receipt())["output"]).toEqual({ not_json: "lone_surrogate" })
  })

  it("U+0000 is hashed and not kept", async () => {
    await hook("post", JSON.stringify({ ...post, tool_response: "\0" }), ["--bodies"])
    expect((await receipt())["output"]).toMatchObject({ left_out: "U+0000" })
  })

  it("50 MB are hashed", async () => {
    const body = "x".repeat(50 * 1_048_576)
    expect(await hook("post", JSON.stringify({ ...post, tool_response: body }), ["--bodies"])).toEqual(done)
    expect((await receipt())["output"]).toMatchObject({ bytes: body.length + 2, sha256: sha256(`"${body}"`) })
  })

  it("a stop keeps no text of people", async () => {
    await hook("stop", { ...stop, last_assistant_message: "secret", reason: "x".repeat(1_000) })
    expect(readFileSync(join(cwd, "CORTEX/_generated/system3.db")).includes("secret")).toBe(false)
  })
})

describe("a ledger that cannot be written", () => {
  const file = () => join(cwd, "CORTEX/_generated/system3.db")

  it("is waited for as long as --timeout says", async () => {
    await hook("pre", pre)
    const other = new Database(file())
    other.exec("BEGIN IMMEDIATE")
    try {
      const ran = await hook("post", post, ["--timeout", "1"])
      expect(ran).toMatchObject({ code: 0, stdout: "" })
      expect(ran.stderr).toMatch(/locked by other writers|longer than 1 seconds/)
      const blocked = await hook("post", post, ["--timeout", "1", "--on-error", "block"])
      expect(blocked.code).toBe(2)
    } finally {
      other.close()
    }
    expect(await hook("post", post)).toEqual(done)
    expect(await verdict()).toBe("PASS")
  })

  it("is told: damaged", async () => {
    await hook("pre", pre)
    const other = new Database(file())
    other.exec("DROP TRIGGER tr_receipts_append_only_update")
    other.close()
    await refused("post", post, "The ledger is damaged")
  })

  it("is told: the newest event was changed around the guards", async () => {
    await hook("pre", pre)
    const other = new Database(file())
    const triggers = other
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'")
      .all() as ReadonlyArray<{ readonly name: string; readonly sql: string }>
    for (const { name } of triggers) other.exec(`DROP TRIGGER ${name}`)
    other.exec(
      "UPDATE events SET data = replace(data, 'claude-code/s1', 'claude-code/s9') WHERE position = 3"
    )
    for (const { sql } of triggers) other.exec(sql)
    other.close()
    await refused("post", post, "The ledger is damaged (CHAIN_BROKEN at event 3")
  })

  it("is told: no ledger at all", async () => {
    mkdirSync(join(cwd, "CORTEX/_generated"), { recursive: true })
    writeFileSync(file(), "not a database, and long enough to be looked at".repeat(100))
    await refused("pre", pre, "is not a ledger")
    expect(readFileSync(file(), "utf8")).toContain("not a database")
  })

  it.runIf(process.getuid?.() !== 0)("is told: a folder that may not be written", async () => {
    chmodSync(cwd, 0o500)
    try {
      await refused("pre", pre, "CORTEX")
    } finally {
      chmodSync(cwd, 0o700)
    }
  })

  it("is told: a file in the way of the folder", async () => {
    writeFileSync(join(cwd, "CORTEX"), "")
    await refused("pre", pre, "is in the way")
  })
})

it("--format json changes nothing for a host: standard output stays empty", async () => {
  const ran: Ran = await hook("pre", pre, ["--format", "json"])
  expect(ran).toEqual(done)
})
