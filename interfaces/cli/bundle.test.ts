// `cortex bundle` through the same main function as the binary: exit codes, envelopes and words of every command.
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { golden, goldenText } from "../../domain/bundles/testing/smallest-bundle.ts"
import { brokenBundles } from "../../infrastructure/bundles/testing/broken-bundles.ts"
import { writeGolden } from "../../infrastructure/bundles/testing/bundle-folders.ts"
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
