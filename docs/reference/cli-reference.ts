// The reference of the command line as Markdown, made of what `--help` of every command says. Nothing of a command is
// written here: a text that is wrong is mended in the command itself.
import * as Option from "effect/Option"
import type * as HelpDoc from "effect/cli/HelpDoc"
import type { CommandNode } from "../../interfaces/cli/completions/command-node.ts"
import { environmentMeanings } from "../../interfaces/cli/help.ts"
import { exitMeanings } from "../../interfaces/shared/exit-codes.ts"
import { isRequired } from "../../interfaces/shared/flags.ts"

/** What holds for all commands and stands in the help of none, beside what `--help` says at its end. */
const SHARED = [
  "A FILE named `-` is standard input. A value that begins with `-` is written `--flag=-value`.",
  '`--format json` prints one document, `{"ok":true,"data":…}` or `{"ok":false,"error":{…}}`; `cortex cassette log` prints one event per line. `--help` and `--version` print text in each format.',
  "Hits and texts are answered within 32,768 bytes, or `--max-bytes N`. What was left off is named, in JSON under `left_off`, with the way to get it."
]

/** Text in a cell of a table. */
const cell = (text: string): string =>
  text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ")

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

const about = (description: Option.Option<string>): string => cell(Option.getOrElse(description, () => ""))

const flagRow = (flag: HelpDoc.FlagDoc): ReadonlyArray<string> => {
  const names = [`--${flag.name}`, ...flag.aliases].join(", ")
  return [
    `\`${names}${flag.type === "boolean" ? "" : ` ${cell(flag.type)}`}\``,
    `${about(flag.description)}${isRequired(flag) ? " (**required**)" : ""}`
  ]
}

const argumentRow = ({ description, name, required, variadic }: HelpDoc.ArgDoc): ReadonlyArray<string> => [
  `\`${name}${variadic ? "..." : ""}\``,
  `${about(description)}${required ? " (**required**)" : ""}`
]

const flagTable = (flags: ReadonlyArray<HelpDoc.FlagDoc>): string =>
  table(["flag", "what it says"], flags.map(flagRow))

const exampleLines = ({ command, description }: HelpDoc.ExampleDoc): ReadonlyArray<string> =>
  description === undefined ? [command] : [`# ${description}`, command]

const examplesOf = ({ examples = [] }: HelpDoc.HelpDoc): ReadonlyArray<string> =>
  examples.length === 0 ? [] : [["```sh", ...examples.flatMap(exampleLines), "```"].join("\n")]

/** The flags of a group's databases, which each of its commands takes; those of the program stand at the beginning. */
const ownGlobals = (node: CommandNode, root: CommandNode): ReadonlyArray<HelpDoc.FlagDoc> => {
  const common = new Set((root.help.globalFlags ?? []).map(({ name }) => name))
  return (node.help.globalFlags ?? []).filter(({ name }) => !common.has(name))
}

interface Place {
  readonly root: CommandNode
  readonly path: ReadonlyArray<string>
  /** True where the flags of the group stand already above. */
  readonly isBelowGroup: boolean
}

/** The flags of a command; those of a group's databases once, with the group. */
const flagsOf = (node: CommandNode, { isBelowGroup, root }: Place): ReadonlyArray<string> => {
  const flags = [...node.help.flags, ...(isBelowGroup ? [] : ownGlobals(node, root))]
  if (flags.length === 0) return []
  return [...(node.subcommands.length > 0 ? ["Each of these commands takes:"] : []), flagTable(flags)]
}

const commandSections = (node: CommandNode, place: Place): ReadonlyArray<string> => {
  const { help, subcommands } = node
  const { path, root } = place
  const { args = [] } = help
  return [
    `${"#".repeat(path.length + 1)} cortex ${path.join(" ")}`,
    help.description,
    ...(subcommands.length > 0 ? [] : [`\`${help.usage}\``]),
    ...(args.length === 0 ? [] : [table(["argument", "what it is"], args.map(argumentRow))]),
    ...flagsOf(node, place),
    ...examplesOf(help),
    ...subcommands.flatMap((below) =>
      commandSections(below, { root, path: [...path, below.name], isBelowGroup: true })
    )
  ]
}

const leavesOf = (node: CommandNode, path: ReadonlyArray<string>): ReadonlyArray<string> =>
  node.subcommands.length === 0
    ? [path.join(" ")]
    : node.subcommands.flatMap((below) => leavesOf(below, [...path, below.name]))

const linked = (name: string): string => `[${name}](#cortex-${name.replaceAll(" ", "-")})`

/** The page. */
export const cliReference = (root: CommandNode): string => {
  const groups = root.subcommands.filter(({ name }) => name !== "help")
  return `${[
    "# Commands",
    "<!-- Made of what `cortex help` says by docs/reference/cli-reference.test.ts (UPDATE_SNAPSHOT=1), and never edited by hand. -->",
    root.help.description,
    "`cortex help COMMAND` prints what stands here of a command. `cortex` alone lists all commands.",
    table(
      ["group", "what it is for", "commands"],
      groups.map((group) => [
        `\`${group.name}\``,
        cell(summaryOf(root, group.name)),
        leavesOf(group, [group.name]).map(linked).join(", ")
      ])
    ),
    "## What all commands share",
    flagTable(root.help.globalFlags ?? []),
    ...SHARED,
    table(
      ["exit code", "meaning"],
      [
        ...Object.entries(exitMeanings).map(([code, meaning]) => [code, cell(meaning)]),
        ["130, 143", "stopped by SIGINT, by SIGTERM"]
      ]
    ),
    "[errors.md](errors.md) has every error with its exit code, and what to do.",
    table(
      ["variable", "meaning"],
      Object.entries(environmentMeanings).map(([name, meaning]) => [`\`${name}\``, cell(meaning)])
    ),
    ...groups.flatMap((group) => commandSections(group, { root, path: [group.name], isBelowGroup: false }))
  ].join("\n\n")}\n`
}

const summaryOf = ({ help }: CommandNode, group: string): string => {
  const named = (help.subcommands ?? [])
    .flatMap(({ commands }) => commands)
    .find(({ name }) => name === group)
  return named?.shortDescription ?? named?.description ?? ""
}
