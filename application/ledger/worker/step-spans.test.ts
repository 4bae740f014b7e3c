// What a host's tracer sees of a worker: a span for each step, in the trace in which its message was posted, that the receipt names.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { traceparentOf } from "../../../domain/canonical/traceparent.ts"
import { type KeptSpan, keepingTracer } from "../../foundation/testing/spans.ts"
import { Ledger, type LedgerShape } from "../ledger.ts"
import { openLedger, run } from "../testing/ledgers.ts"
import * as Worker from "./worker.ts"

const trace = (digit: string, flags = "01") => `00-${digit.repeat(32)}-${digit.repeat(16)}-${flags}`

const posting = (ledger: LedgerShape, payload: object, traceparent?: string) =>
  ledger.postMessage({ run_id: run, source: "USER", payload: { ...payload }, traceparent })

const working = (ledger: LedgerShape, handler: Worker.Handler<unknown, never> = () => Effect.succeed({})) =>
  Worker.run({ worker_id: "w", run_id: run, untilEmpty: true }, handler).pipe(
    Effect.provideService(Ledger, ledger),
    Effect.withSpan("program")
  )

const stepsOf = (spans: ReadonlyArray<KeptSpan>) =>
  spans.filter(({ name }) => name === "cassette.worker.step")

const parentOf = ({ parent }: KeptSpan) => Option.getOrUndefined(parent)?.spanId

const receiptTraces = (ledger: LedgerShape) =>
  Effect.map(ledger.eventsAfter({ run_id: run }), (events) =>
    events
      .filter(({ type }) => type === "StepCompleted")
      .map(({ data }) => (JSON.parse(data) as { readonly traceparent?: string }).traceparent)
  )

describe("the span of a step", () => {
  it.effect("stands in the trace of its message, is linked to the worker, and is named by the receipt", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { spans, tracer } = keepingTracer()
      yield* posting(ledger, { steps: [{ n: 1 }, { n: 2 }] }, trace("a"))
      yield* posting(ledger, { n: 3 }, trace("b"))
      yield* Effect.withTracer(
        working(ledger, () => Effect.withSpan(Effect.succeed({}), "handler")),
        tracer
      )
      const steps = stepsOf(spans)
      assert.deepStrictEqual(
        steps.map((span) => [span.traceId, parentOf(span)]),
        ["a", "a", "b"].map((digit) => [digit.repeat(32), digit.repeat(16)])
      )
      assert.deepStrictEqual(yield* receiptTraces(ledger), steps.map(traceparentOf))
      const worker = spans.find(({ name }) => name === "cassette.worker.run")
      for (const step of steps) {
        assert.deepStrictEqual(
          step.links.map(({ span }) => span.spanId),
          [worker?.spanId]
        )
        assert.strictEqual(step.status._tag, "Ended")
      }
      const handlers = spans.filter(({ name }) => name === "handler")
      assert.deepStrictEqual(
        handlers.map(parentOf),
        steps.map(({ spanId }) => spanId)
      )
      assert.strictEqual((yield* ledger.verifyCassette()).verdict, "PASS")
    })
  )

  it.effect("has the ids of step and receipt", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { spans, tracer } = keepingTracer()
      const { job_id, message_id } = yield* posting(ledger, { n: 1 })
      yield* Effect.withTracer(working(ledger), tracer)
      const [receipt] = yield* ledger.receipts({ run_id: run })
      const [step] = stepsOf(spans)
      assert.deepStrictEqual(Object.fromEntries(step?.attributes ?? []), {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.id": "w",
        "gen_ai.conversation.id": run,
        "cassette.message.id": message_id,
        "cassette.job.id": job_id,
        "cassette.step.id": receipt?.step_id,
        "cassette.fencing_token": 1,
        "cassette.receipt.id": receipt?.receipt_id,
        "cassette.outcome": "SUCCESS"
      })
    })
  )

  it.effect("is the root of a trace where the message has none", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { spans, tracer } = keepingTracer()
      yield* posting(ledger, { n: 1 })
      yield* posting(ledger, { n: 2 })
      yield* Effect.withTracer(working(ledger), tracer)
      const steps = stepsOf(spans)
      assert.deepStrictEqual(steps.map(parentOf), [undefined, undefined])
      assert.strictEqual(new Set(steps.map(({ traceId }) => traceId)).size, 2)
      assert.deepStrictEqual(yield* receiptTraces(ledger), steps.map(traceparentOf))
    })
  )

  it.effect("is not kept where that of the message was not", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { spans, tracer } = keepingTracer()
      yield* posting(ledger, { n: 1 }, trace("a", "00"))
      yield* Effect.withTracer(working(ledger), tracer)
      assert.deepStrictEqual(
        stepsOf(spans).map(({ sampled }) => sampled),
        [false]
      )
      assert.deepStrictEqual(yield* receiptTraces(ledger), stepsOf(spans).map(traceparentOf))
    })
  )

  it.effect("is an error, with its tag alone, where the step failed", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { spans, tracer } = keepingTracer()
      const handlers: ReadonlyArray<Effect.Effect<Worker.Finished, unknown>> = [
        Effect.fail({ _tag: "MailRefused", message: "secret" }),
        Effect.die(new TypeError("secret")),
        Effect.succeed(Worker.finished("ABORTED", { error: { _tag: "secret" } }))
      ]
      for (const [n] of handlers.entries()) yield* posting(ledger, { n })
      yield* Effect.withTracer(
        working(ledger, ({ payload }) => handlers[Number(payload["n"])] ?? Effect.succeed({})),
        tracer
      )
      const steps = stepsOf(spans)
      assert.deepStrictEqual(
        steps.map(({ attributes }) => [attributes.get("error.type"), attributes.get("cassette.outcome")]),
        [
          ["MailRefused", "FAILURE"],
          ["TypeError", "FAILURE"],
          ["ABORTED", "ABORTED"]
        ]
      )
      for (const { status } of steps) {
        assert.isTrue(status._tag === "Ended" && status.exit._tag === "Failure")
        assert.notInclude(
          JSON.stringify(status, (_, value: unknown) => (typeof value === "bigint" ? 0 : value)),
          "secret"
        )
      }
    })
  )

  it.effect("is none without a tracer", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      yield* posting(ledger, { n: 1 }, trace("a"))
      yield* working(ledger)
      assert.deepStrictEqual(yield* receiptTraces(ledger), [undefined])
    })
  )
})
