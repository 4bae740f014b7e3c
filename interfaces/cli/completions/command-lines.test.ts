// Every command line that the documents and help show is one that the program takes: its command exists and
// has its flags.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { beforeAll, describe, expect, it } from "vitest"
import { Host } from "../../shared/host.ts"
import { testHost } from "../testing/test-host.ts"
import type { CommandNode } from "./command-node.ts"
import { commandTree } from "./command-tree.ts"

const repository = join(import.meta.dirname, "..", "..", "..")
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  ...readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name))
]

let tree: CommandNode
beforeAll(async () => {
  tree = await Effect.runPromise(Effect.provideService(commandTree.read, Host, testHost()))
})

/** The commands that a line names: `show|diff` names two. */
const namedBy = (words: ReadonlyArray<string>): ReadonlyArray<CommandNode> => {
  let nodes = [tree]
  for (const word of words) {
    const names = word.replace(/[,;.:]$/, "").split("|")
    const below = nodes.flatMap(({ subcommands }) => subcommands.filter(({ name }) => names.includes(name)))
    if (below.length === 0) break
    nodes = below
  }
  return nodes
}

const flagsOf = ({ help }: CommandNode): ReadonlySet<string> =>
  new Set(
    [...help.flags, ...(help.inheritedFlags ?? []), ...(help.globalFlags ?? [])].flatMap(
      ({ aliases, name }) => [`--${name}`].concat(aliases)
    )
  )

const flagsIn = (text: string): ReadonlyArray<string> => text.match(/(?<![\w-])--[a-z][\w-]*/g) ?? []

/** What is wrong with a command line: words that are no command, flags that none of its commands has. */
const faultsOf = (line: string): ReadonlyArray<string> => {
  const words = line.split(/\s+/).slice(1)
  const nodes = namedBy(words)
  const [node] = nodes
  if (node === undefined || node === tree) {
    return words[0]?.startsWith("-") === true ? [] : [`${line}: no such command`]
  }
  if (node.subcommands.length > 0 && words.slice(1).some((word) => /^[a-z]/.test(word))) {
    return [`${line}: no such subcommand`]
  }
  return flagsIn(line)
    .filter((flag) => !nodes.some((each) => flagsOf(each).has(flag)))
    .map((flag) => `${line}: no flag ${flag}`)
}

/** Command lines of a text: up to the end of a code span, a pipe, a redirection or a closing bracket of a shell. */
const linesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?:^|[`$(|] ?|&& )(cortex [a-z-][^`\n>]*)/gm)].map(([, line = ""]) =>
    line
      .replace(/\$\(.*$/, "")
      .replace(/\)? (?:\||#).*$/, "")
      .replace(/\).*$/, "")
  )

describe("command lines", () => {
  it.each(documents)("of %s are taken", (document) => {
    const text = readFileSync(join(repository, document), "utf8").replaceAll("\\|", "|")
    expect(linesIn(text).flatMap(faultsOf)).toEqual([])
  })

  it("of docs/cli.md are many, so that none is overlooked", () => {
    expect(linesIn(readFileSync(join(repository, "docs/cli.md"), "utf8")).length).toBeGreaterThan(40)
  })

  it("of help are taken", () => {
    const examples = (node: CommandNode): ReadonlyArray<string> => [
      ...(node.help.examples ?? []).flatMap(({ command }) => linesIn(command)),
      ...node.subcommands.flatMap(examples)
    ]
    expect(examples(tree).length).toBeGreaterThan(60)
    expect(examples(tree).flatMap(faultsOf)).toEqual([])
  })
})
