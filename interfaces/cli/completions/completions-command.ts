// `cortex completions`: a script that completes commands, flags, their values where there are few, and files. The script
// holds everything, and starts no program when it completes.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import type * as HelpDoc from "effect/cli/HelpDoc"
import type { CommandGroup } from "../command-group.ts"
import { namedGroups } from "../command-names.ts"
import { Format } from "../../shared/options.ts"
import { answer, writeResult } from "../output.ts"
import { type CommandNode, CommandTree } from "./command-node.ts"

const SHELLS = ["bash", "zsh", "fish"] as const

/** Arguments that name a file or a folder. */
export const fileArguments: ReadonlySet<string> = new Set([
  "backup",
  "cartridge",
  "dir",
  "evidence",
  "file",
  "left",
  "path",
  "paths",
  "right",
  "target"
])

const fileMetavars: ReadonlyMap<string, "either" | "directory"> = new Map([
  ["FILE", "either"],
  ["PATH", "either"],
  ["FILE.pub", "either"],
  ["DIR", "directory"]
] as const)

const choicesOf = (description: Option.Option<string>): ReadonlyArray<string> | undefined => {
  const [, choices] = /\(choices: ([^)]*)\)$/.exec(Option.getOrElse(description, () => "")) ?? []
  return choices?.split(", ")
}

const valueType = (
  description: Option.Option<string>,
  pathType: "either" | "directory" | undefined
): Completions.ArgumentType => {
  const values = choicesOf(description)
  if (values !== undefined) return { _tag: "Choice", values }
  return pathType === undefined ? { _tag: "String" } : { _tag: "Path", pathType }
}

const flagDescriptor = (flag: HelpDoc.FlagDoc): Completions.FlagDescriptor => ({
  name: flag.name,
  aliases: flag.aliases.map((alias) => alias.replace(/^-+/, "")),
  description: Option.getOrUndefined(flag.description),
  type:
    flag.type === "boolean" || flag.type === ""
      ? { _tag: "Boolean" }
      : valueType(flag.description, fileMetavars.get(flag.type)),
  negation: false
})

const argumentDescriptor = (argument: HelpDoc.ArgDoc): Completions.ArgumentDescriptor => ({
  name: argument.name,
  description: Option.getOrUndefined(argument.description),
  required: argument.required,
  variadic: argument.variadic,
  type: valueType(argument.description, fileArguments.has(argument.name) ? "either" : undefined)
})

/** What a list of commands says of each one. */
const summariesOf = ({ subcommands = [] }: HelpDoc.HelpDoc): ReadonlyMap<string, string | undefined> =>
  new Map(
    subcommands
      .flatMap(({ commands }) => commands)
      .map(({ name, shortDescription }) => [name, shortDescription])
  )

const descriptorOf = (
  { help, name, subcommands }: CommandNode,
  summary: string | undefined
): Completions.CommandDescriptor => ({
  name,
  description: summary ?? help.description,
  flags: [...help.flags, ...(help.globalFlags ?? [])].map(flagDescriptor),
  arguments: (help.args ?? []).map(argumentDescriptor),
  subcommands: subcommands.map((node) => descriptorOf(node, summariesOf(help).get(node.name)))
})

/** What a bash without the library bash-completion does not have. */
const bashPrelude = `if ! declare -F _init_completion >/dev/null; then
  _init_completion()
  {
    words=("\${COMP_WORDS[@]}")
    cword=$COMP_CWORD
    cur="\${COMP_WORDS[COMP_CWORD]}"
    prev=""
    if (( COMP_CWORD > 0 )); then prev="\${COMP_WORDS[COMP_CWORD - 1]}"; fi
  }
fi
`

export const completionsCommand: CommandGroup<"completions"> = Command.make(
  "completions",
  {
    shell: Argument.Literals("shell", SHELLS).pipe(
      Argument.withDescription(`the shell (choices: ${SHELLS.join(", ")})`)
    )
  },
  Effect.fnUntraced(function* ({ shell }) {
    const tree = yield* (yield* CommandTree).read
    const generated = Completions.generate("cortex", shell, descriptorOf(tree, undefined))
    const script = `${shell === "bash" ? bashPrelude : ""}${generated.replaceAll("cortex --completions", "cortex completions")}`
    if ((yield* Format) === "text") return yield* writeResult(script.endsWith("\n") ? script : `${script}\n`)
    yield* answer({ data: { shell, script }, lines: () => [] })
  })
).pipe(
  Command.withDescription(
    "Print a script that completes cortex in a shell: commands, flags, values that are few, and names of files."
  ),
  Command.withShortDescription(namedGroups.completions.summary),
  Command.withExamples([
    { command: 'eval "$(cortex completions bash)"', description: "in ~/.bashrc" },
    { command: "cortex completions zsh > ~/.zfunc/_cortex", description: "in a folder of $fpath" },
    { command: "cortex completions fish > ~/.config/fish/completions/cortex.fish" }
  ])
)
