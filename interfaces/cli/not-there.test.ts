// Commands that read or judge something by its name refuse a name that nothing has: a gate with a typing error must not pass.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const cli = (line: string, more: Parameters<typeof runCli>[1] = { cwd: folder }) =>
  runCli(line.split(" "), more)
let otherJob = ""

beforeAll(async () => {
  mkdirSync(join(folder, "docs"))
  writeFileSync(join(folder, "docs", "a.md"), "# A\n")
  writeFileSync(join(folder, "message.json"), "{}")
  for (const line of [
    "index",
    "cassette post --json message.json --run-id r1 --source USER",
    "thought record --task t1 --type plan --agent a --content read --id th1"
  ]) {
    expect(await cli(line)).toMatchObject({ code: 0 })
  }
  const post = "cassette post --json message.json --run-id other --source USER"
  otherJob = String((await runJson(post.split(" "), { cwd: folder })).document.data?.["job_id"])
})

describe("a name that nothing has", () => {
  it.each([
    ["cassette verify --run-id typo", "RUN_NOT_FOUND", "There is no run typo"],
    ["cassette verify --run-id typo --pure", "RUN_NOT_FOUND", "`cortex cassette status"],
    ["cassette status --run-id typo", "RUN_NOT_FOUND", "There is no run typo"],
    ["cassette waiting --run-id typo", "RUN_NOT_FOUND", "There is no run typo"],
    ["cassette leases --run-id typo", "RUN_NOT_FOUND", "There is no run typo"],
    ["cassette log --run-id typo", "RUN_NOT_FOUND", "There is no run typo"],
    ["cassette at 1 --run-id typo", "RUN_NOT_FOUND", "There is no run typo"],
    ["work --run-id typo --worker w", "RUN_NOT_FOUND", "There is no run typo"],
    ["work --run-id typo --worker w --processes 2", "RUN_NOT_FOUND", "There is no run typo"],
    ["work --run-id r1 --worker w --job JOB", "JOB_NOT_FOUND", "Run r1 has no job"],
    ["bundle build --run-id r1 --job-id JOB --out out", "JOB_NOT_FOUND", "Run r1 has no job"],
    ["thought verify --task typo", "TASK_NOT_FOUND", "There is no task typo"],
    ["thought list --task typo", "TASK_NOT_FOUND", "`cortex thought list"],
    ["thought list --task typo --after th1", "TASK_NOT_FOUND", "There is no task typo"],
    ["thought list --after typo", "THOUGHT_NOT_FOUND", "typo"],
    ["thought show typo", "THOUGHT_NOT_FOUND", "typo"],
    ["section show typo", "SECTION_NOT_FOUND", "typo"],

    ["section list --path typo.md", "FILE_NOT_INDEXED", "typo.md"],
    ["section list --after typo", "SECTION_NOT_FOUND", "typo"]
  ])("is refused: %s", async (words, code, message) => {
    const line = words.replace("JOB", otherJob)
    const ran = await cli(line)
    expect(ran).toMatchObject({ code: 1, stdout: "" })
    expect(ran.stderr).toContain(message)
    const { document } = await runJson(line.split(" "), { cwd: folder })
    expect(document.error?.code).toBe(code)
  })

  it("is waited for by a log that is followed, which says so", async () => {
    const stop = new AbortController()
    const written = { stdout: "", stderr: "" }
    const followed = cli("cassette log --run-id later --follow --limit 1", {
      cwd: folder,
      host: {
        stop: stop.signal,
        write: async (stream, text) => {
          written[stream] += text
          if (stream === "stderr") {
            await cli("cassette post --json message.json --run-id later --source USER")
          }
        }
      }
    })
    expect((await followed).code).toBe(0)
    expect(written.stderr).toMatch(/^warning: There is no run later .*; waiting for its first message\n$/)
    expect(written.stdout).toContain("MessagePosted")
  })
})

describe("a name that something has", () => {
  it.each([
    ["cassette at 1 --run-id r1", "messages  0"],
    ["cassette log --run-id r1 --after 99", ""],
    ["thought list --task t1 --after th1", "no thoughts"],
    ["section list --path docs/a.md", "docs/a.md"]
  ])("is answered, also with nothing: %s", async (line, text) => {
    const ran = await cli(line)
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain(text)
  })
})
