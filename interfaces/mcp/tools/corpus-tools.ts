// The corpus as tools: see what there is, read a bounded slice, plan a job of reading. Arguments are the fields of the application's requests,
// and so are the errors; nothing is decided here.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Identifier } from "../../../domain/canonical/text.ts"
import { Budget, type PlanRequest } from "../../../domain/corpus/plan-request.ts"
import { Reference, SectionId, SymbolId } from "../../../domain/corpus/symbols.ts"
import { Text } from "../../../domain/ledger/commands.ts"
import { DEFAULT_ANSWER_BYTES, textFrom } from "../../../domain/canonical/answer-budget.ts"
import { CorpusAccess } from "../corpus-access.ts"
import { LedgerAccess } from "../ledger-access.ts"
import { corpusList } from "./corpus-list.ts"
import { goingOnInText, offset } from "./long-text.ts"
import { agentTool, type AgentTool, argument, objectArgument, textArgument, type ToolHints } from "./tool.ts"

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
    "Read the text that a symbol (or a section's id) and a slice mean now. corpus_list tells which there are. A run expands each piece once: cache says HIT when it was read before and the text is still the same. A long text comes in parts: go on with offset.",
  hints: addsOnce,
  defaultBytes: DEFAULT_ANSWER_BYTES,
  input: {
    symbol_id: argument(Reference, "a symbol, or the id of a section", "@DOCS/readme"),
    run_id: argument(Identifier, "the run that reads", "run-2026-11-28"),
    slice,
    offset
  },
  data: Schema.Struct({
    run_id: Schema.String,
    symbol_id: Schema.String,
    slice: Schema.String,
    section_id: Schema.String,
    section_content_hash: Schema.String,
    payload: Schema.String,
    payload_hash: Schema.String,
    bytes_expanded: Schema.Int,
    created_at: Schema.String,
    cache: Schema.Literals(["HIT", "MISS"])
  }),
  goesOn: goingOnInText("payload"),
  run: ({ offset, ...request }) =>
    Effect.gen(function* () {
      const { corpus } = yield* CorpusAccess.use(({ open }) => open)
      const resolved = yield* corpus.resolve(request)
      return { ...resolved, payload: textFrom(resolved.payload, offset) }
    })
})

/** A thing to read with its slice; its id alone is taken as well. */
const reference = <S extends Schema.Top>(name: "symbol_id" | "section_id", id: S, description: string) => {
  const named = argument(id, description)
  return Schema.Union([
    Schema.Struct({
      [name]: named,
      slice,
      constraints: Schema.optionalKey(
        objectArgument("kept with the step for anyone who uses what was read; no floats, and no slice")
      ),
      expected_outputs: Schema.optionalKey(objectArgument("what is expected of the step; no floats"))
    }),
    named
  ])
}

const budget = (description: string) => Schema.optionalKey(argument(Budget, description))

const planSubmit = agentTool({
  name: "plan_submit",
  title: "Plan a job of reading",
  description:
    "Plan a job that reads symbols, then sections, in bounded slices, and post it. Use it to hand reading over to workers, so that what was read can be proven afterwards. Safe to repeat with the same request_id and the same request: the same ids come back. Nothing is written when anything in it is refused.",
  hints: addsOnce,
  input: {
    run_id: argument(Identifier, "the run that the job belongs to", "run-2026-11-28"),
    request_id: argument(Identifier, "names this request in its run, for safe repeats", "request-1"),
    intent: argument(Text, "what the job is for"),
    inputs: Schema.Struct({
      symbols: Schema.optionalKey(
        Schema.Array(reference("symbol_id", SymbolId, "a symbol")).annotate({
          description: "symbols to read"
        })
      ),
      sections: Schema.optionalKey(
        Schema.Array(reference("section_id", SectionId, "a section's id")).annotate({
          description: "sections to read, each with its slice"
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
  },
  data: Schema.Struct({
    message_id: Schema.String,
    job_id: Schema.String,
    job_ids: Schema.Array(Schema.String),
    created: Schema.Boolean,
    cost: Schema.Struct({ steps: Schema.Int, bytes: Schema.Int, symbols: Schema.Int })
  }),
  run: (input) =>
    Effect.gen(function* () {
      const { corpus } = yield* CorpusAccess.use(({ open }) => open)
      // Loaded by the first plan, so that the server answers early.
      const { postPlan, preparePlan } = yield* Effect.promise(
        () => import("../../../application/corpus/planner.ts")
      )
      const { Corpus } = yield* Effect.promise(() => import("../../../application/corpus/corpus.ts"))
      const { Ledger } = yield* Effect.promise(() => import("../../../application/ledger/ledger.ts"))
      const prepared = yield* preparePlan(input as PlanRequest).pipe(Effect.provideService(Corpus, corpus))
      // Refused input must not leave a new, empty ledger behind.
      const { ledger } = yield* LedgerAccess.use(({ open }) => open("create"))
      const { plan, posted } = yield* postPlan(prepared).pipe(Effect.provideService(Ledger, ledger))
      return { ...posted, cost: plan.cost }
    })
})

/** The tools of the corpus in the order in which they are listed. */
export const corpusTools: ReadonlyArray<AgentTool> = [corpusList, corpusResolve, planSubmit]
