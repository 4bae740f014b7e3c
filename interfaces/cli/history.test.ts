// The commands that read the history, in the test's own process: show, timeline, the filters of log, and the comparison of ledgers.
import { copyFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const db = ["--db", join(folder, "work.db")]
const cortex = (...args: ReadonlyArray<string>) => runCli([...args], { cwd: folder })
const json = async (...args: ReadonlyArray<string>) => {
  const { code, document } = await runJson([...args], { cwd: folder })
  return { code, data: document.data ?? {}, error: document.error }
}

const HOSTILE = "late \u202Emoc.\u0007\ud83d\ude00"
let step = ""
let receipt = ""

/** Two runs: in one a step is lost, taken over, renewed and fails; the other waits. */
beforeAll(async () => {
  writeFileSync(join(folder, "message.json"), JSON.stringify({ intent: "tidy", text: HOSTILE }))
  writeFileSync(join(folder, "large.json"), JSON.stringify({ intent: "large", text: "x".repeat(10_000) }))
  writeFileSync(join(folder, "receipt.json"), JSON.stringify({ error: { code: "TORN", message: HOSTILE } }))
  const cassette = async (...args: ReadonlyArray<string>) => {
    const { code, data, error } = await json("cassette", ...args, ...db)
    expect(error).toBeUndefined()
    expect(code).toBe(0)
    return data
  }
  const post = (run: string, file: string) =>
    cassette("post", "--json", file, "--run-id", run, "--source", "USER")
  await post("r1", "message.json")
  const first = await cassette("claim", "--run-id", "r1", "--worker", "w1")
  step = String(first["step_id"])
  await cassette("requeue", "--run-id", "r1", "--step", step, "--reason", HOSTILE, "--by", "boss", "--force")
  await cassette("claim", "--run-id", "r1", "--worker", "w2")
  const content = ["thought", "record", "--task", "r1", "--type", "plan", "--agent", "w2", "--id", "t1"]
  await json(...content, "--content", `first\n${HOSTILE}`, ...db)
  const held = ["--run-id", "r1", "--step", step, "--worker", "w2"]
  await cassette("renew", ...held, "--token", "2")
  const done = ["--receipt", "receipt.json", "--outcome", "FAILURE"]
  receipt = String((await cassette("complete", ...held, "--token", "3", ...done))["receipt_id"])
  await post("r2", "large.json")
})

/** Characters that move the cursor, or turn or hide text. */
const unsafe = /(?!\n)[\p{Cc}\p{Cf}]/u

describe("show", () => {
  it("tells a step's attempts, why it waited again, and its receipt", async () => {
    const { code, stdout } = await cortex("show", step, ...db)
    expect(code).toBe(0)
    expect(stdout).not.toMatch(unsafe)
    expect(stdout).toMatch(/^status {3}COMMITTED$/m)
    expect(stdout).toMatch(/^ {2}1\. w1, token 1, claimed .* \(event 3\)$/m)
    expect(stdout).toMatch(
      /^ {5}boss took the step away .* \(event 4\), after .*: late \\u202emoc\.\\u0007\u{1f600}$/mu
    )
    expect(stdout).toMatch(/^ {2}2\. w2, token 3, claimed .* \(event 5\)$/m)
    expect(stdout).toMatch(/^ {5}renewed .* \(event 7\): token 3, until /m)
    expect(stdout).toMatch(/^ {5}thought t1 \(event 6, plan\): first …$/m)
    expect(stdout).toMatch(/^ {5}FAILURE .* \(event 8\), after /m)
    expect(stdout).toContain(`receipt    ${receipt}`)
  })

  it("takes any id, its beginning, its numbers, and a position", async () => {
    const kindOf = async (id: string) => (await json("show", id, ...db)).data["kind"]
    for (const [id, kind] of [
      [step.slice(0, 25), "step"],
      ["2.1.1", "step"],
      ["2.1", "job"],
      ["rcpt_", "receipt"],
      ["t1", "thought"],
      ["r1", "run"],
      ["8", "event"]
    ] as const) {
      expect(await kindOf(id)).toBe(kind)
      const { stdout } = await cortex("show", id, ...db)
      expect(stdout, id).not.toMatch(unsafe)
    }
  })

  it("folds what is above 4 KB without --full", async () => {
    const { stdout } = await cortex("show", "9.1.1", ...db)
    expect(stdout.length).toBeLessThan(3_000)
    expect(stdout).toMatch(/the beginning of 10028 bytes with the SHA-256 [0-9a-f]{64}; --full shows all/)
    const whole = await json("show", "9.1.1", "--full", ...db)
    expect(whole.data["payload"]).toMatchObject({ whole: { text: "x".repeat(10_000) }, beginning: null })
  })

  it("refuses what is not there and what is not clear, with exit code 1", async () => {
    for (const id of ["nothing", "77", "3.1.1", "step_9", "run:step_"]) {
      const { code, error } = await json("show", id, ...db)
      expect([id, code, error?.code]).toEqual([id, 1, "ID_NOT_FOUND"])
    }
    const { code, error } = await json("show", "msg_", ...db)
    expect([code, error?.code]).toEqual([1, "AMBIGUOUS_PREFIX"])
    expect(error?.message).toMatch(/msg_0000000000002_\w+, msg_0000000000009_\w+/)
    expect((await json("show", "a\u0007b", ...db)).code).toBe(2)
    expect((await json("show", "r1", "--db", join(folder, "no.db"))).code).toBe(2)
  })
})

describe("timeline", () => {
  it("is one sentence for each event of the run and of the thoughts of its name", async () => {
    const { code, stdout } = await cortex("timeline", "--run-id", "r1", ...db)
    expect(code).toBe(0)
    expect(stdout).not.toMatch(unsafe)
    const [day, ...lines] = stdout.trimEnd().split("\n")
    expect(day).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(lines.map((line) => line.slice(0, 7).trim())).toEqual(["2", "3", "4", "5", "6", "7", "8"])
    expect(lines[2]).toMatch(/ [0-9a-f]{8} {2}boss took step 2\.1\.1 away from w1 after .*, token 1: late /)
    expect(lines[6]).toMatch(/w2 finished step 2\.1\.1 after .* with token 3: FAILURE, TORN: late /)
  })

  it("is of all runs, names them, and may be a part", async () => {
    const positions = async (...args: ReadonlyArray<string>) =>
      ((await json("timeline", ...args, ...db)).data["entries"] as ReadonlyArray<{ position: number }>).map(
        ({ position }) => position
      )
    expect(await positions()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(await positions("--after", "3", "--limit", "2")).toEqual([4, 5])
    expect(await positions("--last", "2")).toEqual([8, 9])
    expect(await positions("--run-id", "r1", "--last", "3")).toEqual([6, 7, 8])
    expect((await cortex("timeline", ...db)).stdout).toMatch(/ {2}r2 {2}USER posted 1 step: large$/m)
  })

  it("refuses a run that is not there, and flags that exclude each other", async () => {
    const { code, error } = await json("timeline", "--run-id", "nothing", ...db)
    expect([code, error?.code]).toEqual([1, "RUN_NOT_FOUND"])
    expect((await json("timeline", "--last", "1", "--after", "2", ...db)).code).toBe(2)
    expect((await json("timeline", "--last", "10001", ...db)).code).toBe(2)
  })
})

describe("log", () => {
  const positions = async (...args: ReadonlyArray<string>) => {
    const { code, stdout } = await cortex("cassette", "log", ...args, "--format", "json", ...db)
    expect(code).toBe(0)
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { position: number }).position)
  }
  const timeOf = async (id: string) => String((await json("show", id, ...db)).data["recorded_at"])

  it("narrows to a type, a worker, a step, and to what lies between two times", async () => {
    expect(await positions("--type", "StepClaimed")).toEqual([3, 5])
    expect(await positions("--worker", "w1")).toEqual([3, 4])
    expect(await positions("--worker", "w2", "--type", "StepCompleted")).toEqual([8])
    expect(await positions("--step", "2.1.1")).toEqual([3, 4, 5, 7, 8])
    expect(await positions("--step", step, "--limit", "2")).toEqual([3, 4])
    expect(await positions("--since", await timeOf("8"))).toEqual([8, 9])
    expect((await positions("--until", await timeOf("4"))).slice(0, 4)).toEqual([1, 2, 3, 4])
    expect(await positions("--since", "2100-01-01T00:00:00.000Z")).toEqual([])
    expect(await positions("--until", "2000-01-01T00:00:00.000Z")).toEqual([])
  })

  it("refuses a type or time that is none, and a step that is not there or of another run", async () => {
    const codeOf = async (...args: ReadonlyArray<string>) =>
      (await cortex("cassette", "log", ...args, ...db)).code
    expect(await codeOf("--type", "Claimed")).toBe(2)
    expect(await codeOf("--since", "yesterday")).toBe(2)
    expect(await codeOf("--until", "2026-02-30T00:00:00.000Z")).toBe(2)
    expect(await codeOf("--step", "7.7.7")).toBe(1)
    expect(await codeOf("--step", "r1")).toBe(1)
    expect(await codeOf("--step", "2.1.1", "--run-id", "r2")).toBe(1)
    expect((await cortex("cassette", "log", "--since", "yesterday", ...db)).stderr).toMatch(/--since/)
  })
})

describe("diff", () => {
  const diff = (left: string, right: string, ...more: ReadonlyArray<string>) =>
    json("cassette", "diff", join(folder, left), join(folder, right), ...more)
  const post = (file: string, run: string) =>
    json(
      "cassette",
      "post",
      "--json",
      "message.json",
      "--run-id",
      run,
      "--source",
      "USER",
      "--db",
      join(folder, file)
    )

  it("says up to where two ledgers are the same, and what each has beyond that", async () => {
    await json("cassette", "backup", join(folder, "older.db"), ...db)
    expect(await diff("work.db", "older.db")).toMatchObject({ code: 0, data: { verdict: "SAME" } })

    copyFileSync(join(folder, "older.db"), join(folder, "newer.db"))
    await post("newer.db", "more")
    const more = await diff("older.db", "newer.db")
    expect(more).toMatchObject({
      code: 1,
      error: {
        code: "LEDGERS_DIFFER",
        details: {
          verdict: "RIGHT_HAS_MORE",
          common: { position: 9 },
          left: { events_beyond: 0, first_beyond: [] },
          right: { events_beyond: 1, first_beyond: [{ position: 10, type: "MessagePosted" }] }
        }
      }
    })

    copyFileSync(join(folder, "older.db"), join(folder, "other.db"))
    await post("other.db", "another")
    await post("other.db", "another")
    const parted = await cortex(
      "cassette",
      "diff",
      join(folder, "newer.db"),
      join(folder, "other.db"),
      "--limit",
      "1"
    )
    expect(parted.code).toBe(1)
    expect(parted.stdout).not.toMatch(unsafe)
    const lines = parted.stdout.trimEnd().split("\n")
    expect(lines[0]).toMatch(/^the same up to event 9, [0-9a-f]{64}$/)
    expect(lines[1]).toMatch(/^- +10 .* more {2}USER posted 1 step: tidy$/)
    expect(lines[2]).toMatch(/^\+ +10 .* another {2}USER posted 1 step: tidy$/)
    expect(lines[3]).toBe("+ and 1 more")
    expect(parted.stderr).toMatch(/9 event\(s\) in common; two different histories begin there/)
  })

  it("of ledgers that were never one parts at the first event", async () => {
    await post("stranger.db", "x")
    expect(await diff("older.db", "stranger.db")).toMatchObject({
      code: 1,
      error: { details: { verdict: "PARTED", common: { position: 0, hash: null } } }
    })
  })

  it("of what is no ledger is trouble: exit code 2", async () => {
    expect((await diff("work.db", "message.json")).code).toBe(2)
    expect((await diff("work.db", "missing.db")).code).toBe(2)
  })
})
