// Advice that can be pasted: the commands that a text names are given the flags by which this command line says where its
// databases are, so that they go to the same ones. Errors name commands in full and know nothing of flags.
import { type GroupName, groupNames, namedGroups } from "./command-names.ts"
import type { HostShape } from "../shared/host.ts"

/** A word as a shell takes it. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

type PlaceFlag = "root" | "db" | "config"

/** The value of a flag as it was typed; the last one counts. */
const typedValue = (args: ReadonlyArray<string>, flag: PlaceFlag): string | undefined => {
  let value: string | undefined
  for (const [index, arg] of args.entries()) {
    if (arg === "--") break
    if (arg === `--${flag}`) value = args[index + 1]
    else if (arg.startsWith(`--${flag}=`)) value = arg.slice(`--${flag}=`.length)
  }
  return value
}

const flagText = (flag: string, value: string): string =>
  value.startsWith("-") ? ` --${flag}=${shellWord(value)}` : ` --${flag} ${shellWord(value)}`

/** The command that lets a step wait again whose lease has ended. */
export const requeueText = (step: { readonly run_id: string; readonly step_id: string }): string =>
  `cortex cassette requeue${flagText("run-id", step.run_id)}${flagText("step", step.step_id)} --reason 'its lease has ended'`

/** The flags that say where a group's databases are, as text behind a command. */
const placeOf = ({ args, env }: HostShape, group: GroupName): string => {
  const root = typedValue(args, "root") ?? (env["CORTEX_ROOT"] || undefined)
  const { place } = namedGroups[group]
  const texts = (["db", "config"] as const)
    .filter((flag) => place.includes(flag))
    .map((flag) => {
      const value = typedValue(args, flag)
      return value === undefined ? "" : flagText(flag, value)
    })
  return [root === undefined ? "" : flagText("root", root), ...texts].join("")
}

/** A command in a text: the group, and its subcommand where the group has some. */
const commandText = new RegExp(
  `\\bcortex (?:(${groupNames.filter((name) => namedGroups[name].isOne).join("|")})|(${groupNames
    .filter((name) => !namedGroups[name].isOne)
    .join("|")}) [a-z-]+)\\b`,
  "g"
)

/** The text with this command line's place behind every command that it names. */
export const withPlace = (host: HostShape, text: string): string =>
  text.replaceAll(
    commandText,
    (command: string, one: GroupName | undefined, group: GroupName) =>
      `${command}${placeOf(host, one ?? group)}`
  )
