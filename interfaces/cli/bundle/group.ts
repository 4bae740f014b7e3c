// The group `cortex bundle`: its commands in the order in which help lists them.
import * as Command from "effect/cli/Command"
import type { CommandGroup } from "../command-group.ts"
import { buildCommand } from "./build.ts"
import { diffCommand } from "./diff.ts"
import { packCommand, unpackCommand } from "./pack.ts"
import { replayCommand } from "./replay.ts"
import { showCommand } from "./show.ts"
import { signCommand } from "./sign.ts"
import { verifyCommand } from "./verify.ts"

export const bundleGroup: CommandGroup<"bundle"> = Command.make("bundle").pipe(
  Command.withDescription(
    "Bundles: what a finished job read, in a folder that is the same byte for byte wherever it is built and that anybody can verify without the ledger."
  ),
  Command.withShortDescription("bundles of finished jobs: build, verify, show, diff, pack, replay, sign"),
  Command.withExamples([
    { command: "cortex bundle build --run-id r1 --job-id job_0000000000002_….0001 --out out" },
    { command: "cortex bundle verify out" }
  ]),
  Command.withSubcommands([
    buildCommand,
    verifyCommand,
    showCommand,
    diffCommand,
    packCommand,
    unpackCommand,
    replayCommand,
    signCommand
  ])
)
