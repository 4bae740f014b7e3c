// The whole tree of commands as help shows it: every command with its flags, arguments and subcommands. It is asked for by
// help itself, so that nothing can be said of a command that its help does not say.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as HelpDoc from "effect/cli/HelpDoc"
import { groupNames } from "../command-names.ts"
import { rootCommand } from "../root-command.ts"
import { runParser } from "../run-parser.ts"
import { type CommandNode, CommandTree } from "./command-node.ts"

type Root = Awaited<ReturnType<typeof rootCommand>>

const helpOf = Effect.fnUntraced(function* (root: Root, path: ReadonlyArray<string>) {
  const asked: Array<HelpDoc.HelpDoc> = []
  yield* runParser(root, [...path, "--help"], {
    present: (event) =>
      Effect.sync(() => {
        if (event._tag === "Help") asked.push(event.helpDoc)
      })
  })
  return yield* Effect.fromOption(Option.fromUndefinedOr(asked[0])).pipe(Effect.orDie)
})

const nodeAt = (root: Root, path: ReadonlyArray<string>): ReturnType<typeof loadedNode> =>
  Effect.suspend(() => loadedNode(root, path))

const loadedNode = Effect.fnUntraced(function* (
  root: Root,
  path: ReadonlyArray<string>
): Effect.fn.Return<
  CommandNode,
  Effect.Error<ReturnType<typeof helpOf>>,
  Effect.Services<ReturnType<typeof helpOf>>
> {
  const help = yield* helpOf(root, path)
  const names = (help.subcommands ?? []).flatMap(({ commands }) => commands.map(({ name }) => name))
  const subcommands = yield* Effect.forEach(names, (name) => nodeAt(root, [...path, name]))
  return { name: path.at(-1) ?? "cortex", help, subcommands }
})

const loadedTree = Effect.gen(function* () {
  const root = yield* Effect.promise(() => rootCommand(groupNames))
  return yield* nodeAt(root, [])
})

/** The tree of this program. */
export const commandTree = CommandTree.of({
  read: Effect.suspend(() => Effect.orDie(loadedTree).pipe(Effect.provideService(CommandTree, commandTree)))
})
