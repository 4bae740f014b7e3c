// The group `cortex key`: keys that sign checkpoints, and the trust files that say whose signatures count.
import * as Command from "effect/cli/Command"
import type { CommandGroup } from "../command-group.ts"
import { generateCommand } from "./generate.ts"
import { trustCommand } from "./trust.ts"

export const keyGroup: CommandGroup<"key"> = Command.make("key").pipe(
  Command.withDescription(
    "Signing keys and trust files: a key signs checkpoints, a trust file says whose signatures count."
  ),
  Command.withShortDescription("signing keys and trust files: generate, trust"),
  Command.withExamples([{ command: "cortex key generate --out audit.pem" }]),
  Command.withSubcommands([generateCommand, trustCommand])
)
