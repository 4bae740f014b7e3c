// `cortex work` and `cortex run` on real folders: what they answer, what they refuse, and what real processes do when
// one of them is killed or told to stop.
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import Database from "better-sqlite3"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { binary } from "./testing/binary.ts"
import { runCortex, startCortex } from "./testing/child-process.ts"
import { documentOf, runCli, runJson, temporaryFolder } from "./testing/in-process.ts"
import { secondsPass } from "./testing/test-host.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

/** A root with one indexed text, and the same with a run that takes some time: each test has a copy. */
const original = join(folder, "original")
const long = join(folder, "long")
let count = 0
let root = original
const cortex = (...args: ReadonlyArray<string>) => runCli(args, { cwd: root })
const json = (...args: ReadonlyArray<string>) => runJson(args, { cwd: root })

/** A request for so many slices of one text, each another one. */
const request = (steps: number) => ({
  run_id: "r1",
  request_id: "q1",
  intent: "read",
  inputs: {
    symbols: Array.from({ length: steps }, (_, n) => ({
      symbol_id: "@DOCS/long",
      slice: `lines[${n}:${n + 1}]`
    }))
  }
})

const planned = async (steps: number) => {
  writeFileSync(join(root, "request.json"), JSON.stringify(request(steps)))
  const { code, document } = await json("plan", "--request", "request.json")
  expect(code).toBe(0)
  return String(document.data?.["job_id"])
}

/** Gives the test that runs a copy of a root. */
const copyOf = (source: string): void => {
  root = join(folder, `${(count += 1)}`)
  cpSync(source, root, { recursive: true })
}

beforeAll(async () => {
  mkdirSync(root)
  writeFileSync(join(root, "long.txt"), Array.from({ length: 2000 }, (_, n) => `line ${n}\n`).join(""))
  expect(await cortex("index")).toMatchObject({ code: 0 })
  expect(await cortex("symbol", "add", "@DOCS/long", "long.txt")).toMatchObject({ code: 0 })
  copyOf(original)
  await planned(1000)
  cpSync(root, long, { recursive: true })
})

beforeEach(() => copyOf(original))

const ledgerFile = () => join(root, "CORTEX", "_generated", "system3.db")

/** Steps by status, straight from the tables. */
const steps = (): Readonly<Record<string, number>> => {
  const database = new Database(ledgerFile(), { readonly: true })
  try {
    const rows = database.prepare("SELECT status, count(*) AS n FROM cassette_steps GROUP BY status").all()
    return Object.fromEntries(
      (rows as Array<{ status: string; n: number }>).map(({ n, status }) => [status, n])
    )
  } finally {
    database.close()
  }
}

/** Waits until a worker has claimed a step. */
const claimedBy = async (worker: string) => {
  for (;;) {
    const database = new Database(ledgerFile(), { readonly: true })
    const found = database.prepare("SELECT 1 FROM cassette_steps WHERE lease_owner = ?").get(worker)
    database.close()
    if (found !== undefined) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Waits until so many steps are committed. */
const committed = async (least: number) => {
  while ((steps()["COMMITTED"] ?? 0) < least) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe("work", () => {
  it("works until no step waits, and says what it did", async () => {
    await planned(3)
    const { code, document } = await json("work", "--run-id", "r1", "--worker", "w")
    expect(code).toBe(0)
    const tally = { succeeded: 3, failed: 0, lost: 0, hits: 0, misses: 3, bytes_read: 18 }
    expect(document.data).toEqual({
      run_id: "r1",
      job_id: null,
      ...tally,
      waiting: 0,
      leased: 0,
      workers: [{ worker_id: "w", ...tally }]
    })
    const again = await cortex("work", "--run-id", "r1", "--worker", "w")
    expect(again.stdout).toMatch(
      /^run +r1\nworkers +w\nsteps +0 succeeded, .*\n.*\nwaiting +0\nstill leased +0\n$/
    )
  })

  it("counts what others still lease, and ends with 0", async () => {
    const job = await planned(2)
    await cortex("cassette", "claim", "--run-id", "r1", "--worker", "other")
    const { code, document } = await json("work", "--run-id", "r1", "--worker", "w", "--job", job)
    expect(code).toBe(0)
    expect(document.data).toMatchObject({ job_id: job, succeeded: 1, waiting: 0, leased: 1 })
  })

  it("shows progress on a terminal, and leaves nothing of it there", async () => {
    await planned(1)
    const isTerminal = (stream: string) => stream === "stderr"
    const { stderr } = await runCli(["work", "--run-id", "r1", "--worker", "w"], {
      cwd: root,
      host: { isTerminal, elapsedMillis: secondsPass() }
    })
    expect(stderr).toBe("\r\u001b[K1 step(s) done, 0 failed, 0 from the cache\r\u001b[K")
  })

  it.each([
    ["a worker without a name", ["--worker", ""], 2],
    ["a lease of nothing", ["--worker", "w", "--ttl", "0"], 2],
    ["a job that is no id", ["--worker", "w", "--job", "j"], 2],
    ["no process", ["--worker", "w", "--processes", "0"], 2],
    ["too many processes", ["--worker", "w", "--processes", "65"], 2],
    ["a root without a ledger", ["--worker", "w", "--root", "."], 2]
  ])("refuses %s", async (_, args, exit) => {
    const { code, stderr } = await cortex("work", "--run-id", "r1", ...args)
    expect(code).toBe(exit)
    expect(stderr).toMatch(/^error: /)
  })

  it("gives back what is no reading", async () => {
    await runCli(["cassette", "post", "--json", "-", "--run-id", "r1", "--source", "USER"], {
      cwd: root,
      stdin: '{"intent":"build"}'
    })
    const { code, document } = await json("work", "--run-id", "r1", "--worker", "w")
    expect(code).toBe(1)
    expect(document.error).toMatchObject({ code: "NOT_A_READ_STEP" })
    const several = await json("work", "--run-id", "r1", "--worker", "w", "--processes", "2")
    expect(several.code).toBe(1)
    expect(several.document.error).toMatchObject({
      code: "WORKERS_FAILED",
      details: { waiting: 1, leased: 0 }
    })
    // A worker that comes while the other one has the step finds nothing that waits, and ends well.
    const workers = several.document.error?.details["workers"] as ReadonlyArray<{ code: string }>
    expect(new Set(workers.map(({ code }) => code))).toEqual(new Set(["NOT_A_READ_STEP"]))
  })
})

describe("work in real processes", () => {
  it("shares a run between them, each step once", async () => {
    await planned(40)
    const { code, document } = await json("work", "--run-id", "r1", "--worker", "w", "--processes", "3")
    expect(code).toBe(0)
    expect(document.data).toMatchObject({ succeeded: 40, misses: 40, waiting: 0, leased: 0 })
    const workers = document.data?.["workers"] as ReadonlyArray<{ worker_id: string }>
    expect(workers.map(({ worker_id }) => worker_id)).toEqual(["w-1", "w-2", "w-3"])
    expect((await cortex("cassette", "verify")).code).toBe(0)
  })

  it.each(["SIGINT", "SIGTERM"] as const)("ends on %s with no step in hand", async (signal) => {
    copyOf(long)
    const child = startCortex(["work", "--run-id", "r1", "--worker", "w"], { cwd: root })
    child.stdout.resume()
    const notes = text(child.stderr)
    await committed(1)
    child.kill(signal)
    const [code] = (await once(child, "close")) as [number | null]
    expect(code).toBe(signal === "SIGINT" ? 130 : 143)
    expect(await notes).toMatch(/^stopped after [0-9]+ step\(s\); no step is left in hand\n$/)
    expect(steps()["LEASED"]).toBeUndefined()
    expect(steps()["PENDING"]).toBeGreaterThan(0)
  })

  it("hands a wish to stop on to its workers, and waits for them", async () => {
    copyOf(long)
    const child = startCortex(["work", "--run-id", "r1", "--worker", "w", "--processes", "2"], { cwd: root })
    child.stdout.resume()
    child.stderr.resume()
    await committed(1)
    child.kill("SIGTERM")
    const [code] = (await once(child, "close")) as [number | null]
    expect(code).toBe(143)
    const left = steps()
    expect(left["LEASED"]).toBeUndefined()
    expect(left["PENDING"]).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(steps()).toEqual(left)
  })

  it("says which of its workers was killed, and ends well when the others have done the rest", async () => {
    await planned(5)
    const killSecond = `case "$*" in *--worker=w-2*) kill -9 $$;; *) exec "$NODE" "$BINARY" "$@";; esac`
    const work = ["work", "--run-id", "r1", "--worker", "w", "--processes", "2", "--format", "json"]
    const env = { ...process.env, NODE: process.execPath, BINARY: binary }
    const host = { self: ["/bin/sh", "-c", killSecond, "sh"], env }
    const ran = await runCli(work, { cwd: root, host })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toBe("warning: worker w-2: it ended with SIGKILL\n")
    expect(documentOf(ran.stdout).data).toMatchObject({ succeeded: 5, workers: [{ worker_id: "w-1" }] })
  })

  it.each([
    ["killed", ["/bin/sh", "-c", "kill -9 $$"], "it ended with SIGKILL"],
    ["unable to start", ["/nowhere/node"], "it ended with spawn /nowhere/node ENOENT"],
    ["silent", ["/bin/sh", "-c", "echo oops >&2"], "it ended with exit code 0 oops"]
  ])("fails when work is left and its workers were %s", async (_, self, message) => {
    await planned(1)
    const work = ["work", "--run-id", "r1", "--worker", "w", "--processes", "2"]
    const { code, document } = await runJson(work, { cwd: root, host: { self } })
    expect(code).toBe(1)
    expect(document.error).toMatchObject({
      code: "WORKERS_FAILED",
      details: {
        waiting: 1,
        leased: 0,
        workers: [
          { worker_id: "w-1", code: "WORKER_ENDED", message },
          { worker_id: "w-2", code: "WORKER_ENDED", message }
        ]
      }
    })
  })

  it("goes on when one of several is killed; what that one held is requeued, and the bundle can be built", async () => {
    await planned(200)
    const victim = startCortex(["work", "--run-id", "r1", "--worker", "victim", "--ttl", "1"], { cwd: root })
    victim.stdout.resume()
    victim.stderr.resume()
    const others = runCortex(
      ["work", "--run-id", "r1", "--worker", "w", "--processes", "2", "--format", "json"],
      {
        cwd: root
      }
    )
    await claimedBy("victim")
    victim.kill("SIGKILL")
    await once(victim, "close")
    const ran = await others
    expect(ran.code).toBe(0)
    const { leased, waiting } = documentOf(ran.stdout).data as { leased: number; waiting: number }
    expect(waiting).toBe(0)
    // It may have been killed between two steps.
    expect([0, 1]).toContain(leased)
    expect(steps()["LEASED"] ?? 0).toBe(leased)
    if (leased === 1) {
      const build = ["run", "--request", "request.json", "--out", "out"]
      expect((await json(...build)).document.error).toMatchObject({ code: "JOB_INCOMPLETE" })
      const { document } = await json("cassette", "status", "--run-id", "r1", "--limit", "1000")
      const states = document.data?.["steps"] as ReadonlyArray<{ step_id: string; status: string }>
      const held = states.find(({ status }) => status === "LEASED")?.step_id ?? ""
      await cortex("cassette", "requeue", "--run-id", "r1", "--step", held, "--reason", "killed", "--force")
    }
    const done = await json("run", "--request", "request.json", "--out", "out")
    expect(done.code).toBe(0)
    expect((await cortex("bundle", "verify", "out")).code).toBe(0)
  })
})

describe("run", () => {
  it("plans, works and bundles, and does so again with nothing to do", async () => {
    writeFileSync(join(root, "request.json"), JSON.stringify(request(3)))
    const { code, document } = await json("run", "--request", "request.json", "--out", "out")
    expect(code).toBe(0)
    expect(document.data).toMatchObject({
      plan: { created: true, cost: { steps: 3 } },
      work: { succeeded: 3, workers: [{ worker_id: "r1" }] },
      bundle: { created: true, counts: { steps: 3, artifacts: 3 } }
    })
    expect((await cortex("bundle", "verify", "out")).code).toBe(0)
    const again = await json("run", "--request", "request.json", "--out", "out", "--processes", "2")
    expect(again.document.data).toMatchObject({
      plan: { created: false },
      work: { succeeded: 0 },
      bundle: { created: false }
    })
    expect((await cortex("run", "--request", "request.json", "--out", "out")).stdout).toMatch(
      /\nsteps +3\n[^]*\n\nrun +r1\n[^]*\n\nbundle +[0-9a-f]{64}\n/
    )
  })

  it("bundles what succeeded when failures are allowed", async () => {
    const gone = { symbol_id: "@DOCS/gone", slice: "head(1)" }
    writeFileSync(join(root, "gone.txt"), "x")
    await cortex("index")
    await cortex("symbol", "add", "@DOCS/gone", "gone.txt")
    const { inputs, ...rest } = request(1)
    writeFileSync(
      join(root, "request.json"),
      JSON.stringify({ ...rest, inputs: { symbols: [...inputs.symbols, gone] } })
    )
    await json("plan", "--request", "request.json")
    await cortex("symbol", "remove", "@DOCS/gone")
    const worked = await json("work", "--run-id", "r1", "--worker", "w")
    expect(worked.document.data).toMatchObject({ succeeded: 1, failed: 1 })
    await cortex("symbol", "add", "@DOCS/gone", "gone.txt")
    const refused = await json("run", "--request", "request.json", "--out", "out")
    expect(refused).toMatchObject({ code: 1, document: { error: { code: "STEPS_FAILED" } } })
    expect(existsSync(join(root, "out"))).toBe(false)
    const allowed = await json("run", "--request", "request.json", "--out", "out", "--allow-failures")
    expect(allowed.document.data).toMatchObject({ bundle: { failed_steps: [expect.any(String)] } })
  })
})
