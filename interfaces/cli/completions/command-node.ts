// The whole tree of commands as a command may ask for it. What reads it is given to commands from outside: a command that
// loaded the tree itself would load itself.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as HelpDoc from "effect/cli/HelpDoc"
import type { Host } from "../../shared/host.ts"

/** A command with its help, and the commands below it. */
export interface CommandNode {
  readonly name: string
  readonly help: HelpDoc.HelpDoc
  readonly subcommands: ReadonlyArray<CommandNode>
}

export class CommandTree extends Context.Service<
  CommandTree,
  {
    /** The tree from `cortex` on; loads every group. */
    readonly read: Effect.Effect<CommandNode, never, Host>
  }
>()("cortex-cassette/interfaces/cli/CommandTree") {}
