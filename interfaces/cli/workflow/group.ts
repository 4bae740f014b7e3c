// The group `cortex workflow`: its commands in the order in which help lists them, and the flags that all share.
import * as Command from "effect/cli/Command"
import { ledgerFlags } from "../cassette/ledger-flags.ts"
import type { CommandGroup } from "../command-group.ts"
import { listCommand } from "./list.ts"
import { showCommand } from "./show.ts"
import { interruptCommand, resumeCommand } from "./wakes.ts"

export const workflowGroup: CommandGroup<"workflow"> = Command.make("workflow").pipe(
  Command.withDescription(
    "Executions of durable workflows that programs run on this ledger: which there are, how they stand, and wakes for them. Nothing is run here."
  ),
  Command.withShortDescription("executions of durable workflows: list, show, resume, interrupt"),
  Command.withExamples([
    { command: "cortex workflow list --status suspended" },
    { command: "cortex workflow show Order/o-17" }
  ]),
  Command.withSubcommands([listCommand, showCommand, resumeCommand, interruptCommand]),
  Command.withGlobalFlags(ledgerFlags)
)
