// The group `cortex memory`: what agents remember in the cassettes of the network, in the order in which help lists it.
import * as Command from "effect/cli/Command"
import type { CommandGroup } from "../command-group.ts"
import { networkFlags } from "../network/network-flags.ts"
import { forgetCommand } from "./forget.ts"
import { neighborsCommand } from "./neighbors.ts"
import { queryCommand } from "./query.ts"
import { recallCommand } from "./recall.ts"
import { saveCommand } from "./save.ts"

export const memoryGroup: CommandGroup<"memory"> = Command.make("memory").pipe(
  Command.withDescription(
    "What agents remember: texts that are saved in cassettes of the network, found by words and meaning, and recalled by their hash. In a cassette with the capability agent_id each agent sees its own memories alone."
  ),
  Command.withShortDescription("what agents remember: save, query, recall, neighbors, forget"),
  Command.withExamples([
    { command: 'cortex memory save "The tests need Node 24" --cassette memory' },
    { command: 'cortex memory query "which Node"' },
    { command: "cortex memory recall @A:3f1c0a9be27d" }
  ]),
  Command.withSubcommands([saveCommand, queryCommand, recallCommand, neighborsCommand, forgetCommand]),
  Command.withGlobalFlags(networkFlags)
)
