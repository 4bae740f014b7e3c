// The type of every group of commands: what it may use, and what it may fail with.
import type * as Command from "effect/cli/Command"
import type * as GlobalFlag from "effect/cli/GlobalFlag"
import type { CommandTree } from "./completions/command-node.ts"
import type { CommandFailure } from "../shared/failures.ts"
import type { Host } from "../shared/host.ts"

/** What every command may use. */
type CommandServices =
  | Host
  | CommandTree
  | GlobalFlag.Setting.Identifier<"format">
  | GlobalFlag.Setting.Identifier<"root">

/** A group of commands; everything that one may fail with must have an exit code. */
export type CommandGroup<Name extends string> = Command.Command<
  Name,
  never,
  {},
  CommandFailure,
  CommandServices
>
