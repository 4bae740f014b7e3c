// Hooks as processes: several at once on one file, and killed in the middle. property-tests/hooks.prop.ts starts 32 at once.
import { once } from "node:events"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { runCortex, startCortex } from "../testing/child-process.ts"
import { runCli, runJson, temporaryFolder } from "../testing/in-process.ts"
import { runLimited } from "../testing/limited.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const options = { cwd: folder, env: { ...process.env, CORTEX_ROOT: "" } }

const jsonOf = (hook: string, id: string, session = "s1"): string =>
  JSON.stringify({
    session_id: session,
    hook_event_name: hook === "pre" ? "PreToolUse" : "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: id,
    ...(hook === "pre" ? {} : { tool_response: "a" })
  })

/** The command line as settings have it, with all the time that a busy machine may need. */
const lineOf = (hook: string, db: string) => ["hook", hook, "--db", db, "--timeout", "50"]

const statusOf = async (db: string) => {
  const { document } = await runJson(["cassette", "verify", "--db", db], { cwd: folder })
  const log = await runCli(["cassette", "log", "--db", db, "--format", "json"], { cwd: folder })
  const count = (type: string) =>
    log.stdout.split("\n").filter((line) => line.includes(`"type":"${type}"`)).length
  return {
    verdict: document.ok ? "PASS" : "FAIL",
    posted: count("MessagePosted"),
    claimed: count("StepClaimed"),
    completed: count("StepCompleted")
  }
}

describe("hooks as processes", () => {
  it("8 at once make each call one step", async () => {
    const db = join(folder, "many.db")
    const ids = Array.from({ length: 8 }, (_, index) => `t${index % 4}`)
    const ran = await Promise.all(
      ids.map((id) => runCortex(lineOf("pre", db), { ...options, input: jsonOf("pre", id) }))
    )
    expect(ran).toEqual(ids.map(() => ({ code: 0, stdout: "", stderr: "" })))
    expect(await statusOf(db)).toEqual({ verdict: "PASS", posted: 4, claimed: 4, completed: 0 })
  })

  it(
    "that are killed before the host has said all record nothing, and the call's step stays leased",
    { timeout: 60_000 },
    async () => {
      const db = join(folder, "killed.db")
      await runCortex(lineOf("pre", db), { ...options, input: jsonOf("pre", "t1") })
      const killed = startCortex(lineOf("post", db), options)
      killed.stdin.write(jsonOf("post", "t1").slice(0, -1))
      killed.kill("SIGKILL")
      expect(await once(killed, "close")).toEqual([null, "SIGKILL"])
      expect(await statusOf(db)).toEqual({ verdict: "PASS", posted: 1, claimed: 1, completed: 0 })
      const { document } = await runJson(["cassette", "leases", "--db", db], { cwd: folder })
      expect(document.data?.["leases"]).toMatchObject([{ worker_id: "claude-code/s1" }])
    }
  )

  it("that may not make a file grow say so: the agent goes on, or is held back", async () => {
    const db = join(folder, "full.db")
    await runCortex(lineOf("pre", db), { ...options, input: jsonOf("pre", "t1") })
    const limited = (...flags: ReadonlyArray<string>) =>
      runLimited("-f 8", [...lineOf("post", db), ...flags], { cwd: folder, input: jsonOf("post", "t1") })
    const warned = limited()
    expect(warned).toMatchObject({ status: 0, document: null })
    expect(warned.stderr).toContain("warning: this call was not recorded: ")
    expect(limited("--on-error", "block").status).toBe(2)
    expect(await statusOf(db)).toEqual({ verdict: "PASS", posted: 1, claimed: 1, completed: 0 })
  })

  it("that are stopped say nothing and end as stopped programs do", { timeout: 60_000 }, async () => {
    const stopped = startCortex(lineOf("pre", join(folder, "stopped.db")), options)
    const closed = once(stopped, "close")
    stopped.stdin.write("{")
    const poke = setInterval(() => stopped.kill("SIGTERM"), 200)
    const [code, signal] = (await closed) as [number | null, string | null]
    clearInterval(poke)
    // Before it listens the signal itself ends it.
    expect([
      [143, null],
      [null, "SIGTERM"]
    ]).toContainEqual([code, signal])
  })
})
