// The group `cortex dossier`: its commands in the order in which help lists them.
import * as Command from "effect/cli/Command"
import type { CommandGroup } from "../command-group.ts"
import { exportCommand } from "./export.ts"
import { showCommand } from "./show.ts"
import { verifyCommand } from "./verify.ts"

export const dossierGroup: CommandGroup<"dossier"> = Command.make("dossier").pipe(
  Command.withDescription(
    "Dossiers: what happened in a run, in jobs or in tasks, with proofs against a signed checkpoint, for a person who has neither the ledger nor the program."
  ),
  Command.withShortDescription("the evidence of runs, jobs and tasks: export, verify, show"),
  Command.withExamples([
    { command: "cortex dossier export --run-id r1 --key audit.pem --out out" },
    { command: "cortex dossier verify out --trust trust.json" }
  ]),
  Command.withSubcommands([exportCommand, verifyCommand, showCommand])
)
