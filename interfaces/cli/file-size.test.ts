// Commands where a file may not grow far (ulimit -f): each that writes a file ends with the error that says so, or does its work.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundleLayer, finishJob } from "../../infrastructure/bundles/testing/finished-job.ts"
import { CommandProcess } from "./testing/command-process.ts"
import { documentOf, runCli, temporaryFolder } from "./testing/in-process.ts"
import { runLimited } from "./testing/limited.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)
const post = ["cassette", "post", "--json", "-", "--run-id", "r1", "--source", "USER"]
const stdin = JSON.stringify({ intent: "tidy ".repeat(4_000) })
let run: ReadonlyArray<string> = []

beforeAll(async () => {
  const databases = bundleLayer(join(folder, "CORTEX", "_generated"))
  const reads = [{ ref: "@DOCS/readme", slice: "lines[0:2]", text: "# Title\n".repeat(9_000) }]
  const job = await Effect.runPromise(Effect.provide(finishJob(reads), databases))
  run = ["--run-id", job.run_id, "--job-id", job.job_id]
  const done = async (args: ReadonlyArray<string>, input?: string) => {
    const options = input === undefined ? { cwd: folder } : { cwd: folder, stdin: input }
    expect((await runCli(args, options)).code, args.join(" ")).toBe(0)
  }
  await done(post, stdin)
  await done(["cassette", "backup", "backup.db"])
  const log = await runCli(["cassette", "log", "--format", "json"], { cwd: folder })
  writeFileSync(join(folder, "events.jsonl"), log.stdout)
  await done(["bundle", "build", ...run, "--out", "bundle"])
  mkdirSync(join(folder, "docs"))
  const text = `# Long\n\n${"many words stand here\n".repeat(10)}\n`.repeat(400)
  writeFileSync(join(folder, "docs", "long.md"), text)
  await done(["network", "init"])
  await done(["network", "index"])
  writeFileSync(join(folder, "docs", "more.md"), text)
})

/** Runs commands where no file may have more than so many KiB. */
const processes = new Map<number, CommandProcess>()
afterAll(async () => {
  for (const each of processes.values()) await each.close()
})

/** Runs `cortex ARGS` there; the ending, as exit code and error. */
const limited = async (kib: number, args: ReadonlyArray<string>) => {
  const server = processes.get(kib) ?? new CommandProcess({ limit: `-f ${kib}` })
  processes.set(kib, server)
  const { code, stderr, stdout } = await server.run([...args, "--format", "json"], { cwd: folder, stdin })
  expect(stderr).not.toContain("damaged")
  const { error } = documentOf(stdout)
  return [code, error?.code, error?.message]
}

describe.runIf(process.platform === "linux")("where a file may not grow", () => {
  it.each([
    ["post", () => post],
    ["backup", () => ["cassette", "backup", "copy.db"]],
    ["rebuild", () => ["cassette", "rebuild", "--to", "rebuilt.db"]],
    ["restore", () => ["cassette", "restore", "backup.db", "--db", "restored.db"]],
    ["import", () => ["cassette", "import", "events.jsonl", "--to", "imported.db"]],
    ["index", () => ["index"]],
    ["bundle build", () => ["bundle", "build", ...run, "--out", "out"]],
    ["bundle pack", () => ["bundle", "pack", "bundle", "packed.tar"]],
    ["network index", () => ["network", "index"]],
    ["network export", () => ["network", "export", "documents", "--out", "cartridge"]]
  ])("%s says so", async (_, args) => {
    const says = expect.stringContaining("raise the limit of its size (ulimit -f)")
    for (const kib of [4, 40]) {
      const [status, code, message] = await limited(kib, args())
      // A cassette that is only read cannot be opened where its log's index has no room.
      expect(["RESOURCE_EXHAUSTED", "CASSETTE_OFFLINE"]).toContain(code)
      expect([status, message]).toEqual([1, says])
    }
  })

  it("no half of a file is left where none may have a byte", async () => {
    for (const args of [
      ["network", "init", "--root", "new"],
      ["key", "generate", "--out", "new/key.pem"]
    ]) {
      mkdirSync(join(folder, "new"), { recursive: true })
      expect((await limited(0, args)).slice(0, 2), args.join(" ")).toEqual([1, "RESOURCE_EXHAUSTED"])
      const left = readdirSync(join(folder, "new"), { recursive: true, encoding: "utf8" })
      expect(left.filter((name) => name !== "CORTEX")).toEqual([])
    }
  })

  it("the real command ends with the same exit code", () => {
    const { document, status } = runLimited("-f 0", post, { cwd: folder, input: stdin })
    expect([status, document?.error?.code]).toEqual([1, "RESOURCE_EXHAUSTED"])
  })
})
