// The commands of `cortex cassette` on real ledgers, in the test's own process: what they answer in both formats,
// and what they say about a ledger that was tampered with.
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { jcsText } from "../../domain/canonical/jcs.ts"
import { type Ran, runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const ledger = join(folder, "CORTEX", "_generated", "system3.db")
const cortex = (...args: ReadonlyArray<string>): Promise<Ran> =>
  runCli(["cassette", ...args], { cwd: folder })
const json = async (...args: ReadonlyArray<string>) => {
  const { code, document } = await runJson(["cassette", ...args], { cwd: folder })
  expect(document).toMatchObject({ ok: true })
  expect(code).toBe(0)
  return document.data ?? {}
}
const claimed = async (run: string, ...more: ReadonlyArray<string>) => {
  const step = await json("claim", "--run-id", run, "--worker", "w1", ...more)
  return { step_id: String(step["step_id"]), token: String(step["fencing_token"]) }
}

beforeAll(() => {
  writeFileSync(
    join(folder, "message.json"),
    '{ "intent": "tidy", "steps": [{"b": 2, "a": 1}, {"10":1,"9":2}] }'
  )
  writeFileSync(join(folder, "receipt.json"), '{"ok":true}')
})

const postMessage = (run: string, ...more: ReadonlyArray<string>) =>
  json("post", "--json", "message.json", "--run-id", run, "--source", "USER", ...more)

describe("post, claim, complete, requeue", () => {
  it("creates the ledger below the root and answers the ids", async () => {
    expect(existsSync(ledger)).toBe(false)
    const posted = await postMessage("r1", "--idempotency-key", "k1")
    expect(existsSync(ledger)).toBe(true)
    expect(posted).toEqual({
      message_id: expect.stringMatching(/^msg_0000000000002_[0-9a-f]{16}$/),
      job_id: expect.stringMatching(/\.0001$/),
      job_ids: [posted["job_id"]],
      created: true
    })
    expect(await postMessage("r1", "--idempotency-key", "k1")).toEqual({ ...posted, created: false })
  })

  it("refuses another payload under the same key, naming both hashes", async () => {
    const args = ["cassette", "post", "--json", "receipt.json", "--run-id", "r1", "--source", "USER"]
    const { code, document } = await runJson([...args, "--idempotency-key", "k1"], { cwd: folder })
    expect(code).toBe(1)
    expect(document.error).toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
      details: { idempotency_key: "k1", differs: ["payload"] }
    })
  })

  it("prints ids one per line with their names", async () => {
    const ran = await cortex("post", "--json", "message.json", "--run-id", "plain", "--source", "SYSTEM")
    expect(ran.stdout).toMatch(/^message_id {2}msg_\S+\njob_id {6}job_\S+\ncreated {5}yes\n$/)
    expect(ran.stderr).toBe("")
    const claim = await cortex("claim", "--run-id", "plain", "--worker", "w1")
    expect(claim.stdout).toMatch(/^step_id {11}step_\S+\n/)
    expect(claim.stdout).toContain('payload           {"a":1,"b":2}\n')
  })

  it("claims, completes, and says whose receipt stands", async () => {
    const { step_id, token } = await claimed("r1", "--ttl", "60")
    const args = ["--run-id", "r1", "--step", step_id, "--worker", "w1", "--token", token]
    const complete = ["complete", ...args, "--receipt", "receipt.json", "--outcome", "SUCCESS"]
    expect(await json(...complete)).toEqual({ receipt_id: step_id.replace("step_", "rcpt_") })
    const again = await runJson(["cassette", ...complete], { cwd: folder })
    expect(again.code).toBe(1)
    expect(again.document.error).toMatchObject({
      code: "NOT_LEASED",
      details: { status: "COMMITTED", receipt: { worker_id: "w1", outcome: "SUCCESS" } }
    })
  })

  it("refuses what no lease and no step has as any other wrong one", async () => {
    await postMessage("none")
    const { step_id } = await claimed("none")
    const at = (step: string, token: string) =>
      runJson(
        [
          "cassette",
          "complete",
          "--run-id",
          "none",
          "--step",
          step,
          "--worker",
          "w1",
          "--token",
          token
        ].concat(["--receipt", "receipt.json", "--outcome", "SUCCESS"]),
        { cwd: folder }
      )
    const stale = await at(step_id, "0")
    expect(stale).toMatchObject({ code: 1, document: { error: { code: "STALE_FENCING_TOKEN" } } })
    expect(stale.document.error?.message).toContain("Fencing token mismatch")
    const words = ["requeue", "--run-id", "none", "--step", step_id, "--reason", "mine"]
    const back = await runJson(["cassette", ...words, "--worker", "w1", "--token", "0"], { cwd: folder })
    expect(back).toMatchObject({ code: 1, document: { error: { code: "STALE_FENCING_TOKEN" } } })
    expect(await at("no step", "1")).toMatchObject({
      code: 1,
      document: { error: { code: "STEP_NOT_FOUND" } }
    })
  })

  it("claims within one job alone", async () => {
    const first = await postMessage("jobs")
    const second = await postMessage("jobs")
    const { step_id } = await claimed("jobs", "--job", String(second["job_id"]))
    expect(step_id).toContain(String(second["message_id"]).slice(4))
    expect(step_id).not.toContain(String(first["message_id"]).slice(4))
  })

  it("requeues by its worker or by force, and not before the lease has ended", async () => {
    await postMessage("back")
    const { step_id } = await claimed("back")
    const args = ["requeue", "--run-id", "back", "--step", step_id, "--reason", "-not mine"] as const
    const early = await runJson(["cassette", ...args.slice(0, 5), "--reason", "early"], { cwd: folder })
    expect(early).toMatchObject({ code: 1, document: { error: { code: "LEASE_NOT_EXPIRED" } } })
    const words = [...args.slice(0, 5), "--reason=-not mine"]
    expect(await json(...words, "--worker", "w1", "--token", "1")).toEqual({
      step_id,
      status: "PENDING",
      fencing_token: 1,
      cause: "released"
    })
    await claimed("back")
    expect(await json(...words, "--force", "--by", "alice")).toMatchObject({
      cause: "forced",
      fencing_token: 2
    })
  })

  it("takes the flags that all commands share before or after the command", async () => {
    const db = join(folder, "named.db")
    const before = [
      "--format",
      "json",
      "--db",
      db,
      "--root",
      "/nowhere",
      "--durability",
      "normal",
      "cassette",
      "post"
    ]
    const rest = ["--json", "receipt.json", "--run-id", "r1", "--source", "USER"]
    expect(await runCli([...before, ...rest], { cwd: folder })).toMatchObject({ code: 0 })
    const after = await json("status", "--db", db, "--allow-network-fs")
    expect(after["runs"]).toHaveLength(1)
  })

  it("takes the root from CORTEX_ROOT, and --root wins", async () => {
    mkdirSync(join(folder, "elsewhere"))
    const env = { CORTEX_ROOT: "elsewhere" }
    const args = ["cassette", "post", "--json", "receipt.json", "--run-id", "r", "--source", "USER"]
    expect(await runCli(args, { cwd: folder, host: { env } })).toMatchObject({ code: 0 })
    expect(existsSync(join(folder, "elsewhere", "CORTEX", "_generated", "system3.db"))).toBe(true)
    const status = ["cassette", "status", "--format", "json"]
    const there = await runCli(status, { cwd: folder, host: { env } })
    const here = await runCli([...status, "--root", "."], { cwd: folder, host: { env } })
    expect(here.stdout).not.toBe(there.stdout)
  })
})

describe("status page by page", () => {
  const page = (...flags: ReadonlyArray<string>) => json("status", "--run-id", "r1", ...flags)

  it("shows as many steps as wanted, where to go on, and the same in text", async () => {
    const whole = (await page()) as { steps: ReadonlyArray<{ step_id: string }>; next_after: unknown }
    expect(whole.next_after).toBe(null)
    expect(whole.steps.length).toBeGreaterThan(1)
    const [first] = whole.steps
    const one = await page("--limit", "1")
    expect(one).toMatchObject({ steps: [first], next_after: first?.step_id })
    const { stdout } = await cortex("status", "--run-id", "r1", "--limit", "1")
    expect(stdout).toContain(`there are more steps: --after ${first?.step_id} shows the next`)
    const rest = await page("--after", String(first?.step_id))
    expect(rest).toMatchObject({ steps: whole.steps.slice(1), next_after: null })
  })
  it("needs a run, and a limit that a query can have", async () => {
    expect(await cortex("status", "--limit", "1")).toMatchObject({ code: 2, stdout: "" })
    const over = await cortex("status", "--run-id", "r1", "--limit", "10001")
    expect(over).toMatchObject({ code: 2, stdout: "" })
    expect(over.stderr).toContain("--limit: ")
  })
})

describe("status", () => {
  it("shows every run with its counts, its oldest waiting step and expired leases", async () => {
    const data = await json("status")
    expect(data).toMatchObject({
      ledger_id: expect.any(String),
      fault: null,
      head: { position: expect.any(Number) }
    })
    const runs = data["runs"] as ReadonlyArray<Record<string, unknown>>
    expect(runs.find((run) => run["run_id"] === "r1")).toEqual({
      run_id: "r1",
      messages: 1,
      jobs: 1,
      pending: 1,
      leased: 0,
      committed: 1,
      oldest_pending_step: expect.stringMatching(/^step_0000000000002_/),
      oldest_pending_at: expect.stringMatching(/Z$/),
      expired_leases: 0
    })
    const { stdout } = await cortex("status")
    expect(stdout).toMatch(
      /^run +messages +jobs +pending +leased +committed +expired +waiting since +oldest waiting step$/m
    )
    expect(stdout).toMatch(/^r1 +1 +1 +1 +0 +1 +0 +\S+Z +step_\S+$/m)
  })

  it("shows one run with its jobs and steps", async () => {
    const data = await json("status", "--run-id", "r1")
    expect(data["jobs"]).toMatchObject([
      { job: { intent: "tidy" }, pending: 1, committed: 1, outcomes: { SUCCESS: 1 } }
    ])
    expect(data["steps"]).toMatchObject([
      { status: "COMMITTED", fencing_token: 1, lease_owner: "w1", outcome: "SUCCESS" },
      { status: "PENDING", fencing_token: 0, lease_owner: null, outcome: null }
    ])
    const { stdout } = await cortex("status", "--run-id", "r1")
    expect(stdout).toMatch(/^step_\S+ +COMMITTED +1 +w1 +\S+Z +SUCCESS$/m)
    expect(stdout).toMatch(/^step_\S+ +PENDING +0 +- +- +-$/m)
  })
})

describe("a terminal of 80 columns", () => {
  const wide = { cwd: folder, host: { columns: () => 80 } }

  it.each([
    "cassette status",
    "cassette status --run-id r1",
    "cassette at 3 --run-id r1",
    "cassette rebuild --check",
    "doctor"
  ])("has room for what %s shows, and all of it", async (line) => {
    const fitted = await runCli(line.split(" "), wide)
    expect(Math.max(...fitted.stdout.split("\n").map((text) => text.length))).toBeLessThanOrEqual(80)
    const whole = await runCli(line.split(" "), { cwd: folder })
    for (const [id] of whole.stdout.matchAll(/step_[\w.]+|[0-9a-f]{64}/g)) expect(fitted.stdout).toContain(id)
  })
})

describe("log", () => {
  it("prints events as JSON lines whose data is nested and byte-exact", async () => {
    const { code, stderr, stdout } = await cortex("log", "--run-id", "r1", "--format", "json")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const lines = stdout.trimEnd().split("\n")
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      "MessagePosted",
      "StepClaimed",
      "StepCompleted"
    ])
    expect(Object.keys(JSON.parse(lines[0] ?? "") as object)).toEqual([
      "position",
      "type",
      "stream_id",
      "schema_version",
      "data",
      "recorded_at",
      "prev_hash",
      "hash"
    ])
    expect(lines[0]).toContain(
      `"payload":${jcsText({
        intent: "tidy",
        steps: [
          { a: 1, b: 2 },
          { 10: 1, 9: 2 }
        ]
      })}`
    )
  })

  it("starts after a position and stops at a limit", async () => {
    const { stdout } = await cortex("log", "--after", "1", "--limit", "2")
    expect(stdout.split("\n").map((line) => line.trim().split(" ")[0])).toEqual(["2", "3", ""])
    expect((await cortex("log", "--after", "100000")).stdout).toBe("")
  })

  it("ends a followed log at its limit", async () => {
    const ran = await cortex("log", "--follow", "--limit", "1")
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/^ +1 {2}\S+Z {2}LedgerCreated {4}ledger {2}ledger \S+\n$/)
  })
})

describe("verify, rebuild, backup", () => {
  it("passes: the verdict on standard error, the report as data", async () => {
    const text = await cortex("verify")
    expect(text).toMatchObject({ code: 0, stderr: "PASS: All invariants verified\n" })
    expect(text.stdout).toMatch(/^head +\d+ {2}[0-9a-f]{64}\n/)
    const { document, stderr } = await runJson(["cassette", "verify"], { cwd: folder })
    expect(stderr).toBe("")
    expect(document.data).toMatchObject({ verdict: "PASS", findings: [], counts: { cassette_receipts: 1 } })
  })

  it("fails on leases that have ended as of --now, unless --pure leaves the clock out", async () => {
    const later = ["verify", "--run-id", "plain", "--now", "9999-01-01T00:00:00.000Z"] as const
    const text = await cortex(...later)
    expect(text).toMatchObject({ code: 1, stdout: "" })
    expect(text.stderr).toMatch(
      /^FAIL: 1 issue\(s\) found\nLEASE_EXPIRED cassette_steps step_\S+: the lease of w1 ended /
    )
    const { code, document, stderr } = await runJson(["cassette", ...later], { cwd: folder })
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" })
    expect(document.error).toMatchObject({
      code: "VERIFICATION_FAILED",
      details: {
        verdict: "FAIL",
        findings: [{ code: "LEASE_EXPIRED" }],
        counts: { events: expect.any(Number) }
      }
    })
    expect(await cortex(...later, "--pure")).toMatchObject({ code: 0 })
  })

  it("prints the digest of every table", async () => {
    const { code, stdout } = await cortex("rebuild", "--check")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^cassette_receipts +1 +[0-9a-f]{64}$/m)
    const report = await json("rebuild", "--check")
    expect(Object.keys(report["digests"] as object)).toContain("cassette_steps")
  })

  it("rebuilds a database from the log alone, and writes over nothing", async () => {
    const rebuilt = await json("rebuild", "--to", "rebuilt.db")
    expect(rebuilt).toMatchObject({ file: join(folder, "rebuilt.db"), report: { verdict: "PASS" } })
    expect(await json("verify", "--pure", "--db", "rebuilt.db")).toEqual(await json("verify", "--pure"))
    const again = await runJson(["cassette", "rebuild", "--to", "rebuilt.db"], { cwd: folder })
    expect(again).toMatchObject({ code: 2, document: { error: { code: "INVALID_PARAMS" } } })
    expect(again.document.error?.message).toContain("never written over")
  })

  it("shows the state as of a position or a time", async () => {
    const posted = await cortex("at", "2")
    expect(posted).toMatchObject({ code: 0, stderr: "" })
    expect(posted.stdout).toMatch(
      /^position {2}2\nmessages {2}1\njobs {6}1\nsteps {5}2\nreceipts {2}0\nthoughts {2}0\n\nrun {2}messages .*\nr1 +1 +2 +0 +0\n$/
    )
    const all = await json("at", "9999-01-01T00:00:00.000Z")
    expect(all).toEqual(await json("at", String(all["position"])))
    const run = await json("at", String(all["position"]), "--run-id", "r1")
    expect(run["messages"]).toMatchObject([{ run_id: "r1" }])
    expect(run["receipts"]).toHaveLength(1)
    const text = await cortex("at", String(all["position"]), "--run-id", "r1")
    expect(text.stdout).toMatch(/^step_\S+ {2}COMMITTED {2}w1 +1 +\S+Z$/m)
    expect(await json("at", "0")).toMatchObject({ position: 0, messages: [], steps: [] })
    expect(await json("at", "1999-01-01T00:00:00.000Z")).toMatchObject({ position: 0, messages: [] })
  })

  it("writes a copy that verifies, and no second file beside it", async () => {
    const copy = await json("backup", "copy.db")
    expect(copy).toMatchObject({ file: join(folder, "copy.db"), report: { verdict: "PASS" } })
    expect(existsSync(join(folder, "copy.db-wal"))).toBe(false)
    const original = await json("verify", "--pure")
    expect(await json("verify", "--pure", "--db", "copy.db")).toEqual(original)
  })
})

describe("a ledger that was tampered with", () => {
  const damaged = join(folder, "damaged.db")

  beforeAll(async () => {
    for (const run of ["r1", "r2", "r3"]) await postMessage(run, "--db", damaged)
    const database = new Database(damaged)
    for (const name of database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'cassette_messages'")
      .pluck()
      .all()) {
      database.exec(`DROP TRIGGER ${String(name)}`)
    }
    database.exec("UPDATE cassette_messages SET source = 'SYSTEM' WHERE run_id <> 'r1'")
    database.close()
  })

  it("fails verification with every issue on its own line", async () => {
    const ran = await cortex("verify", "--db", damaged)
    expect(ran).toMatchObject({ code: 1, stdout: "" })
    const [verdict, ...issues] = ran.stderr.trimEnd().split("\n")
    expect(verdict).toBe(`FAIL: ${issues.length} issue(s) found`)
    expect(issues.filter((issue) => issue.startsWith("TRIGGER_MISSING "))).not.toHaveLength(0)
    expect(issues.filter((issue) => issue.startsWith("ROW_DIFFERS cassette_messages "))).toHaveLength(2)
  })

  it("names the first difference of each table, and still prints the digests", async () => {
    const ran = await cortex("rebuild", "--check", "--db", damaged)
    expect(ran.code).toBe(1)
    expect(ran.stdout).toMatch(/^cassette_messages +3 +[0-9a-f]{64}$/m)
    expect(ran.stderr).toMatch(
      /^FAIL: 2 issue\(s\) found\nROW_DIFFERS cassette_messages msg_\S+ source: .*\n$/
    )
  })

  it("is not written to", async () => {
    const { code, document } = await runJson(
      ["cassette", "claim", "--run-id", "r1", "--worker", "w", "--db", damaged],
      {
        cwd: folder
      }
    )
    expect(code).toBe(1)
    expect(document.error?.code).toBe("STORE_CORRUPT")
    expect(document.error?.message).toMatch(/; cortex cassette restore --db .*puts a backup in its place$/)
  })

  it("can still be read, with a warning", async () => {
    for (const command of ["status", "log"]) {
      const ran = await cortex(command, "--db", damaged)
      expect(ran.code).toBe(0)
      expect(ran.stdout).toContain("r3")
      expect(ran.stderr).toMatch(
        /^warning: the ledger is damaged \(.*cortex cassette verify --db .* lists every fault\n$/
      )
    }
  })

  it("leaves no backup behind", async () => {
    const { code, document, stderr } = await runJson(["cassette", "backup", "bad.db", "--db", damaged], {
      cwd: folder
    })
    expect(code).toBe(1)
    expect(document.error).toMatchObject({ code: "VERIFICATION_FAILED", details: { verdict: "FAIL" } })
    expect(stderr).toContain("bad.db was removed")
    expect(existsSync(join(folder, "bad.db"))).toBe(false)
  })
})

describe("help", () => {
  const commands = [
    "post",
    "claim",
    "complete",
    "renew",
    "requeue",
    "verify",
    "status",
    "waiting",
    "leases",
    "log",
    "at",
    "rebuild",
    "backup",
    "checkpoint",
    "prove",
    "verify-proof"
  ]

  it.each([[], ["cassette"], ...commands.map((name) => ["cassette", name])])("%s %s", async (...path) => {
    const ran = await runCli([...path.filter((name) => name !== undefined), "--help"], { cwd: folder })
    expect(ran).toMatchObject({ code: 0, stderr: "" })
    for (const part of [
      "DESCRIPTION\n  ",
      "USAGE\n  cortex",
      "EXAMPLES\n",
      "EXIT CODES\n",
      "ENVIRONMENT\n",
      "CORTEX_ROOT",
      "CORTEX_AGENT"
    ]) {
      expect(ran.stdout).toContain(part)
    }
    // A flag without a description would end its line.
    expect(ran.stdout).not.toMatch(/^ {2}--\S+( [A-Z]+)?\s*$/m)
  })

  it("lists every command of the group", async () => {
    const { stdout } = await runCli(["cassette", "--help"], { cwd: folder })
    for (const name of commands) expect(stdout).toMatch(new RegExp(`^  ${name} {2,}\\S`, "m"))
  })

  it("shows how to begin with every part", async () => {
    const { stdout } = await runCli(["--help"], { cwd: folder })
    for (const begun of ["cassette post", "network init", "memory save", "mcp --check", "doctor"]) {
      expect(stdout).toContain(`\n  cortex ${begun}`)
    }
  })

  it("colours a terminal only, and not when NO_COLOR is set", async () => {
    const terminal = { isTerminal: () => true }
    const coloured = await runCli(["--help"], { cwd: folder, host: terminal })
    const plain = await runCli(["--help"], { cwd: folder, host: { ...terminal, env: { NO_COLOR: "1" } } })
    expect(coloured.stdout).toContain("\u001b[")
    expect(plain.stdout).not.toContain("\u001b[")
    const verdict = await runCli(["cassette", "verify"], { cwd: folder, host: terminal })
    expect(verdict.stderr).toContain("\u001b[32mPASS:\u001b[0m")
  })
})
