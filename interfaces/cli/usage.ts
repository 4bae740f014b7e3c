// What a person is told when the command line itself is wrong: what is wrong with it, and where help is. effect/cli
// would print the whole help to standard output and exit with 1.
import type * as CliError from "effect/cli/CliError"
import type { ErrorDocument } from "../shared/error-document.ts"

const advised = (error: CliError.NonShowHelpErrors): string =>
  error.message.replaceAll(/\s*\n\s*/g, " ").trim()

const needsSubcommand = (path: string): string => `${path} needs a subcommand: ${path} --help lists them`

/** The error document of a wrong command line, and the line that points to help. */
export const usageDocument = (
  error: CliError.CliError
): { readonly document: ErrorDocument; readonly hint: string } => {
  const path = error._tag === "ShowHelp" ? error.commandPath.join(" ") : "cortex"
  const problems =
    error._tag === "ShowHelp"
      ? error.errors.length === 0
        ? [needsSubcommand(path)]
        : error.errors.map(advised)
      : [advised(error)]
  return {
    document: { code: "USAGE", message: problems.join("; "), details: { command: path, problems } },
    hint: `Run ${path} --help for its flags and examples.`
  }
}
