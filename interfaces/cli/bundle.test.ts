// `cortex bundle` through the same main function as the binary: exit codes, envelopes and words of every command.
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import { golden, goldenText } from "../../domain/bundles/testing/smallest-bundle.ts"
import { brokenBundles } from "../../infrastructure/bundles/testing/broken-bundles.ts"
import { writeGolden } from "../../infrastructure/bundles/testing/bundle-folders.ts"
import { bundleLayer, finishJob, type JobOptions } from "../../infrastructure/bundles/testing/finished-job.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const options = { cwd: folder }
let made = 0
const freshPath = () => join(folder, `bundle-${made++}`)

describe("bundle verify", () => {
  it("passes a sound bundle", async () => {
    const path = writeGolden(freshPath())
    const ran = await runCli(["bundle", "verify", path], options)
    expect(ran).toMatchObject({ code: 0, stderr: "PASS: All invariants verified\n" })
    expect(ran.stdout).toContain(golden.bundle_id)
    const { code, document } = await runJson(["bundle", "verify", join(path, "bundle.json")], options)
    expect(code).toBe(0)
    expect(document.data).toMatchObject({ verdict: "PASS", bundle_id: golden.bundle_id, findings: [] })
  })

  it("ends with 1 and the findings when something is wrong", async () => {
    const path = writeGolden(freshPath())
    const [file = ""] = Object.keys(golden.artifacts)
    writeFileSync(join(path, file), goldenText.replace("alpha", "alphA"))
    const ran = await runCli(["bundle", "verify", path], options)
    expect(ran).toMatchObject({ code: 1, stdout: "" })
    expect(ran.stderr).toContain("FAIL: 1 issue(s) found\nHASH_MISMATCH artifacts/")
    const { document } = await runJson(["bundle", "verify", path], options)
    expect(document.error).toMatchObject({
      code: "VERIFICATION_FAILED",
      details: { verdict: "FAIL", findings: [{ code: "HASH_MISMATCH", where: file }] }
    })
  })

  it("ends with 2 when it is no bundle", async () => {
    const path = writeGolden(freshPath())
    renameSync(join(path, "bundle.json"), join(path, "manifest.json"))
    const { code, document } = await runJson(["bundle", "verify", path], options)
    expect(code).toBe(2)
    expect(document.error).toMatchObject({ code: "INVALID_BUNDLE", details: { verdict: "INVALID" } })
    rmSync(path, { recursive: true })
    expect((await runCli(["bundle", "verify", path], options)).code).toBe(2)
    expect((await runCli(["bundle", "verify", ""], options)).code).toBe(2)
    expect((await runCli(["bundle", "verify"], options)).code).toBe(2)
  })

  it("has the exit code of the verdict for every kind of broken bundle", async () => {
    for (const { make, name, verdict } of brokenBundles) {
      const path = freshPath()
      make(path)
      const { code } = await runCli(["bundle", "verify", path], options)
      expect(code, name).toBe(verdict === "FAIL" ? 1 : 2)
    }
  })
})

/** A root folder whose ledger has a finished job, and the job. */
const rootWithJob = async (options?: JobOptions) => {
  const root = freshPath()
  const reads = [
    { ref: "@DOCS/readme", slice: "lines[0:2]", text: "# Title" },
    { ref: "5".repeat(64), slice: "head(5)", text: "ends\n" }
  ]
  const databases = bundleLayer(join(root, "CORTEX", "_generated"))
  const job = await Effect.runPromise(Effect.provide(finishJob(reads, options), databases))
  return { root, job, flags: ["--root", root, "--run-id", job.run_id, "--job-id", job.job_id] }
}

describe("bundle build", () => {
  it("makes a bundle that verifies, and the same bundle again", async () => {
    const { flags, job, root } = await rootWithJob()
    const build = ["bundle", "build", ...flags, "--out", join(root, "out")]
    const { code, document } = await runJson(build, options)
    expect(code).toBe(0)
    expect(document.data).toMatchObject({ ...job, created: true, counts: { steps: 2, artifacts: 2 } })
    expect((await runCli(["bundle", "verify", join(root, "out")], options)).code).toBe(0)
    const again = await runCli(build, options)
    expect(again.stdout).toContain("(it was there already, the same)")
  })

  it("says what forbids it, and leaves nothing", async () => {
    const { flags, root } = await rootWithJob({ waiting: 1 })
    const out = ["--out", join(root, "out")]
    const { code, document } = await runJson(["bundle", "build", ...flags, ...out], options)
    expect(code).toBe(1)
    expect(document.error).toMatchObject({
      code: "JOB_INCOMPLETE",
      details: { open_steps: [expect.any(String)] }
    })
    expect(
      (await runCli(["bundle", "build", ...flags, "--out", join(root, "no", "out")], options)).code
    ).toBe(1)
    expect((await runCli(["bundle", "build", ...flags, "--out", ""], options)).code).toBe(2)
    expect((await runCli(["bundle", "build", ...flags, ...out, "--cache", "jsonl"], options)).code).toBe(1)
    expect(
      (await runCli(["bundle", "build", "--root", folder, ...flags.slice(2), ...out], options)).code
    ).toBe(2)
    expect(existsSync(join(root, "out"))).toBe(false)
  })
})
