// The whole tree of commands as help shows it: every command with its flags, arguments and subcommands. It is asked for by
// help itself, so that nothing can be said of a command that its help does not say.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as HelpDoc from "effect/cli/HelpDoc"
import { commandGroups } from "../command-groups.ts"
import { rootCommand } from "../root-command.ts"
import { runParser } from "../run-parser.ts"

/** A command with its help, and the commands below it. */
export interface CommandNode {
  readonly name: string
  readonly help: HelpDoc.HelpDoc
  readonly subcommands: ReadonlyArray<CommandNode>
}

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

/** The tree from `cortex` on; loads every group. */
export const commandTree = Effect.gen(function* () {
  const root = yield* Effect.promise(() => rootCommand(Object.keys(commandGroups)))
  return yield* nodeAt(root, [])
})
