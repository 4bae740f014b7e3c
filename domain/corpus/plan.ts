// From a request and what its references stand for to the one message that asks for the work. Pure: the same
// request over the same texts gives the same plan, byte for byte. Nothing is written here.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { JsonObject } from "../canonical/json.ts"
import type { PostMessage } from "../ledger/commands.ts"
import type { PlanRequest, RequestedReference } from "./plan-request.ts"
import type { ReadStep } from "./read-step.ts"

const BUDGETS = ["max_steps", "max_bytes", "max_symbols"] as const

/** The plan needs more than its request allows; nothing was posted. */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  budget: Schema.Literals(BUDGETS),
  allowed: Schema.Int,
  needed: Schema.Int
}) {
  override get message() {
    return `The plan needs ${this.needed} where ${this.budget} allows ${this.allowed}: read less, or raise the budget`
  }
}

/** A reference with the slice that will be read, in canonical text, and the bytes of UTF-8 that it has now. */
export interface ResolvedReference extends RequestedReference {
  readonly slice: string
  readonly bytes: number
}

/** What a plan costs: its steps, bytes of UTF-8 over all slices, and different symbols. */
export interface PlanCost {
  readonly steps: number
  readonly bytes: number
  readonly symbols: number
}

/** The steps in order with what they cost. */
export interface Plan {
  readonly run_id: string
  readonly request_id: string
  readonly intent: string
  readonly steps: ReadonlyArray<ReadStep>
  readonly cost: PlanCost
}

type JobSteps = NonNullable<PostMessage["jobs"]>[number]["steps"]

const stepOf = ({ constraints, expected_outputs, op, ref, slice }: ResolvedReference): ReadStep => {
  const common = { constraints: { ...constraints, slice }, expected_outputs }
  return op === "READ_SYMBOL"
    ? { op, refs: { symbol_id: ref }, ...common }
    : { op, refs: { section_id: ref }, ...common }
}

const costOf = (references: ReadonlyArray<ResolvedReference>): PlanCost => ({
  steps: references.length,
  bytes: references.reduce((sum, { bytes }) => sum + bytes, 0),
  symbols: new Set(references.flatMap(({ op, ref }) => (op === "READ_SYMBOL" ? [ref] : []))).size
})

/** The plan for a request whose references were resolved in the request's order. */
export const planOf = (
  request: PlanRequest,
  references: ReadonlyArray<ResolvedReference>
): Result.Result<Plan, BudgetExceeded> => {
  const { budgets = {}, intent, request_id, run_id } = request
  const cost = costOf(references)
  const needs = { max_steps: cost.steps, max_bytes: cost.bytes, max_symbols: cost.symbols }
  for (const budget of BUDGETS) {
    const allowed = budgets[budget]
    if (allowed !== undefined && needs[budget] > allowed) {
      return Result.fail(new BudgetExceeded({ budget, allowed, needed: needs[budget] }))
    }
  }
  return Result.succeed({ run_id, request_id, intent, steps: references.map(stepOf), cost })
}

/** The message that posts a plan: its payload is the request itself, its one job has the plan's steps. */
export const messageOfPlan = (request: PlanRequest, plan: Plan): PostMessage => ({
  run_id: plan.run_id,
  source: "PLANNER",
  idempotency_key: plan.request_id,
  payload: { ...request } as JsonObject,
  // A decoded request has at least one reference, so the list is never empty.
  jobs: [{ intent: plan.intent, steps: plan.steps as unknown as JobSteps }]
})
