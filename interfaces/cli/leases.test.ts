// The commands of `cortex cassette` about leases, in the test's own process: claims that wait and claims in any run, renewals,
// posts that claim, the lists of leases and waiting steps, and the trace that is recorded.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Ledger } from "../embedding/ledger.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

/** The commands on a ledger of its own for each group of tests. */
const on = (name: string, env: Readonly<Record<string, string>> = {}) => {
  const where = ["--db", join(folder, `${name}.db`)]
  const options = { cwd: folder, host: { env } }
  const cortex = (...args: ReadonlyArray<string>) => runCli(["cassette", ...args, ...where], options)
  const asJson = (...args: ReadonlyArray<string>) => runJson(["cassette", ...args, ...where], options)
  const json = async (...args: ReadonlyArray<string>) => {
    const { code, document } = await asJson(...args)
    expect(document).toMatchObject({ ok: true })
    expect(code).toBe(0)
    return document.data ?? {}
  }
  const post = (run: string, ...more: ReadonlyArray<string>) =>
    json("post", "--json", "message.json", "--run-id", run, "--source", "USER", ...more)
  const events = async () => {
    const { stdout } = await cortex("log", "--format", "json")
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; data: Readonly<Record<string, unknown>> })
  }
  return { cortex, asJson, json, post, events }
}

const lapse = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
const stepIds = (data: Readonly<Record<string, unknown>>, list: string) =>
  (data[list] as ReadonlyArray<{ readonly step_id: string }>).map(({ step_id }) => step_id)

beforeAll(() => {
  writeFileSync(join(folder, "message.json"), '{"intent":"tidy","n":1}')
  writeFileSync(join(folder, "receipt.json"), '{"ok":true}')
})

describe("claim", () => {
  const { asJson, cortex, json, post } = on("claim")

  it("answers the lease in hand beside the step, and people see the run", async () => {
    await post("r1")
    await post("r1")
    const claimed = await json("claim", "--run-id", "r1", "--worker", "w1")
    const { fencing_token, step_id } = claimed
    expect(claimed["lease"]).toEqual({ run_id: "r1", worker_id: "w1", step_id, fencing_token })
    const { stdout } = await cortex("claim", "--run-id", "r1", "--worker", "w2")
    expect(stdout).toMatch(/^run_id {12}r1$/m)
  })

  it("waits for a step that is posted meanwhile", async () => {
    const waiting = json("claim", "--run-id", "late", "--worker", "w1", "--wait", "60")
    const { job_id } = await post("late")
    expect(await waiting).toMatchObject({ job_id, fencing_token: 1 })
  })

  it("says how the leases stand once its time is up", async () => {
    await post("held")
    await json("claim", "--run-id", "held", "--worker", "w1", "--ttl", "1")
    const { code, document } = await asJson("claim", "--run-id", "held", "--worker", "w2", "--wait", "1")
    expect(code).toBe(1)
    expect(document.error).toMatchObject({
      code: "NO_PENDING_STEP",
      message: expect.stringContaining("cortex cassette leases --db "),
      details: { run_id: "held", leased: 1, expired: 1, earliest_expiry: expect.stringMatching(/Z$/) }
    })
  })

  it("takes the next run that has a waiting step, round and round", async () => {
    for (const run of ["mail-a", "mail-b", "mail-b"]) await post(run)
    const any = ["claim", "--any", "--prefix", "mail-", "--worker", "w1"]
    const run = async (...more: ReadonlyArray<string>) => (await json(...any, ...more))["lease"]
    expect(await run("--after-run", "mail-a")).toMatchObject({ run_id: "mail-b" })
    expect(await run("--after-run", "mail-b")).toMatchObject({ run_id: "mail-a" })
    expect(await run("--after-run", "mail-a")).toMatchObject({ run_id: "mail-b" })
    const { document } = await asJson(...any)
    expect(document.error).toMatchObject({
      code: "NO_PENDING_STEP",
      details: { run_id: null, prefix: "mail-", leased: 3 }
    })
  })

  it.each([
    [["--worker", "w1"], "Use either --run-id or --any"],
    [["--worker", "w1", "--any", "--run-id", "r1"], "Use either --run-id or --any"],
    [["--worker", "w1", "--any", "--job", "j"], "--job needs --run-id"],
    [["--worker", "w1", "--run-id", "r1", "--prefix", "r"], "--prefix and --after-run need --any"],
    [["--worker", "w1", "--run-id", "r1", "--after-run", "r"], "--prefix and --after-run need --any"],
    [["--worker", "w1", "--any", "--wait", "0.5"], "--wait"]
  ])("is refused as usage: %j", async (args, message) => {
    const ran = await cortex("claim", ...args)
    expect(ran).toMatchObject({ code: 2, stdout: "" })
    expect(ran.stderr).toContain(message)
  })

  it.each([
    ["--prefix", ""],
    ["--after-run", "a\u0000"]
  ])("refuses an id that is none under its flag: %s", async (flag, value) => {
    const { code, document } = await asJson("claim", "--any", "--worker", "w1", flag, value)
    expect(code).toBe(2)
    expect(document.error).toMatchObject({
      code: "INVALID_PARAMS",
      message: expect.stringContaining(`${flag}: `)
    })
  })

  it("ends with the exit code of its stop while it waits, and nothing is claimed", async () => {
    const stop = new AbortController()
    const args = ["cassette", "claim", "--any", "--prefix", "stop-", "--worker", "w1", "--wait", "60"]
    const running = runCli([...args, "--db", join(folder, "claim.db")], {
      cwd: folder,
      host: { stop: stop.signal }
    })
    await lapse(300)
    stop.abort("SIGINT")
    expect(await running).toEqual({ code: 130, stdout: "", stderr: "" })
    await post("stop-1")
    expect(stepIds(await json("waiting", "--prefix", "stop-"), "steps")).toHaveLength(1)
  })
})

describe("renew", () => {
  const { asJson, cortex, events, json, post } = on("renew")

  it("prints the new token and end; the old token finishes nothing", async () => {
    await post("r1")
    const { lease_expires_at, step_id } = await json(
      "claim",
      "--run-id",
      "r1",
      "--worker",
      "w1",
      "--ttl",
      "60"
    )
    const lease = ["--run-id", "r1", "--step", String(step_id), "--worker", "w1", "--token"]
    const renewed = await json("renew", ...lease, "1", "--ttl", "600")
    expect(renewed).toEqual({
      step_id,
      fencing_token: 2,
      lease_expires_at: expect.stringMatching(/Z$/),
      lease: { run_id: "r1", worker_id: "w1", step_id, fencing_token: 2 }
    })
    expect(String(renewed["lease_expires_at"]) > String(lease_expires_at)).toBe(true)
    const { stdout } = await cortex("renew", ...lease, "2")
    expect(stdout).toMatch(/^step_id +step_\S+\nfencing_token +3\nlease_expires_at +\S+Z\n$/)
    const complete = ["complete", ...lease]
    const end = ["--receipt", "receipt.json", "--outcome", "SUCCESS"]
    const { document } = await asJson(...complete, "1", ...end)
    expect(document.error).toMatchObject({ code: "STALE_FENCING_TOKEN", details: { current_token: 3 } })
    await json(...complete, "3", ...end)
    expect((await asJson("renew", ...lease, "3")).document.error).toMatchObject({ code: "NOT_LEASED" })
    expect((await events()).map(({ type }) => type).slice(-4)).toEqual([
      "StepClaimed",
      "LeaseRenewed",
      "LeaseRenewed",
      "StepCompleted"
    ])
    expect((await cortex("log")).stdout).toMatch(
      /LeaseRenewed +run:r1 +step_\S+ by w1, token 2 -> 3, until \S+Z$/m
    )
  })

  it("refuses a length that no lease has, by its flag", async () => {
    const args = ["renew", "--run-id", "r", "--step", "s", "--worker", "w", "--token", "1", "--ttl", "0"]
    const { code, document } = await asJson(...args)
    expect(code).toBe(2)
    expect(document.error?.message).toContain("--ttl: ")
  })
})

describe("post --claim", () => {
  const { asJson, cortex, events, json, post } = on("post")

  it("answers the first step's lease, of the same commit", async () => {
    const posted = await post("r1", "--claim", "w1", "--claim-ttl", "60", "--idempotency-key", "k")
    const step_id = String(posted["job_id"]).replace("job_", "step_") + ".00001"
    expect(posted).toMatchObject({
      created: true,
      lease: { run_id: "r1", worker_id: "w1", step_id, fencing_token: 1 },
      lease_expires_at: expect.stringMatching(/Z$/)
    })
    expect((await events()).map(({ type }) => type).slice(-2)).toEqual(["MessagePosted", "StepClaimed"])
    const again = ["--json", "message.json", "--run-id", "r1", "--source", "USER", "--idempotency-key", "k"]
    expect(await json("post", ...again, "--claim", "w2")).toMatchObject({ created: false, lease: null })
    const { stdout } = await cortex("post", ...again, "--claim", "w2")
    expect(stdout).toMatch(/^lease {7}none: the first step does not wait$/m)
  })

  it("prints the lease for people", async () => {
    const args = ["--json", "message.json", "--run-id", "r2", "--source", "USER", "--claim", "w1"]
    const { stdout } = await cortex("post", ...args)
    expect(stdout).toMatch(/created +yes\nstep_id +step_\S+\nfencing_token +1\nlease_expires_at +\S+Z\n$/)
  })

  it.each([
    [["--claim", ""], "--claim: "],
    [["--claim", "w1", "--claim-ttl", "0"], "--claim-ttl: "],
    [["--claim-ttl", "60"], "--claim-ttl needs --claim"]
  ])("refuses %j", async (flags, message) => {
    const args = ["post", "--json", "message.json", "--run-id", "r1", "--source", "USER"]
    const { code, document } = await asJson(...args, ...flags)
    expect(code).toBe(2)
    expect(document.error?.message).toContain(message)
  })
})

describe("leases", () => {
  const { asJson, cortex, json, post } = on("leases")
  let short = ""
  let long = ""

  beforeAll(async () => {
    for (const run of ["a", "b", "b"]) await post(run)
    long = String((await json("claim", "--run-id", "a", "--worker", "w1"))["step_id"])
    short = String((await json("claim", "--run-id", "b", "--worker", "it's", "--ttl", "1"))["step_id"])
    await lapse(1_050)
  })

  it("lists the lease that ends first in front, and which have ended", async () => {
    const { leases } = await json("leases")
    expect(leases).toMatchObject([
      { run_id: "b", step_id: short, worker_id: "it's", fencing_token: 1, expired: true },
      { run_id: "a", step_id: long, worker_id: "w1", fencing_token: 1, expired: false }
    ])
  })

  it.each([
    [["--expired"], () => [short]],
    [["--run-id", "a"], () => [long]],
    [["--prefix", "b"], () => [short]],
    [["--limit", "1"], () => [short]],
    [["--expired", "--run-id", "a"], () => []]
  ] as const)("is narrowed by %j", async (flags, ids) => {
    expect(stepIds(await json("leases", ...flags), "leases")).toEqual(ids())
  })

  it("shows people the command that lets the first one wait again, and it does", async () => {
    const { stdout } = await cortex("leases")
    const [header, first, second, , advice, command = ""] = stdout.split("\n")
    expect(header).toMatch(/^step +run +worker +token +lease$/)
    expect(first).toMatch(/^step_\S+ +b +it's +1 +\S+Z expired$/)
    expect(second).toMatch(/^step_\S+ +a +w1 +1 +\S+Z$/)
    expect(advice).toContain("waits again once it is requeued")
    expect(command).toBe(
      `cortex cassette requeue --db ${join(folder, "leases.db")} --run-id b --step ${short} --reason 'its lease has ended'`
    )
    expect(await json("requeue", "--run-id", "b", "--step", short, "--reason", "ended")).toMatchObject({
      cause: "expired"
    })
    expect((await cortex("leases", "--expired")).stdout).toBe("no leases\n")
    expect((await cortex("leases")).stdout).not.toContain("requeue")
  })

  it("refuses a run that is not there, and a run beside a prefix", async () => {
    expect((await asJson("leases", "--run-id", "none")).document.error?.code).toBe("RUN_NOT_FOUND")
    const both = await cortex("leases", "--run-id", "a", "--prefix", "a")
    expect(both).toMatchObject({ code: 2, stdout: "" })
    expect(both.stderr).toContain("Use either --run-id or --prefix")
  })
})

describe("waiting", () => {
  const { asJson, cortex, json, post } = on("waiting")

  beforeAll(async () => {
    writeFileSync(join(folder, "long.json"), JSON.stringify({ text: "t".repeat(200) }))
    for (const run of ["b", "a", "a"]) await post(run)
    await json("post", "--json", "long.json", "--run-id", "c", "--source", "USER")
    await json("claim", "--run-id", "a", "--worker", "w1")
  })

  it("lists what no lease holds, with whole payloads", async () => {
    const { steps } = await json("waiting")
    expect(steps).toMatchObject([
      { run_id: "a", ordinal: 1, payload: { intent: "tidy", n: 1 }, fencing_token: 0 },
      { run_id: "b" },
      { run_id: "c", payload: { text: "t".repeat(200) } }
    ])
    const { stdout } = await cortex("waiting")
    expect(stdout).toMatch(/^step_\S+ +a +0 +\S+Z +\{"intent":"tidy","n":1\}$/m)
    expect(stdout).toMatch(/^step_\S+ +c +0 +\S+Z +\{"text":"t{51} …$/m)
  })

  it.each([
    [["--run-id", "a"], ["a"]],
    [["--prefix", "b"], ["b"]],
    [
      ["--limit", "2"],
      ["a", "b"]
    ]
  ])("is narrowed by %j", async (flags, runs) => {
    const { steps } = await json("waiting", ...flags)
    expect((steps as ReadonlyArray<{ run_id: string }>).map(({ run_id }) => run_id)).toEqual(runs)
  })

  it("says that nothing waits, and refuses a run that is not there, and a run beside a prefix", async () => {
    expect((await cortex("waiting", "--prefix", "none")).stdout).toBe("nothing waits\n")
    expect((await asJson("waiting", "--run-id", "none")).document.error?.code).toBe("RUN_NOT_FOUND")
    const both = await cortex("waiting", "--run-id", "a", "--prefix", "a")
    expect(both.stderr).toContain("Use either --run-id or --prefix")
  })
})

describe("lists of more rows than are read at a time", () => {
  const { json } = on("pages")

  it("have every row once", async () => {
    const steps = Array.from({ length: 250 }, (_, n) => ({ n }))
    writeFileSync(join(folder, "many.json"), JSON.stringify({ steps }))
    await json("post", "--json", "many.json", "--run-id", "r", "--source", "USER")
    const data = await json("waiting")
    expect(
      (data["steps"] as ReadonlyArray<{ payload: { n: number } }>).map(({ payload }) => payload.n)
    ).toEqual(steps.map(({ n }) => n))
    const claim = Ledger.use((ledger) => ledger.claimStep({ run_id: "r", worker_id: "w1", ttl_seconds: 60 }))
    const claims = Effect.all(Array.from({ length: 101 }, () => claim))
    await Effect.runPromise(Effect.provide(claims, Ledger.layer({ filename: join(folder, "pages.db") })))
    expect(new Set(stepIds(await json("leases"), "leases")).size).toBe(101)
  })
})

describe("a trace", () => {
  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  const other = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01"

  const day = async ({ events, json, post }: ReturnType<typeof on>, flags: ReadonlyArray<string>) => {
    await post("r1", ...flags)
    const { step_id } = await json("claim", "--run-id", "r1", "--worker", "w1", ...flags)
    const lease = ["--run-id", "r1", "--step", String(step_id), "--worker", "w1", "--token", "1"]
    await json("complete", ...lease, "--receipt", "receipt.json", "--outcome", "SUCCESS", ...flags)
    return (await events()).slice(1).map(({ data, type }) => [type, data["traceparent"]])
  }
  const traced = (traceparent: string | undefined) =>
    ["MessagePosted", "StepClaimed", "StepCompleted"].map((type) => [type, traceparent])

  it("is recorded by post, claim and complete", async () => {
    expect(await day(on("trace"), ["--traceparent", trace])).toEqual(traced(trace))
  })
  it("comes from TRACEPARENT where the flag gives none", async () => {
    expect(await day(on("inherited", { TRACEPARENT: trace }), [])).toEqual(traced(trace))
  })
  it("is the flag's before TRACEPARENT's", async () => {
    const traces = await day(on("both", { TRACEPARENT: trace }), ["--traceparent", other])
    expect(traces).toEqual(traced(other))
  })
  it("is left out with a warning where TRACEPARENT is malformed", async () => {
    const { cortex, events } = on("malformed", { TRACEPARENT: "00-xyz" })
    const ran = await cortex("post", "--json", "message.json", "--run-id", "r1", "--source", "USER")
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("warning: TRACEPARENT is no ") })
    expect((await events()).at(-1)?.data).not.toHaveProperty("traceparent")
  })
  it("that the flag gives malformed is refused", async () => {
    const { asJson } = on("refused")
    const args = ["post", "--json", "message.json", "--run-id", "r1", "--source", "USER"]
    const { code, document } = await asJson(...args, "--traceparent", "00-xyz")
    expect(code).toBe(2)
    expect(document.error?.message).toContain("--traceparent: ")
  })
})
