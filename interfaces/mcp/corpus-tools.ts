// The corpus as tools: read a bounded slice, plan a job of reading. Arguments are the fields of the application's requests,
// and so are the errors; nothing is decided here.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { PlanRequest } from "../../domain/corpus/plan-request.ts"
import { CorpusAccess } from "./corpus-access.ts"
import { LedgerAccess } from "./ledger-access.ts"
import { agentTool, type AgentTool, objectArgument, textArgument, type ToolHints } from "./tool.ts"

/** It adds what the same call does not add again. */
const addsOnce: ToolHints = { readOnly: false, destructive: false, idempotent: true }

const slice = Schema.optionalKey(
  textArgument(
    "lines[a:b], chars[a:b], head(n) or tail(n), counted from 0, the end not included; a symbol may have one by default",
    "lines[0:80]"
  )
)

const corpusResolve = agentTool({
  name: "corpus_resolve",
  title: "Read a slice",
  description:
    "Read the text that a symbol (or a section's id) and a slice mean now. Use it to read documents in bounded pieces. A run expands each piece once: cache says HIT when it had been read before and the text is still the same.",
  hints: addsOnce,
  input: Schema.Struct({
    symbol_id: textArgument("a symbol, or the id of a section", "@DOCS/readme"),
    run_id: textArgument("the run that reads", "run-2026-11-28"),
    slice
  }),
  data: Schema.Struct({
    run_id: Schema.String,
    symbol_id: Schema.String,
    slice: Schema.String,
    section_id: Schema.String,
    section_content_hash: Schema.String,
    payload: Schema.String.annotate({ description: "the text, exactly" }),
    payload_hash: Schema.String,
    bytes_expanded: Schema.Int,
    created_at: Schema.String,
    cache: Schema.Literals(["HIT", "MISS"])
  }),
  run: (input) =>
    Effect.flatMap(
      CorpusAccess.use(({ open }) => open),
      ({ corpus }) => corpus.resolve(input)
    )
})

const optionsOfReference = {
  slice,
  constraints: Schema.optionalKey(
    objectArgument("kept with the step for whoever uses what was read; no floats, and no slice")
  ),
  expected_outputs: Schema.optionalKey(objectArgument("what is expected of the step; no floats"))
}

const reference = (
  name: "symbol_id" | "section_id",
  description: string,
  ...examples: ReadonlyArray<string>
) =>
  Schema.Union([
    textArgument(description, ...examples),
    Schema.Struct({ [name]: textArgument(description, ...examples), ...optionsOfReference })
  ])

const budget = (description: string) =>
  Schema.optionalKey(Schema.Int.annotate({ description, examples: [100] }))

const planSubmit = agentTool({
  name: "plan_submit",
  title: "Plan a job of reading",
  description:
    "Plan a job that reads symbols, then sections, in bounded slices, and post it. Use it to hand reading over to workers, so that what was read can be proven afterwards. Safe to repeat with the same request_id and the same request: the same ids come back. Nothing is written when anything in it is refused.",
  hints: addsOnce,
  input: Schema.Struct({
    run_id: textArgument("the run that the job belongs to", "run-2026-11-28"),
    request_id: textArgument("names this request in its run, for safe repeats", "request-1"),
    intent: textArgument("what the job is for", "read the introduction"),
    inputs: Schema.Struct({
      symbols: Schema.optionalKey(
        Schema.Array(reference("symbol_id", "a symbol", "@DOCS/readme")).annotate({
          description: "symbols to read: each an id, or an object with its slice"
        })
      ),
      sections: Schema.optionalKey(
        Schema.Array(reference("section_id", "a section's id")).annotate({
          description: "sections to read: each an object with its slice"
        })
      )
    }).annotate({ description: "what to read: at least one symbol or section" }),
    budgets: Schema.optionalKey(
      Schema.Struct({
        max_steps: budget("most steps"),
        max_bytes: budget("most bytes of UTF-8 over all slices"),
        max_symbols: budget("most different symbols")
      }).annotate({ description: "what the plan may cost" })
    )
  }),
  data: Schema.Struct({
    message_id: Schema.String,
    job_id: Schema.String,
    job_ids: Schema.Array(Schema.String),
    created: Schema.Boolean.annotate({ description: "false when this request had been planned before" }),
    cost: Schema.Struct({ steps: Schema.Int, bytes: Schema.Int, symbols: Schema.Int })
  }),
  run: (input) =>
    Effect.gen(function* () {
      const { corpus } = yield* CorpusAccess.use(({ open }) => open)
      // Loaded by the first plan, so that the server answers early.
      const { postPlan, preparePlan } = yield* Effect.promise(
        () => import("../../application/corpus/planner.ts")
      )
      const { Corpus } = yield* Effect.promise(() => import("../../application/corpus/corpus.ts"))
      const { Ledger } = yield* Effect.promise(() => import("../../application/ledger/ledger.ts"))
      const prepared = yield* preparePlan(input as PlanRequest).pipe(Effect.provideService(Corpus, corpus))
      // Refused input must not leave a new, empty ledger behind.
      const { ledger } = yield* LedgerAccess.use(({ open }) => open("create"))
      const { plan, posted } = yield* postPlan(prepared).pipe(Effect.provideService(Ledger, ledger))
      return { ...posted, cost: plan.cost }
    })
})

/** The tools of the corpus in the order in which they are listed. */
export const corpusTools: ReadonlyArray<AgentTool> = [corpusResolve, planSubmit]
