// `cortex plan`: a request becomes one posted message with a job of reading steps. Everything is judged before a ledger is
// opened, so that what is refused, and a dry run, leave nothing behind.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { Corpus } from "../../../application/corpus/corpus.ts"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { type PostedPlan, postPlan, preparePlan } from "../../../application/corpus/planner.ts"
import type { PlanRequest } from "../../../domain/corpus/plan-request.ts"
import type { Plan } from "../../../domain/corpus/plan.ts"
import { refOfStep, sliceOfStep } from "../../../domain/corpus/read-step.ts"
import { ledgerFlags } from "../cassette/ledger-flags.ts"
import { warnAbout, withLedger } from "../cassette/open-ledger.ts"
import { jsonFileFlag } from "../../shared/flags.ts"
import type { CommandGroup } from "../command-group.ts"
import { readJsonObject } from "../json-file.ts"
import { switchFlag } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { type Line, fieldLines, table } from "../../shared/terminal-text.ts"
import { withCorpus } from "./open-corpus.ts"

export const requestFlag = jsonFileFlag(
  "request",
  "the request: run_id, request_id, intent, inputs (symbols, sections) and, if wanted, budgets"
)

/** The plan for the request in a file; the corpus is opened for reading alone. */
export const planFromFile = Effect.fnUntraced(function* (file: string) {
  // What ends up in a bundle has no floats; all else that a request may not hold is refused by the planner.
  const request = (yield* readJsonObject("--request", file, "py/1")) as unknown as PlanRequest
  return yield* withCorpus("read", (corpus) =>
    preparePlan(request).pipe(Effect.provideService(Corpus, corpus))
  )
})

/** Posts a plan to the ledger that the flags name. */
export const postedPlan = (prepared: Parameters<typeof postPlan>[0]) =>
  withLedger("write", (ledger) =>
    Effect.andThen(warnAbout(ledger), postPlan(prepared).pipe(Effect.provideService(Ledger, ledger)))
  )

const costFields = ({ cost, request_id, run_id }: Plan) =>
  [
    ["run", run_id],
    ["request", request_id],
    ["steps", String(cost.steps)],
    ["bytes", String(cost.bytes)],
    ["symbols", String(cost.symbols)]
  ] as const

const stepLines = (plan: Plan): ReadonlyArray<Line> =>
  table(
    ["ordinal", "op", "reference", "slice"],
    plan.steps.map((step, index) => [String(index + 1), step.op, refOfStep(step), sliceOfStep(step)])
  )

/** A posted plan as JSON shows it. */
export const planned = ({ plan, posted }: PostedPlan) => ({ dry_run: false, ...posted, ...plan })

/** What people read of a posted plan. */
export const plannedFields = ({ plan, posted }: PostedPlan): ReadonlyArray<readonly [string, string]> => [
  ["message_id", posted.message_id],
  ["job_id", posted.job_id],
  ...costFields(plan),
  ["created", posted.created ? "yes" : "no: this request had been planned before"]
]

export const planCommand: CommandGroup<"plan"> = Command.make(
  "plan",
  {
    request: requestFlag,
    dryRun: switchFlag("dry-run", "show the plan and what it costs, and write nothing")
  },
  Effect.fnUntraced(function* ({ dryRun, request }) {
    const prepared = yield* planFromFile(request)
    const { plan } = prepared
    if (dryRun) {
      return yield* answer({
        data: { dry_run: true, ...plan },
        lines: () => [...fieldLines(costFields(plan)), "", ...stepLines(plan)]
      })
    }
    const made = yield* postedPlan(prepared)
    yield* answer({
      data: planned(made),
      lines: () => fieldLines(plannedFields(made))
    })
  })
).pipe(
  Command.withDescription(
    "Plan a job of reading: one step for each symbol, then one for each section, in the request's order, each with a bounded slice. Symbols without a slice take their default slice now. The plan is posted as one message, or not at all; request_id makes it safe to repeat. Creates the ledger when it is missing; needs an index."
  ),
  Command.withShortDescription("plan a job of reading from a request"),
  Command.withExamples([
    { command: "cortex plan --request request.json --dry-run", description: "the steps and what they cost" },
    { command: "cortex plan --request request.json" },
    {
      command:
        'echo \'{"run_id":"r1","request_id":"q1","intent":"read the introduction","inputs":{"symbols":[{"symbol_id":"@DOCS/readme","slice":"lines[0:80]"}]},"budgets":{"max_bytes":20000}}\' | cortex plan --request -'
    }
  ]),
  Command.withGlobalFlags(ledgerFlags)
)
