/**
 * `./cortex` in a checkout, as it is just after cloning: from any folder, through a link, with spaces in
 * the path, before and after the packages are installed, and after a source was changed.
 */
import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { changesIn, installPackages, makeCheckout } from "./docs/testing/checkout.ts"

describe("cortex in a checkout", () => {
  const folder = mkdtempSync(join(tmpdir(), "cassette checkout "))
  const checkout = join(folder, "a check out")
  const elsewhere = join(folder, "else where")
  const bundles = join(checkout, "node_modules", ".cache", "cortex")

  const run = (command: string, args: ReadonlyArray<string>) => {
    const { status, stderr, stdout } = spawnSync(command, args, { cwd: elsewhere, encoding: "utf8" })
    return { status, stderr, stdout }
  }

  beforeAll(() => {
    makeCheckout(checkout)
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, "message.json"), '{"intent":"greet"}')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("says what to run as long as the packages are not installed", () => {
    const ran = run(join(checkout, "cortex"), ["--version"])
    expect(ran).toEqual({
      status: 2,
      stdout: "",
      stderr: `error: this checkout's packages are not installed. Run: npx --yes pnpm@12 --dir '${checkout}' install\n`
    })
  })

  it("works in the caller's folder and not in its own", () => {
    installPackages(checkout)
    const message = ["--json", "message.json", "--run-id", "r1", "--source", "USER"]
    const posted = run(join(checkout, "cortex"), ["cassette", "post", "--db", "own.db", ...message])
    expect(posted.stderr).toBe("")
    expect(posted.status).toBe(0)
    expect(existsSync(join(elsewhere, "own.db"))).toBe(true)
  })

  it("works through links, also relative ones", () => {
    mkdirSync(join(folder, "bin"))
    symlinkSync("../a check out/cortex", join(folder, "bin", "cortex"))
    symlinkSync(join(folder, "bin", "cortex"), join(elsewhere, "cx"))
    expect(run("./cx", ["cassette", "status", "--db", "own.db"])).toMatchObject({ status: 0, stderr: "" })
  })

  it("starts processes of its own as the command that it is", () => {
    writeFileSync(
      join(elsewhere, "request.json"),
      '{"run_id":"r2","request_id":"q1","intent":"learn","inputs":{"symbols":[{"symbol_id":"@OWN/text","slice":"lines[0:1]"}]}}'
    )
    writeFileSync(join(elsewhere, "text.md"), "# Text\n")
    const cortex = join(checkout, "cortex")
    expect(run(cortex, ["index", "--include", "text.md"])).toMatchObject({ status: 0 })
    expect(run(cortex, ["symbol", "add", "@OWN/text", "text.md"])).toMatchObject({ status: 0 })
    const ran = run(cortex, ["run", "--request", "request.json", "--out", "proof", "--processes", "2"])
    expect(ran).toMatchObject({ status: 0 })
  })

  it("bundles once for one state of the sources, and again for another", () => {
    const before = readdirSync(bundles)
    expect(before).toHaveLength(1)
    appendFileSync(join(checkout, "interfaces", "cli", "process-host.ts"), 'console.error("changed")\n')
    expect(run(join(checkout, "cortex"), ["--version"])).toMatchObject({ status: 0, stderr: "changed\n" })
    expect(readdirSync(bundles)).toHaveLength(2)
    expect(readdirSync(bundles)).toContain(before[0])
    expect(changesIn(checkout)).toBe(" M interfaces/cli/process-host.ts\n")
  })

  it("says what is wrong with sources that cannot be bundled, without a stack", () => {
    appendFileSync(join(checkout, "interfaces", "cli", "process-host.ts"), "const = \n")
    const { status, stderr } = run(join(checkout, "cortex"), ["--version"])
    expect(status).toBe(3)
    expect(stderr).toMatch(/^error: this checkout's sources could not be bundled\. .*:\n[^]*process-host\.ts/)
    expect(stderr).not.toMatch(/checkout\.ts|^ +at /m)
  })
})
