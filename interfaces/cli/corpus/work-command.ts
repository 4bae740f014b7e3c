// `cortex work`: reads what the steps of a run say, until no step waits.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { ledgerFlags } from "../cassette/ledger-flags.ts"
import { runIdFlag, textFlag, workerFlag } from "../../shared/flags.ts"
import type { CommandGroup } from "../command-group.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { cacheFlag } from "./cache-flag.ts"
import { leaseFlag, processesFlag, workFields, workRun } from "./working.ts"

export const workCommand: CommandGroup<"work"> = Command.make(
  "work",
  {
    runId: runIdFlag,
    worker: workerFlag,
    job: textFlag("job", "J", "of this job only").pipe(Flag.optional),
    ttl: leaseFlag,
    processes: processesFlag,
    cache: cacheFlag
  },
  Effect.fnUntraced(function* ({ cache, job, processes, runId, ttl, worker }) {
    const report = yield* workRun({
      run_id: runId,
      worker,
      job_id: Option.getOrUndefined(job),
      ttl_seconds: Option.getOrUndefined(ttl),
      processes,
      cache
    })
    yield* answer({ data: report, lines: () => fieldLines(workFields(report)) })
  })
).pipe(
  Command.withDescription(
    "Work the reading steps of a run: claim one, read its slice through the expansion cache, commit the receipt, until no step waits. What cannot be read is a receipt of FAILURE. Exits 0 when no step waits, and says how many are still leased by others; nothing is requeued for them. SIGINT and SIGTERM end it after the step in hand, which is finished or given back. Any number of workers may share one run."
  ),
  Command.withShortDescription("work the reading steps of a run"),
  Command.withExamples([
    { command: "cortex work --run-id r1 --worker ada" },
    { command: "cortex work --run-id r1 --worker ada --processes 3", description: "ada-1, ada-2 and ada-3" },
    { command: "cortex work --run-id r1 --worker ada --job job_0000000000002_….0001 --ttl 60 --format json" }
  ]),
  Command.withGlobalFlags(ledgerFlags)
)
