// Help and version texts: what effect/cli renders, followed by the exit codes and environment variables that hold for
// every command. The texts are collected, so that the caller writes them and sees a write that fails.
import * as Effect from "effect/Effect"
import * as CliOutput from "effect/cli/CliOutput"
import { exitMeanings } from "../shared/exit-codes.ts"

const meanings = Object.entries(exitMeanings)
  .map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`)
  .join("\n")

const footer = `EXIT CODES
${meanings}
  130  stopped by SIGINT (143: SIGTERM)

ENVIRONMENT
  CORTEX_ROOT   folder that holds CORTEX/, when --root is not given
  CORTEX_AGENT  who asks, saves and serves, where --agent is a flag and is not given
  TRACEPARENT   trace in which post, claim and complete record, when --traceparent is not given
  CORTEX_DEBUG  any value: show the stack of an internal error
  NO_COLOR      any value: no colours

A FILE named - is standard input. A value that begins with - is written --flag=-value.`

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
          const help = formatter.formatHelpDoc(event.helpDoc).replace(unspacedExamples, "\n\n$1")
          collected.push(`${help}\n\n${footer}`)
        }
      })
  }
}
