// Help and version texts: what effect/cli renders, followed by the exit codes and environment variables that hold for
// every command. The texts are collected, so that the caller writes them and sees a write that fails.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliOutput from "effect/cli/CliOutput"
import type * as HelpDoc from "effect/cli/HelpDoc"
import { isRequired } from "../shared/flags.ts"
import { exitMeanings } from "../shared/exit-codes.ts"

const meanings = Object.entries(exitMeanings)
  .map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`)
  .join("\n")

/** The environment variables that commands read. */
export const environmentMeanings = {
  CORTEX_ROOT: "folder that holds CORTEX/, when --root is not given",
  CORTEX_AGENT: "who asks, saves and serves, where --agent is a flag and is not given",
  TRACEPARENT: "trace in which post, claim and complete record, when --traceparent is not given",
  CORTEX_DEBUG: "any value: show the stack of an internal error",
  NO_COLOR: "any value: no colours"
} as const

const variables = Object.entries(environmentMeanings)
  .map(([name, meaning]) => `  ${name.padEnd(14)}${meaning}`)
  .join("\n")

const footer = `EXIT CODES
${meanings}
  130  stopped by SIGINT (143: SIGTERM)

ENVIRONMENT
${variables}

A FILE named - is standard input. A value that begins with - is written --flag=-value.`

/** The same help, in which the flags that a command needs say so. */
const withRequired = (help: HelpDoc.HelpDoc): HelpDoc.HelpDoc => ({
  ...help,
  flags: help.flags.map((flag) =>
    isRequired(flag)
      ? { ...flag, description: Option.map(flag.description, (text) => `${text} (required)`) }
      : flag
  )
})

/** effect/cli leaves no blank line between subcommands and examples. */
// oxlint-disable-next-line no-control-regex
const unspacedExamples = /(?<!\n)\n((?:\u001b\[1m)?EXAMPLES)/

/** Collects requested help and version texts; everything else that effect/cli would print is left to the caller. */
export const collectingPresenter = (colours: boolean, collected: Array<string>): CliOutput.Presenter => {
  const formatter = CliOutput.defaultFormatter({ colors: colours })
  return {
    present: (event) =>
      Effect.sync(() => {
        if (event._tag === "Version") collected.push(event.version)
        if (event._tag === "Help" && event.reason === "Requested") {
          const help = formatter
            .formatHelpDoc(withRequired(event.helpDoc))
            .replace(unspacedExamples, "\n\n$1")
          collected.push(`${help}\n\n${footer}`)
        }
      })
  }
}
