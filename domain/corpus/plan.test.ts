/** Plans from requests: order, repeats, defaults, budgets and what a request may hold. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { messageOfPlan, planOf, type ResolvedReference } from "./plan.ts"
import { PlanRequest, type RequestedReference, requestedReferences } from "./plan-request.ts"
import { ReadStep } from "./read-step.ts"

const section = "a".repeat(64)

const request: PlanRequest = {
  run_id: "run-1",
  request_id: "request-1",
  intent: "read the introduction",
  inputs: {
    symbols: ["@DOCS/readme", { symbol_id: "@DOCS/guide", slice: "head(5)", expected_outputs: { lines: 2 } }],
    sections: [{ section_id: section, slice: "lines[0:2]", constraints: { note: "twice" } }]
  }
}

const resolve = (reference: RequestedReference): ResolvedReference => ({
  ...reference,
  slice: reference.slice ?? "lines[0:1]",
  bytes: 10
})

const plan = (given: PlanRequest) => planOf(given, requestedReferences(given).map(resolve))

const decode = Schema.decodeUnknownResult(PlanRequest, { onExcessProperty: "error", errors: "all" })

describe("plan", () => {
  it("puts symbols before sections, in the request's order", () => {
    const made = Result.getOrThrow(plan(request))
    assert.deepStrictEqual(made.steps, [
      {
        op: "READ_SYMBOL",
        refs: { symbol_id: "@DOCS/readme" },
        constraints: { slice: "lines[0:1]" },
        expected_outputs: {}
      },
      {
        op: "READ_SYMBOL",
        refs: { symbol_id: "@DOCS/guide" },
        constraints: { slice: "head(5)" },
        expected_outputs: { lines: 2 }
      },
      {
        op: "READ_SECTION",
        refs: { section_id: section },
        constraints: { note: "twice", slice: "lines[0:2]" },
        expected_outputs: {}
      }
    ])
    assert.deepStrictEqual(made.cost, { steps: 3, bytes: 30, symbols: 2 })
  })

  it("keeps repeats as steps of their own and counts a repeated symbol once", () => {
    const made = Result.getOrThrow(plan({ ...request, inputs: { symbols: ["@A/b", "@A/b", "@A/b"] } }))
    assert.strictEqual(made.steps.length, 3)
    assert.deepStrictEqual(made.cost, { steps: 3, bytes: 30, symbols: 1 })
  })

  it("makes steps that fit the form of a step that reads", () => {
    const fits = Schema.is(ReadStep)
    assert.isTrue(Result.getOrThrow(plan(request)).steps.every((step) => fits(step)))
  })

  it("becomes one message with the request as payload and its id as idempotency key", () => {
    const made = Result.getOrThrow(plan(request))
    assert.deepStrictEqual(messageOfPlan(request, made), {
      run_id: "run-1",
      source: "PLANNER",
      idempotency_key: "request-1",
      payload: request as never,
      jobs: [{ intent: "read the introduction", steps: made.steps as never }]
    })
  })
})

describe("budgets", () => {
  const cases = [
    ["max_steps", 3],
    ["max_bytes", 30],
    ["max_symbols", 2]
  ] as const
  for (const [budget, needed] of cases) {
    it(`${budget} allows exactly what is needed and refuses one less`, () => {
      assert.isTrue(Result.isSuccess(plan({ ...request, budgets: { [budget]: needed } })))
      const refused = Result.getOrThrow(Result.flip(plan({ ...request, budgets: { [budget]: needed - 1 } })))
      assert.deepStrictEqual(
        { _tag: refused._tag, budget: refused.budget, allowed: refused.allowed, needed: refused.needed },
        { _tag: "BudgetExceeded", budget, allowed: needed - 1, needed }
      )
    })
  }
})

describe("request", () => {
  it("is decoded as it is", () => {
    assert.deepStrictEqual(Result.getOrThrow(decode(request)), request)
  })

  const refused: Readonly<Record<string, unknown>> = {
    "no inputs at all": { ...request, inputs: {} },
    "empty lists": { ...request, inputs: { symbols: [], sections: [] } },
    "an unknown key": { ...request, urgent: true },
    "an unknown key of a reference": { ...request, inputs: { symbols: [{ symbol_id: "@A/b", size: 1 }] } },
    "an unknown budget": { ...request, budgets: { max_time: 1 } },
    "a budget of nothing": { ...request, budgets: { max_steps: 0 } },
    "a fractional budget": { ...request, budgets: { max_bytes: 1.5 } },
    "an empty request id": { ...request, request_id: "" },
    "an intent with U+0000": { ...request, intent: "a\u0000" },
    "a slice within constraints": {
      ...request,
      inputs: { symbols: [{ symbol_id: "@A/b", constraints: { slice: "head(1)" } }] }
    },
    "a float in constraints": {
      ...request,
      inputs: { symbols: [{ symbol_id: "@A/b", constraints: { weight: 0.5 } }] }
    },
    "a float deep in expected outputs": {
      ...request,
      inputs: { sections: [{ section_id: section, expected_outputs: { a: [{ b: 1.25 }] } }] }
    },
    "an integer that is not exact": {
      ...request,
      inputs: { symbols: [{ symbol_id: "@A/b", expected_outputs: { count: 2 ** 53 } }] }
    }
  }
  for (const [name, given] of Object.entries(refused)) {
    it(`refuses ${name}`, () => {
      assert.isTrue(Result.isFailure(decode(given)))
    })
  }
})
