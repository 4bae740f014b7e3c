// Completion in the shells themselves, each with its own script: what a person is offered behind what was typed.
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PROGRAM_MILLIS } from "../../../infrastructure/testing/programs/process-end.ts"
import { Host } from "../../shared/host.ts"
import { runCli, temporaryFolder } from "../testing/in-process.ts"
import { testHost } from "../testing/test-host.ts"
import type { CommandNode } from "./command-node.ts"
import { commandTree } from "./command-tree.ts"
import { fileArguments } from "./completions-command.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const scriptOf = (shell: string) => join(folder, `_cortex.${shell}`)

beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await runCli(["completions", shell], { cwd: folder })
    expect(code).toBe(0)
    writeFileSync(scriptOf(shell), stdout)
  }
  writeFileSync(join(folder, "message.json"), "{}")
})

/** Each is given the completion script and then the lines, and says what it offers for each behind a line that says so. */
const bashOffer = `
source "$1"; shift
for line; do
  read -ra COMP_WORDS <<<"$line"
  [[ $line == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _cortex cortex "\${COMP_WORDS[-1]}" ""
  printf "OFFERED\\n"; printf "%s\\n" "\${COMPREPLY[@]}"
done`

const fishOffer = `
source $argv[1]
for line in $argv[2..]
  echo OFFERED; complete -C $line | string replace -r "\\t.*" ""
end
exit 0`

/** Zsh completes for a person at a terminal alone, so one is made, in which a widget tells what is offered. */
const zshOffer = `
zmodload zsh/zpty
export CORTEX_SCRIPT=$1; shift
for line; do
  zpty person "PS1= TERM=dumb exec zsh -f -i"
  zpty -w person 'stty -echo; unsetopt zle_bracketed_paste beep; autoload -Uz compinit; compinit -u -d "$HOME/dump"; source "$CORTEX_SCRIPT"'
  zpty -w person 'compadd() { if (( ! \${@[(I)-[OAD]]} )); then local -a found; builtin compadd -O found "$@"; matches+=("\${found[@]}"); fi; builtin compadd "$@" }'
  zpty -w person 'offer() { matches=(); _main_complete; print -r -- "OFFERED \${(j: :)matches} DONE" }'
  zpty -w person 'zle -C offer complete-word offer; bindkey "^I" offer; print READ""Y'
  zpty -r person seen '*READY*'
  zpty -w -n person "$line"$'\\t'
  zpty -r person seen '*OFFERED*DONE*'
  print OFFERED; print -rl -- \${=\${\${seen##*OFFERED }%% DONE*}}
  zpty -d person
done`

const offers: Readonly<Record<string, ReadonlyArray<string>>> = {
  bash: ["--norc", "-c", bashOffer, "bash"],
  zsh: ["-f", "-c", zshOffer, "zsh"],
  fish: ["--no-config", "-c", fishOffer]
}

/** What stands at the end of a line, and what completes it. */
const lines: ReadonlyArray<readonly [line: string, offered: ReadonlyArray<string>]> = [
  ["cortex cas", ["cassette"]],
  ["cortex cassette ver", ["verify", "verify-proof"]],
  ["cortex --format json cassette prove i", ["inclusion"]],
  ["cortex cassette --db a.db prove c", ["consistency"]],
  ["cortex cassette complete --to", ["--token"]],
  ["cortex cassette complete --d", ["--db", "--durability"]],
  ["cortex network index --c", ["--config"]],
  ["cortex network index --ro", ["--root"]],
  ["cortex --format ", ["json", "text"]],
  ["cortex cache verify --cache j", ["jsonl"]],
  ["cortex completions f", ["fish"]],
  ["cortex cassette post --json mes", ["message.json"]],
  ["cortex cassette post --run-id mes", []],
  ["cortex network compress mes", ["message.json"]],
  ["cortex cassette restore mes", ["message.json"]],
  ["cortex bundle diff mes", ["message.json"]]
]

/** What a shell offers for the last word of each line, in order. */
const offeredBy = (shell: string): ReadonlyArray<ReadonlyArray<string>> => {
  const typed = lines.map(([line]) => line)
  const ran = spawnSync(shell, [...(offers[shell] ?? []), scriptOf(shell), ...typed], {
    cwd: folder,
    encoding: "utf8",
    // A shell that asks for something would wait without an end.
    timeout: PROGRAM_MILLIS,
    env: { ...process.env, HOME: folder }
  })
  expect([ran.status, ran.stderr]).toEqual([0, ""])
  const parts = ran.stdout.split("OFFERED\n").slice(1)
  return parts.map((part) =>
    part
      .split("\n")
      .filter((each) => each !== "")
      .sort()
  )
}

const has = (shell: string): boolean => spawnSync(shell, ["-c", "exit 0"]).status === 0

describe.each(["bash", "zsh", "fish"])("in %s", (shell) => {
  const there = has(shell)
  it.runIf(there)(
    `commands, flags, values and files are completed${there ? "" : " (SKIPPED: it is not installed)"}`,
    () => {
      const found = offeredBy(shell)
      expect(lines.map(([line], number) => [line, found[number]])).toEqual(lines)
    }
  )
})

describe("the scripts", () => {
  it.each(["bash", "zsh", "fish"])("for %s name the command that printed them", async (shell) => {
    const { stdout } = await runCli(["completions", shell], { cwd: folder })
    expect(stdout).toContain(`cortex completions ${shell}`)
    expect(stdout).not.toContain("--completions")
  })

  it("describe each command in a few words", async () => {
    const { stdout } = await runCli(["completions", "fish"], { cwd: folder })
    expect(stdout).toMatch(/-a 'restore' -d 'put a verified backup in the ledger\\'s place'/)
  })

  it("complete the name of a file for every argument that is one", async () => {
    const tree = await Effect.runPromise(Effect.provideService(commandTree.read, Host, testHost()))
    const argumentsOf = ({ help, subcommands }: CommandNode): ReadonlyArray<string> => [
      ...(help.args ?? []).map(({ name }) => name),
      ...subcommands.flatMap(argumentsOf)
    ]
    const words = [
      "cassette",
      "cassettes",
      "execution",
      "host",
      "id",
      "memory",
      "position-or-time",
      "reference"
    ]
    expect([...new Set(argumentsOf(tree))].sort()).toEqual(
      [...fileArguments, ...words, "shell", "symbol", "symbols", "text"].sort()
    )
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
