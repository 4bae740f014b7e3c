// Completion in the shells themselves: bash completes, the others at least take their scripts.
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCli, temporaryFolder } from "../testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const scriptOf = (shell: string) => join(folder, `cortex.${shell}`)

beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await runCli(["completions", shell], { cwd: folder })
    expect(code).toBe(0)
    writeFileSync(scriptOf(shell), stdout)
  }
  writeFileSync(join(folder, "message.json"), "{}")
})

/** What bash offers for the last of the words. */
const offered = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const script = `source "$1"; shift; COMP_WORDS=(cortex "$@"); COMP_CWORD=$#; _cortex cortex "\${!#}" ""; printf "%s\\n" "\${COMPREPLY[@]}"`
  const ran = spawnSync("bash", ["-c", script, "bash", scriptOf("bash"), ...words], {
    cwd: folder,
    encoding: "utf8"
  })
  expect(ran.stderr).toBe("")
  return ran.stdout.split("\n").filter((line) => line !== "")
}

const has = (shell: string): boolean => spawnSync(shell, ["-c", "exit 0"]).status === 0

describe.runIf(has("bash"))("in bash", () => {
  it("commands are completed", () => {
    expect(offered("cas")).toEqual(["cassette"])
    expect(offered("cassette", "ver")).toEqual(["verify", "verify-proof"])
    expect(offered("--format", "json", "cassette", "prove", "")).toEqual(["inclusion", "consistency"])
  })

  it("flags are, those of the group and of every command too", () => {
    expect(offered("cassette", "complete", "--to")).toEqual(["--token"])
    expect(offered("cassette", "complete", "--d")).toEqual(["--db", "--durability"])
    expect(offered("network", "index", "--c")).toEqual(["--config"])
    expect(offered("network", "index", "--ro")).toEqual(["--root"])
  })

  it("values are: choices and files", () => {
    expect(offered("--format", "")).toEqual(["text", "json"])
    expect(offered("cache", "verify", "--cache", "j")).toEqual(["jsonl"])
    expect(offered("cassette", "post", "--json", "mes")).toEqual(["message.json"])
    expect(offered("network", "compress", "mes")).toEqual(["message.json"])
    expect(offered("completions", "f")).toEqual(["fish"])
    expect(offered("cassette", "post", "--run-id", "mes")).toEqual([])
  })
})

describe.each([
  ["zsh", ["-n"]],
  ["fish", ["--no-execute"]]
])("in %s", (shell, flags) => {
  const there = has(shell)
  it.runIf(there)(`the script is well formed${there ? "" : " (SKIPPED: it is not installed)"}`, () => {
    expect(spawnSync(shell, [...flags, scriptOf(shell)])).toMatchObject({ status: 0 })
  })
})

describe("help", () => {
  const help = async (...args: ReadonlyArray<string>) => runCli(args, { cwd: folder })

  it("is what no arguments, and the word help, ask for", async () => {
    const root = await help("--help")
    expect(root).toMatchObject({ code: 0, stderr: "" })
    expect(root.stdout).toContain("cortex <subcommand>")
    expect(await help()).toEqual(root)
    expect(await help("help")).toEqual(root)
    expect(await help("help", "cassette", "post")).toEqual(await help("cassette", "post", "--help"))
  })

  it("of what is no command is refused", async () => {
    for (const words of [["nosuch"], ["cassette", "nosuch"], ["cassette", "post", "nosuch"]]) {
      const ran = await help("help", ...words)
      expect(ran).toMatchObject({ code: 2, stdout: "" })
      expect(ran.stderr).toContain("nosuch")
    }
  })
})
