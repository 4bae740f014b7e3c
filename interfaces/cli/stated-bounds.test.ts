/**
 * What a flag says of its bounds is what the command holds: its last number is taken, the one behind it is refused with the
 * bound. No number of a flag's or an argument's text is written by hand: it comes from where the rule stands.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Host } from "../shared/host.ts"
import type { CommandNode } from "./completions/command-node.ts"
import { commandTree } from "./completions/command-tree.ts"
import { runCli, temporaryFolder } from "./testing/in-process.ts"
import { testHost } from "./testing/test-host.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

/** Every command whose flags state bounds, with what else it needs. */
const calls: Readonly<Record<string, string>> = {
  "cassette post": "--json message.json --run-id r --source USER --claim w",
  "cassette claim": "--run-id r --worker w",
  "cassette renew": "--run-id r --worker w --step s --token 1",
  timeline: "",
  "section list": "",
  "symbol list": "",
  "network query": "word",
  "memory query": "word",
  "memory neighbors": "0123456789ab",
  work: "--run-id r --worker w",
  run: "--request request.json --out out",
  "hook pre": "--host claude-code",
  "hook post": "--host claude-code",
  "hook stop": "--host claude-code"
}

interface Stated {
  readonly command: string
  readonly flag: string
  readonly least: number | undefined
  readonly most: number
}

const statedBy = (node: CommandNode, path: ReadonlyArray<string>): ReadonlyArray<Stated> => [
  ...node.help.flags.flatMap(({ description, name }) => {
    const text = Option.getOrElse(description, () => "")
    const [, least, most] = /(?:\b(\d+) to |\bat most )(\d+)\b/.exec(text) ?? []
    return most === undefined
      ? []
      : [
          {
            command: path.join(" "),
            flag: `--${name}`,
            least: least === undefined ? undefined : Number(least),
            most: Number(most)
          }
        ]
  }),
  ...node.subcommands.flatMap((each) => (each.name === "help" ? [] : statedBy(each, [...path, each.name])))
]

let stated: ReadonlyArray<Stated> = []
beforeAll(async () => {
  const tree = await Effect.runPromise(Effect.provideService(commandTree.read, Host, testHost()))
  stated = statedBy(tree, [])
  writeFileSync(join(folder, "message.json"), "{}")
  const request = { run_id: "r", request_id: "q", intent: "i", inputs: { symbols: [{ symbol_id: "@A/b" }] } }
  writeFileSync(join(folder, "request.json"), JSON.stringify(request))
  writeFileSync(join(folder, "a.md"), "# A\n")
  await runCli(["index"], { cwd: folder })
  await runCli(["symbol", "add", "@A/b", "a.md", "--slice", "lines[0:1]"], { cwd: folder })
  await runCli(["network", "init"], { cwd: folder })
  await runCli("cassette post --json message.json --run-id first --source USER".split(" "), { cwd: folder })
})

const saidOf = async ({ command, flag }: Stated, value: number) => {
  const args = `${command} ${calls[command]} ${flag}=${value}`.split(" ").filter((arg) => arg !== "")
  const { code, stdout } = await runCli([...args, "--format", "json"], { cwd: folder })
  return { args: args.join(" "), code, said: stdout }
}

describe("the bounds that a flag states", () => {
  it("are those of commands that are tried here", () => {
    expect(Object.keys(calls).sort()).toEqual([...new Set(stated.map(({ command }) => command))].sort())
  })

  it("are held: the number behind the last is refused with the last, the one before the first too", async () => {
    for (const each of stated) {
      const outside = [
        each.most + 1,
        ...(each.least === undefined || each.least === 0 ? [] : [each.least - 1])
      ]
      for (const value of outside) {
        const { args, code, said } = await saidOf(each, value)
        expect([args, code, said]).toEqual([args, 2, expect.stringContaining(each.flag)])
        if (value > each.most) expect(said, args).toContain(String(each.most))
      }
    }
  })

  // A worker or a run would begin its work.
  it("leave nothing behind where they are overstepped: a run is not planned", async () => {
    const { stdout } = await runCli(["cassette", "log", "--run-id", "r"], { cwd: folder })
    expect(stdout).not.toContain("MessagePosted")
  })

  it("are taken themselves", async () => {
    for (const each of stated.filter(({ command }) => command !== "work" && command !== "run")) {
      const { args, said } = await saidOf(each, each.most)
      expect(said, args).not.toContain(each.flag)
    }
  })
})

describe("a number in the text of a flag, an argument or a command", () => {
  const sources = ["cli", "mcp", "shared"].flatMap((part) => {
    const at = new URL(`../${part}/`, import.meta.url)
    return readdirSync(at, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !/\.test\.ts$|(^|\/)testing\//.test(name))
      .map((name) => ({ name: `${part}/${name}`, text: readFileSync(new URL(name, at), "utf8") }))
  })

  it("is never a bound or a default that is written by hand", () => {
    const byHand = sources.flatMap(({ name, text }) =>
      text
        .split("\n")
        .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
        .flatMap((line) => /\b(?:at most|up to|default) \d{2,}\b|(?<!from )\b\d+ to \d+\b/.exec(line) ?? [])
        .map((found) => `${name}: ${found}`)
    )
    expect(byHand).toEqual([])
  })
})
