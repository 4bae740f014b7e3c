// Commands of the real binary where a file may not grow far (ulimit -f): each that writes a file ends with the error that
// says so, or does its work.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundleLayer, finishJob } from "../../infrastructure/bundles/testing/finished-job.ts"
import { runCli, temporaryFolder } from "./testing/in-process.ts"
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
  const text = "# Long\n\nmany words stand here\n".repeat(9_000)
  writeFileSync(join(folder, "docs", "long.md"), text)
  await done(["network", "init"])
  await done(["network", "index"])
  writeFileSync(join(folder, "docs", "more.md"), text)
})

/** Runs `cortex ARGS` where no file may have more than so many KiB; the ending, as exit code and error. */
const limited = (kib: number, args: ReadonlyArray<string>) => {
  const { document, status, stderr } = runLimited(`-f ${kib}`, args, { cwd: folder, input: stdin })
  expect(stderr).not.toContain("damaged")
  return [status, document?.error?.code, document?.error?.message]
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
  ])("%s says so", (_, args) => {
    const says = expect.stringContaining("raise the limit of its size (ulimit -f)")
    for (const kib of [4, 40]) {
      const [status, code, message] = limited(kib, args())
      // A cassette that is only read cannot be opened where its log's index has no room.
      expect(["RESOURCE_EXHAUSTED", "CASSETTE_OFFLINE"]).toContain(code)
      expect([status, message]).toEqual([1, says])
    }
  })

  it("no half of a file is left where none may have a byte", () => {
    for (const args of [
      ["network", "init", "--root", "new"],
      ["key", "generate", "--out", "new/key.pem"]
    ]) {
      mkdirSync(join(folder, "new"), { recursive: true })
      expect(limited(0, args).slice(0, 2), args.join(" ")).toEqual([1, "RESOURCE_EXHAUSTED"])
      const left = readdirSync(join(folder, "new"), { recursive: true, encoding: "utf8" })
      expect(left.filter((name) => name !== "CORTEX")).toEqual([])
    }
    expect(limited(0, post).slice(0, 2)).toEqual([1, "RESOURCE_EXHAUSTED"])
  })
})
