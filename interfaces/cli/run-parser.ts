// Hands a command line to effect/cli: what it would print by itself is presented to the caller, and only help and version
// are built in.
import * as Effect from "effect/Effect"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { parserEnvironment } from "./parser-environment.ts"
import type { rootCommand } from "./root-command.ts"
import { packageVersion } from "../shared/version.ts"

/** The root command with as much of its tree as was loaded. */
type Root = Awaited<ReturnType<typeof rootCommand>>

/** Parses the arguments and runs the command that they name. */
export const runParser = (root: Root, args: ReadonlyArray<string>, presenter: CliOutput.Presenter) =>
  Command.runWith(root, { version: packageVersion(), renderErrors: false })(args).pipe(
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })
    ),
    Effect.provide(parserEnvironment)
  )
