// The root of the command tree, with as much of the tree as the arguments can reach.
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import type { CommandGroup } from "./command-group.ts"
import { loadGroup } from "./command-groups.ts"
import { type GroupName, groupNames, namedGroups } from "./command-names.ts"
import { Format, Root } from "../shared/options.ts"

/** The group itself when the arguments name it; else an empty one that help lists and that is never run. */
const reachableGroup = async <Name extends GroupName>(
  name: Name,
  args: ReadonlyArray<string>
): Promise<CommandGroup<Name>> => {
  return args.includes(name)
    ? loadGroup[name]()
    : Command.make(name).pipe(Command.withDescription(namedGroups[name].summary))
}

/** `cortex` alone and `cortex help …` ask for help. */
export const withHelpWords = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (args.length === 0) return ["--help"]
  return args[0] === "help" ? [...args.slice(1), "--help"] : args
}

/** The first word after `help` that names no command; the words before it do. */
export const unknownTopic = (
  root: Awaited<ReturnType<typeof rootCommand>>,
  args: ReadonlyArray<string>
): CliError.UnknownSubcommand | undefined => {
  if (args[0] !== "help") return undefined
  let at: Command.Command.Any = root
  const parent = ["cortex"]
  for (const word of args.slice(1)) {
    if (word.startsWith("-")) break
    const below: ReadonlyArray<Command.Command.Any> = at.subcommands.flatMap(({ commands }) => commands)
    const named = below.find(({ name }) => name === word)
    if (named === undefined)
      return new CliError.UnknownSubcommand({ subcommand: word, parent, suggestions: [] })
    at = named
    parent.push(word)
  }
  return undefined
}

/** Stands for itself in help; `withHelpWords` turns it into the flag. */
const helpWord = Command.make("help").pipe(
  Command.withDescription("what a command does and takes: cortex help cassette post")
)

/** The command tree for these arguments. */
export const rootCommand = async (args: ReadonlyArray<string>) => {
  const groups = await Promise.all(groupNames.map((name) => reachableGroup(name, args)))
  return Command.make("cortex").pipe(
    Command.withDescription("An audit-grade work ledger and memory for agent programs, on SQLite alone."),
    Command.withExamples([
      {
        command: "cortex cassette post --json message.json --run-id r1 --source USER",
        description: "post work, creating the ledger in ./CORTEX/_generated/system3.db"
      },
      { command: "cortex cassette verify", description: "check every invariant" },
      { command: "cortex cassette --help", description: "all commands of the ledger" },
      { command: "cortex bundle verify out", description: "check a bundle offline, without a ledger" },
      { command: "cortex thought --help", description: "all commands of thoughts" },
      { command: "cortex index", description: "index the texts below the current folder" },
      { command: "cortex symbol --help", description: "all commands of symbols" },
      {
        command: 'cortex resolve @DOCS/readme --slice "lines[0:80]" --run-id r1',
        description: "read a slice"
      },
      { command: "cortex run --request request.json --out out", description: "plan, read, and bundle" },
      { command: "cortex network init", description: "search the folder's documents: init, index, query" },
      {
        command: 'cortex memory save "The tests need Node 24" --cassette memory',
        description: "remember something"
      },
      { command: "cortex mcp --check", description: "the tools that agents get" },
      { command: "cortex doctor", description: "is everything well, and what is to be done" }
    ]),
    Command.withSubcommands([...groups, helpWord]),
    Command.withGlobalFlags([Format, Root])
  )
}
