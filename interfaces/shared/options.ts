// Flags that several commands share, and how numbers and paths on the command line are read. A number is whole
// decimal digits and nothing else: what a shell or a spreadsheet turned into `1e3` or ` 1` is refused, not guessed.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { Host } from "./host.ts"
import { rootFolderOf } from "./path-arguments.ts"

export { absolutePath, refusedFlag } from "./path-arguments.ts"

export type OutputFormat = "text" | "json"

/** How results are printed. */
export const Format = GlobalFlag.Setting("format")({
  flag: Flag.Literals("format", ["text", "json"]).pipe(
    Flag.withMetavar("FORMAT"),
    Flag.withDefault("text"),
    Flag.withDescription("text (the default) for people, json for one document on standard output")
  )
})

/** The folder whose CORTEX/ holds the databases. */
export const Root = GlobalFlag.Setting("root")({
  flag: Flag.String("root").pipe(
    Flag.withMetavar("DIR"),
    Flag.optional,
    Flag.withDescription("folder that holds CORTEX/ (default: CORTEX_ROOT, else the current folder)")
  )
})

/** The format that the arguments ask for, also when they cannot be parsed. */
export const requestedFormat = (args: ReadonlyArray<string>): OutputFormat => {
  const end = args.indexOf("--")
  const flags = end === -1 ? args : args.slice(0, end)
  return flags.some(
    (arg, index) => arg === "--format=json" || (arg === "--format" && flags[index + 1] === "json")
  )
    ? "json"
    : "text"
}

const wholeDigits = /^(?:0|[1-9][0-9]*)$/

/** A flag that takes whole decimal digits, from `minimum` on. */
export const wholeNumberFlag = (name: string, minimum: number) =>
  Flag.String(name).pipe(
    Flag.withMetavar("N"),
    Flag.filterMap(
      (text) => {
        const value = Number(text)
        return wholeDigits.test(text) && Number.isSafeInteger(value) && value >= minimum
          ? Option.some(value)
          : Option.none()
      },
      () => `a whole number from ${minimum} on, in decimal digits alone`
    )
  )

/** A switch: off unless it is given. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDefault(false), Flag.withDescription(description))

/** The folder that `--root` or CORTEX_ROOT names, absolute. */
export const rootFolder = Effect.gen(function* () {
  return yield* rootFolderOf(Option.getOrUndefined(yield* Root))
})

/** True when `--root` or CORTEX_ROOT names the folder, so that it is not the current one by chance. */
export const rootIsNamed = Effect.gen(function* () {
  const { env } = yield* Host
  return Option.isSome(yield* Root) || (env["CORTEX_ROOT"] ?? "") !== ""
})
