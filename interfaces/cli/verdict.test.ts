// What verifications say on standard error: to people the verdict, to programs nothing, who have it in the document.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const cli = (line: string) => runCli(line.split(" "), { cwd: folder })

beforeAll(async () => {
  mkdirSync(join(folder, "docs"))
  writeFileSync(join(folder, "docs", "a.md"), "# A\n")
  const inputs = { symbols: [{ symbol_id: "@D/a", slice: "lines[0:1]" }] }
  const request = { run_id: "r1", request_id: "q1", intent: "read", inputs }
  writeFileSync(join(folder, "request.json"), JSON.stringify(request))
  writeFileSync(join(folder, "no-bundle.json"), "{}")
  for (const line of [
    "index",
    "symbol add @D/a docs/a.md",
    "run --request request.json --out bundle",
    "thought record --task t --type plan --agent a --content read",
    "network init",
    "network index"
  ]) {
    expect(await cli(line)).toMatchObject({ code: 0 })
  }
})

describe("a verdict", () => {
  const passing = [
    "cassette verify",
    "cassette rebuild --check",
    "thought verify",
    "cache verify",
    "symbol check",
    "bundle verify bundle",
    "network verify"
  ]

  it.each(passing)("of %s goes to people's standard error alone", async (line) => {
    const ran = await cli(line)
    expect(ran).toMatchObject({ code: 0, stderr: "PASS: All invariants verified\n" })
    const { document, stderr } = await runJson(line.split(" "), { cwd: folder })
    expect(document.ok).toBe(true)
    expect(stderr).toBe("")
  })

  it.each([["bundle verify no-bundle.json"], ["bundle verify docs"]])(
    "that is no, of %s, too",
    async (line) => {
      expect((await cli(line)).stderr).toMatch(/^FAIL: \d+ issue\(s\) found\n/)
      const { document, stderr } = await runJson(line.split(" "), { cwd: folder })
      expect(document.ok).toBe(false)
      expect(stderr).toBe("")
    }
  )

  it("is not made of the repair of a file of JSON lines", async () => {
    for (const line of ["cache repair", "cache repair --cache jsonl"]) {
      expect(await cli(line)).toEqual({ code: 0, stdout: "nothing to repair\n", stderr: "" })
    }
    const refused = await cli("cache repair --cache sqlite")
    expect(refused).toMatchObject({ code: 2, stdout: "" })
    expect(refused.stderr).toContain("--cache: only the file of JSON lines is repaired")
  })
})
