// The command lines of settings are read without the parser, and mean what the parser says; all others are left to it.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { hostForm, hostNames } from "../../../domain/agents/hosts.ts"
import { runCli, runJson, temporaryFolder } from "../testing/in-process.ts"
import { quickHookOptions } from "./hook-options.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

describe("a command line", () => {
  it("has the defaults of its help", () => {
    expect(quickHookOptions(["hook", "pre"])).toEqual({
      hook: "pre",
      host: undefined,
      onError: "warn",
      bodies: "hash",
      leaseSeconds: 3_600,
      timeoutSeconds: 10,
      db: undefined,
      root: undefined,
      durability: "full",
      allowNetworkFs: false
    })
  })

  it("gives each flag", () => {
    const line =
      "hook post --host codex --on-error block --bodies --lease 60 --timeout 5 --db a.db --root . --durability normal --allow-network-fs"
    expect(quickHookOptions(line.split(" "))).toEqual({
      hook: "post",
      host: "codex",
      onError: "block",
      bodies: "keep",
      leaseSeconds: 60,
      timeoutSeconds: 5,
      db: "a.db",
      root: ".",
      durability: "normal",
      allowNetworkFs: true
    })
  })

  it.each([
    "hook",
    "hook settings codex",
    "hook pre --help",
    "hook pre --format json",
    "hook pre --on-error",
    "hook pre --on-error bloc",
    "hook pre --on-error=block",
    "hook pre --host vim",
    "hook pre --lease 0",
    "hook pre --lease 86401",
    "hook pre --lease 1e3",
    "hook pre --timeout 51",
    "hook pre --db --root .",
    "hook pre --bodies --bodies",
    "hook pre --db a --db b",
    "hook pre extra",
    "hook pre --db \ufffd",
    "cassette pre"
  ])("that is not plainly understood is left to the parser: %s", (line) => {
    expect(quickHookOptions(line.split(" "))).toBeUndefined()
  })

  it.each([
    ["--on-error=bloc", "on-error"],
    ["--host=vim", "host"],
    ["--lease=0", "lease"],
    ["--lease=86401", "lease"],
    ["--timeout=51", "timeout"],
    ["--nonsense", "nonsense"]
  ])("that is wrong is refused by the parser: %s", async (flag, named) => {
    const ran = await runCli(["hook", "pre", flag], { cwd: folder, stdin: "{}" })
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(named)
  })
})

describe("settings", () => {
  it.each(hostNames)("of %s are read quickly, each command for its event", async (host) => {
    const { document } = await runJson(["hook", "settings", host, "--on-error", "block", "--bodies"], {
      cwd: folder
    })
    const commands = [
      ...JSON.stringify(document.data?.["settings"]).matchAll(/"command":"(cortex .*?[^\\])"/g)
    ]
      .map(([, command = ""]) => command.replaceAll('\\"', "'"))
      // A shell puts a folder in its place.
      .map((command) =>
        command
          .replace(/'[^']*'/, "/project")
          .split(" ")
          .slice(1)
      )
    expect(commands.map((args) => quickHookOptions(args)?.hook)).toEqual(Object.values(hostForm(host).events))
    for (const args of commands) {
      expect(quickHookOptions(args)).toMatchObject({ host, onError: "block", bodies: "keep" })
    }
  })

  it("are printed alone, to be pasted", async () => {
    const { stderr, stdout } = await runCli(["hook", "settings", "claude-code"], { cwd: folder })
    expect(stderr).toBe("")
    expect(Object.keys((JSON.parse(stdout) as { hooks: object }).hooks)).toEqual(
      Object.keys(hostForm("claude-code").events)
    )
  })

  it.each(hostNames)("of %s stand in its example", async (host) => {
    const { stdout } = await runCli(["hook", "settings", host], { cwd: folder })
    const file = join(import.meta.dirname, "../../../examples/agents", host, "settings.json")
    expect(readFileSync(file, "utf8")).toBe(stdout)
  })
})
