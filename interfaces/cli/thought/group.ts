// The group `cortex thought`: its commands in the order in which help lists them, and the flags that all share.
import * as Command from "effect/cli/Command"
import { ledgerFlags } from "../cassette/ledger-flags.ts"
import type { CommandGroup } from "../command-group.ts"
import { listCommand } from "./list.ts"
import { recordCommand } from "./record.ts"
import { showCommand } from "./show.ts"
import { verifyCommand } from "./verify.ts"

export const thoughtGroup: CommandGroup<"thought"> = Command.make("thought").pipe(
  Command.withDescription(
    "Thought records: the plans, analyses, decisions and reflections behind the work, one append-only hash chain for each task, in the same log as the work."
  ),
  Command.withShortDescription("thought records: record, list, show, verify"),
  Command.withExamples([
    { command: 'cortex thought record --task t1 --type plan --agent a1 --content "read first, then write"' },
    { command: "cortex thought list --task t1" },
    { command: "cortex thought verify" }
  ]),
  Command.withSubcommands([recordCommand, listCommand, showCommand, verifyCommand]),
  Command.withGlobalFlags(ledgerFlags)
)
