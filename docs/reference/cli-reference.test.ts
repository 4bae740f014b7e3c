// docs/cli.md is what the commands say of themselves. Set UPDATE_SNAPSHOT=1 to write it again.
import * as Effect from "effect/Effect"
import type * as HelpDoc from "effect/cli/HelpDoc"
import { beforeAll, describe, expect, it } from "vitest"
import type { CommandNode } from "../../interfaces/cli/completions/command-node.ts"
import { commandTree } from "../../interfaces/cli/completions/command-tree.ts"
import { testHost } from "../../interfaces/cli/testing/test-host.ts"
import { Host } from "../../interfaces/shared/host.ts"
import { cliReference } from "./cli-reference.ts"
import { heldToFile } from "./held-to-file.ts"

let tree: CommandNode
beforeAll(async () => {
  tree = await Effect.runPromise(Effect.provideService(commandTree.read, Host, testHost()))
})

const commandsOf = (node: CommandNode): ReadonlyArray<CommandNode> =>
  node.name === "help" ? [] : [node, ...node.subcommands.flatMap(commandsOf)]

const asFlag = (argument: HelpDoc.ArgDoc): HelpDoc.FlagDoc => ({ ...argument, aliases: [] })

describe("the reference of the command line", () => {
  it("is docs/cli.md", () => {
    heldToFile("docs/cli.md", cliReference(tree))
  })

  it("has an example of each command that can be run", () => {
    const silent = commandsOf(tree).filter(
      ({ help, subcommands }) => subcommands.length === 0 && (help.examples ?? []).length === 0
    )
    expect(silent.map(({ help }) => help.usage)).toEqual([])
  })

  it("describes each command with a sentence, and each flag and argument", () => {
    const commands = commandsOf(tree)
    const texts = commands.map(({ help }) => help.description)
    expect(texts.filter((text) => !/^[A-Z].*\.$/s.test(text))).toEqual([])
    const inputs = commands.flatMap(({ help }) => help.flags.concat((help.args ?? []).map(asFlag)))
    expect(inputs.filter(({ description }) => description._tag === "None")).toEqual([])
  })
})
