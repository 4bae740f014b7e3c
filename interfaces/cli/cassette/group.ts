// The group `cortex cassette`: its commands in the order in which help lists them, and the flags that all share.
import * as Command from "effect/cli/Command"
import type { CommandGroup } from "../command-group.ts"
import { atCommand } from "./at.ts"
import { backupCommand } from "./backup.ts"
import { checkpointCommand } from "./checkpoint.ts"
import { claimCommand } from "./claim.ts"
import { completeCommand } from "./complete.ts"
import { importCommand } from "./import.ts"
import { ledgerFlags } from "./ledger-flags.ts"
import { leasesCommand } from "./leases.ts"
import { logCommand } from "./log.ts"
import { diffCommand } from "./diff.ts"
import { postCommand } from "./post.ts"
import { proveCommand } from "./prove.ts"
import { rebuildCommand } from "./rebuild.ts"
import { renewCommand } from "./renew.ts"
import { requeueCommand } from "./requeue.ts"
import { restoreCommand } from "./restore.ts"
import { statusCommand } from "./status.ts"
import { verifyProofCommand } from "./verify-proof.ts"
import { verifyCommand } from "./verify.ts"
import { waitingCommand } from "./waiting.ts"

export const cassetteGroup: CommandGroup<"cassette"> = Command.make("cassette").pipe(
  Command.withDescription(
    "The work ledger: messages, jobs and steps, claimed under leases and finished with receipts, on an append-only hash-chained log."
  ),
  Command.withShortDescription("the work ledger: post, claim, complete, verify"),
  Command.withExamples([
    { command: "cortex cassette post --json message.json --run-id r1 --source USER" },
    { command: "cortex cassette status --run-id r1" },
    { command: "cortex cassette verify" }
  ]),
  Command.withSubcommands([
    postCommand,
    claimCommand,
    completeCommand,
    renewCommand,
    requeueCommand,
    verifyCommand,
    statusCommand,
    waitingCommand,
    leasesCommand,
    logCommand,
    atCommand,
    rebuildCommand,
    backupCommand,
    restoreCommand,
    diffCommand,
    importCommand,
    checkpointCommand,
    proveCommand,
    verifyProofCommand
  ]),
  Command.withGlobalFlags(ledgerFlags)
)
