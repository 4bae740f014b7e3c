// The planner: from a request over the corpus as it is now to one posted message, whose job has one step for each thing
// to read. Everything is looked up and judged before anything is written, and the message is one event: a plan stands
// as a whole or not at all. It never reads on anybody's behalf; that is the worker's part.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type BudgetExceeded, messageOfPlan, type Plan, planOf } from "../../domain/corpus/plan.ts"
import { PlanRequest, requestedReferences } from "../../domain/corpus/plan-request.ts"
import { PostMessage, preparePost } from "../../domain/ledger/commands.ts"
import type { Posted } from "../../domain/ledger/decide.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { CommandFailure } from "../ledger/commands/commands.ts"
import type { IdempotencyConflict } from "../../domain/ledger/errors.ts"
import { decodeInput } from "../foundation/input.ts"
import { Ledger } from "../ledger/ledger.ts"
import { Corpus } from "./corpus.ts"
import type { MeasureError } from "./resolving.ts"
import { traced } from "../foundation/telemetry.ts"

/** A plan that may be posted: the message passes every limit of the ledger. */
export interface PreparedPlan {
  readonly plan: Plan
  readonly message: PostMessage
}

/** A plan that was posted; `created` is false when its request had been planned before. */
export interface PostedPlan {
  readonly plan: Plan
  readonly posted: Posted
}

/** Why there is no plan; nothing was written. */
export type PlanError = BudgetExceeded | InvalidInput | MeasureError

const decode = decodeInput(PlanRequest, Result.succeed)
const decodePost = decodeInput(PostMessage, preparePost)

/** Plans a request over the corpus as it is now; writes nothing. */
export const preparePlan = traced("cassette.planner.prepare")(function* (
  input: PlanRequest
): Effect.fn.Return<PreparedPlan, PlanError, Corpus> {
  const request = yield* Effect.fromResult(decode(input))
  const references = requestedReferences(request)
  const measured = yield* Corpus.use((corpus) =>
    corpus.measure(references.map(({ ref, slice }) => ({ symbol_id: ref, slice })))
  )
  const resolved = measured.flatMap(({ bytes, slice }, index) => {
    const reference = references[index]
    return reference === undefined ? [] : [{ ...reference, slice, bytes }]
  })
  const plan = yield* Effect.fromResult(planOf(request, resolved))
  const message = messageOfPlan(request, plan)
  yield* Effect.fromResult(decodePost(message))
  return { plan, message }
})

/** Posts a prepared plan as one message; the same request again answers the same ids. */
export const postPlan = traced("cassette.planner.post")(function* ({
  message,
  plan
}: PreparedPlan): Effect.fn.Return<PostedPlan, CommandFailure<IdempotencyConflict>, Ledger> {
  return { plan, posted: yield* Ledger.use((ledger) => ledger.postMessage(message)) }
})

/**
 * Plans a request and posts the plan.
 *
 * @example
 * import { writeFileSync } from "node:fs"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import { Corpus, Ledger, planRequest, work } from "cortex-cassette"
 *
 * const program = Effect.gen(function* () {
 *   const corpus = yield* Corpus
 *   yield* corpus.index()
 *   yield* corpus.addSymbol({ symbol_id: "@DOCS/plan", path: "plan.md" })
 *   const symbols = [{ symbol_id: "@DOCS/plan", slice: "head(40)" }]
 *   yield* planRequest({ run_id: "r1", request_id: "q1", intent: "read the plan", inputs: { symbols } })
 *   return yield* work({ run_id: "r1", worker_id: "w1" })
 * })
 *
 * writeFileSync("plan.md", "# Plan\n")
 * const layers = Layer.merge(Corpus.layer({ root: "." }), Ledger.layer({ filename: "plans.db" }))
 * await Effect.runPromise(Effect.provide(program, layers))
 */
export const planRequest = (
  request: PlanRequest
): Effect.Effect<PostedPlan, PlanError | CommandFailure<IdempotencyConflict>, Corpus | Ledger> =>
  Effect.flatMap(preparePlan(request), postPlan)
