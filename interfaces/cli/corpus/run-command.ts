// `cortex run`: plan, work and bundle in one go, and a dossier if one is asked for. It is these commands one after the other, and nothing else: anyone who
// starts it again with the same request goes on where it ended.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { allowFailuresFlag, builtBundle, builtFields } from "../bundle/build.ts"
import { exportedDossier, exportedFields, signingFlags } from "../dossier/export.ts"
import { ledgerFlags } from "../cassette/ledger-flags.ts"
import { textFlag } from "../../shared/flags.ts"
import type { CommandGroup } from "../command-group.ts"
import { absolutePath } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { cacheFlag } from "./cache-flag.ts"
import { planFromFile, planned, plannedFields, postedPlan, requestFlag } from "./plan-command.ts"
import { leaseFlag, processesFlag, workersOf, workFields, workRun, type WorkSettings } from "./working.ts"

export const runCommand: CommandGroup<"run"> = Command.make(
  "run",
  {
    request: requestFlag,
    out: textFlag("out", "DIR", "the bundle's folder to make; nothing is written over"),
    worker: textFlag("worker", "W", "the worker's name (default: the run's)").pipe(Flag.optional),
    ttl: leaseFlag,
    processes: processesFlag,
    allowFailures: allowFailuresFlag,
    cache: cacheFlag,
    dossier: textFlag(
      "dossier",
      "DIR",
      "a dossier of the run to make, too, with the bundle in it (needs --key)"
    ).pipe(Flag.optional),
    ...signingFlags
  },
  Effect.fnUntraced(function* ({
    allowFailures,
    cache,
    dossier,
    key,
    name,
    out,
    processes,
    request,
    ttl,
    worker
  }) {
    const path = yield* absolutePath("--out", out)
    const unposted = yield* planFromFile(request)
    const { run_id } = unposted.plan
    const settings: WorkSettings = {
      run_id,
      worker: Option.getOrElse(worker, () => run_id),
      job_id: undefined,
      ttl_seconds: Option.getOrUndefined(ttl),
      processes,
      cache
    }
    // What cannot be worked is not posted.
    yield* workersOf(settings)
    const plan = yield* postedPlan(unposted)
    const { job_id } = plan.posted
    const work = yield* workRun({ ...settings, job_id })
    const bundle = yield* builtBundle({ run_id, job_id, allow_failures: allowFailures }, path, cache)
    const evidence = Option.isNone(dossier)
      ? undefined
      : yield* exportedDossier(
          { run_id, bundles: [path] },
          { key, name, checkpoint: Option.none() },
          yield* absolutePath("--dossier", dossier.value)
        )
    yield* answer({
      data: { plan: planned(plan), work, bundle, ...(evidence === undefined ? {} : { dossier: evidence }) },
      lines: () => [
        ...fieldLines(plannedFields(plan)),
        "",
        ...fieldLines(workFields(work)),
        "",
        ...fieldLines(builtFields(bundle)),
        ...(evidence === undefined ? [] : ["", ...fieldLines(exportedFields(evidence))])
      ]
    })
  })
).pipe(
  Command.validate(({ dossier, key, name }) => {
    const refused = (message: string) => Effect.fail(new CliError.ValidationError({ message }))
    if (Option.isSome(dossier) !== Option.isSome(key))
      return refused("--dossier needs --key, and --key needs --dossier")
    return Option.isSome(name) && Option.isNone(key)
      ? refused("--name is the name of --key: give it too")
      : Effect.void
  }),
  Command.withDescription(
    "Plan a request, work its job and build its bundle, one after the other. Safe to repeat while what it names is there: the same request is planned once, finished steps are not read again, and a bundle that is there already and the same is left alone. Exits 1 when steps failed (unless --allow-failures) or are still leased by another worker."
  ),
  Command.withShortDescription("plan, work and bundle in one go"),
  Command.withExamples([
    { command: "cortex run --request request.json --out out" },
    { command: "cortex run --request request.json --out out --processes 3 --format json" },
    {
      command: "cortex run --request request.json --out out --dossier evidence --key audit.pem",
      description: "and the evidence of the whole run"
    }
  ]),
  Command.withGlobalFlags(ledgerFlags)
)
