// The group `cortex network`: its commands in the order in which help lists them.
import * as Command from "effect/cli/Command"
import type { CommandGroup } from "../command-group.ts"
import { exportCommand } from "./export.ts"
import { importCommand } from "./import.ts"
import { compressCommand, expandCommand } from "./compress.ts"
import { indexCommand } from "./index-command.ts"
import { initCommand } from "./init.ts"
import { networkFlags } from "./network-flags.ts"
import { migrateCommand } from "./migrate.ts"
import { queryCommand } from "./query.ts"
import { reindexCommand } from "./reindex.ts"
import { statusCommand } from "./status.ts"
import { sweepCommand } from "./sweep.ts"
import { verifyCommand } from "./verify.ts"
import { watchCommand } from "./watch.ts"

export const networkGroup: CommandGroup<"network"> = Command.make("network").pipe(
  Command.withDescription(
    "The cassette network: small searchable databases (cassettes) that are asked together, ranked as one, and go on answering when some of them are broken."
  ),
  Command.withShortDescription(
    "search many small databases as one: init, index, query, status, verify, migrate, watch"
  ),
  Command.withExamples([
    { command: "cortex network init" },
    { command: "cortex network index" },
    { command: 'cortex network query "error handling"' }
  ]),
  Command.withSubcommands([
    initCommand,
    indexCommand,
    queryCommand,
    compressCommand,
    expandCommand,
    statusCommand,
    verifyCommand,
    reindexCommand,
    migrateCommand,
    sweepCommand,
    exportCommand,
    importCommand,
    watchCommand
  ]),
  Command.withGlobalFlags(networkFlags)
)
