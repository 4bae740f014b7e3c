// In which trace an event is recorded: the one that the command names, else the span of the call where the program brought a
// tracer, else the span from outside that the call stands in, else none.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { traceparentOf } from "../../domain/canonical/traceparent.ts"
import { type KeptSpan, keepingTracer } from "../foundation/testing/spans.ts"
import type { LedgerShape } from "./ledger.ts"
import { openLedger, post, run } from "./testing/ledgers.ts"

const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
const outside = Tracer.externalSpan({ traceId: "c".repeat(32), spanId: "d".repeat(16), sampled: true })
const done = { receipt_payload: { done: true }, outcome: "SUCCESS" } as const

/** Posts, claims and completes, in one call each. */
const day = (ledger: LedgerShape, traceparent?: string) =>
  Effect.gen(function* () {
    yield* ledger.postMessage({ run_id: run, source: "USER", payload: { n: 1 }, traceparent })
    const { lease } = yield* ledger.claimStep({ run_id: run, worker_id: "w", wait: "1 second", traceparent })
    yield* ledger.completeStep({ ...lease, ...done, traceparent })
  })

const traces = (ledger: LedgerShape) =>
  Effect.map(ledger.eventsAfter({ run_id: run }), (events) =>
    events.map(({ data }) => (JSON.parse(data) as { readonly traceparent?: string }).traceparent)
  )

const ownTraces = (spans: ReadonlyArray<KeptSpan>, ...names: ReadonlyArray<string>) =>
  names.map((name) => {
    const span = spans.find((each) => each.name === `cassette.ledger.${name}`)
    return span && traceparentOf(span)
  })

describe("the trace of an event", () => {
  it.effect("is that of the call's span where the program brought a tracer", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { spans, tracer } = keepingTracer()
      yield* day(ledger).pipe(Effect.withSpan("program"), Effect.withTracer(tracer))
      assert.deepStrictEqual(
        yield* traces(ledger),
        ownTraces(spans, "postMessage", "claimStep", "completeStep")
      )
      assert.strictEqual(new Set(spans.map(({ traceId }) => traceId)).size, 1)
      assert.strictEqual((yield* ledger.verifyCassette()).verdict, "PASS")
    })
  )

  it.effect("is one for all commands of a batch", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { spans, tracer } = keepingTracer()
      yield* Effect.withTracer(
        ledger.commands([
          { _tag: "PostMessage", run_id: run, source: "USER", payload: {} },
          { _tag: "PostMessage", run_id: run, source: "USER", payload: {}, traceparent: given },
          { _tag: "ClaimStep", run_id: run, worker_id: "w" }
        ]),
        tracer
      )
      const [own] = ownTraces(spans, "commands")
      assert.isDefined(own)
      assert.deepStrictEqual(yield* traces(ledger), [own, given, own])
    })
  )

  it.effect("is the one that the command names, before any span", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { tracer } = keepingTracer()
      yield* day(ledger, given).pipe(Effect.withParentSpan(outside), Effect.withTracer(tracer))
      assert.deepStrictEqual(yield* traces(ledger), [given, given, given])
    })
  )

  it.effect("is the span from outside where the program has no tracer", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      yield* day(ledger).pipe(Effect.withSpan("program"), Effect.withParentSpan(outside))
      const name = traceparentOf(outside)
      assert.deepStrictEqual(yield* traces(ledger), [name, name, name])
    })
  )

  it.effect("is none without a tracer, and where tracing is turned off", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { spans, tracer } = keepingTracer()
      yield* Effect.withSpan(day(ledger), "program")
      yield* day(ledger).pipe(
        Effect.withTracerEnabled(false),
        Effect.withSpan("program"),
        Effect.withTracer(tracer)
      )
      assert.deepStrictEqual(
        yield* traces(ledger),
        Array.from({ length: 6 }, () => undefined)
      )
      assert.deepStrictEqual(
        spans.map(({ name }) => name),
        ["program"]
      )
    })
  )

  it.effect("says whether its span is kept", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { spans, tracer } = keepingTracer()
      yield* post(ledger).pipe(Effect.withSpan("program", { sampled: false }), Effect.withTracer(tracer))
      const [trace] = yield* traces(ledger)
      assert.match(trace ?? "", /-00$/)
      assert.deepStrictEqual([trace], ownTraces(spans, "postMessage"))
    })
  )

  it.effect("does not make a repeated message another one", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { tracer } = keepingTracer()
      const command = { run_id: run, source: "USER", payload: { n: 1 }, idempotency_key: "k" } as const
      const first = yield* Effect.withTracer(ledger.postMessage(command), tracer)
      const again = yield* Effect.withTracer(ledger.postMessage(command), tracer)
      assert.deepStrictEqual(again, { ...first, created: false })
      assert.deepStrictEqual(yield* ledger.postMessage(command), again)
    })
  )
})

describe("the span of a call", () => {
  it.effect("has the ids of what was asked and answered, by the names that tools know", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { spans, tracer } = keepingTracer()
      yield* Effect.withTracer(day(ledger), tracer)
      yield* Effect.withTracer(ledger.messages(run), tracer)
      const [message] = yield* ledger.messages(run)
      const [receipt] = yield* ledger.receipts({ run_id: run })
      const attributes = Object.fromEntries(
        spans.map((span) => [span.name, Object.fromEntries(span.attributes)])
      )
      const step = {
        "gen_ai.conversation.id": run,
        "gen_ai.agent.id": "w",
        "cassette.step.id": receipt?.step_id,
        "cassette.fencing_token": 1
      }
      const { job_id, message_id } = { ...message, job_id: receipt?.step_id.replace(/^step|\.\d+$/g, "") }
      assert.deepStrictEqual(attributes, {
        "cassette.ledger.postMessage": {
          "gen_ai.conversation.id": run,
          "cassette.message.id": message_id,
          "cassette.message.position": 2,
          "cassette.job.id": `job${job_id}`
        },
        "cassette.ledger.claimStep": {
          ...step,
          "cassette.message.id": message_id,
          "cassette.message.position": 2,
          "cassette.job.id": `job${job_id}`
        },
        "cassette.ledger.completeStep": {
          ...step,
          "cassette.outcome": "SUCCESS",
          "cassette.receipt.id": receipt?.receipt_id
        },
        "cassette.ledger.messages": { "gen_ai.conversation.id": run }
      })
    })
  )

  it.effect("says in a word why the call was refused", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { spans, tracer } = keepingTracer()
      const refused: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        ledger.claimStep({ run_id: run, worker_id: "w" }),
        ledger.postMessage({ run_id: "x".repeat(1_000), source: "USER", payload: {} }),
        ledger.messages("")
      ]
      for (const call of refused) yield* Effect.flip(Effect.withTracer(call, tracer))
      assert.deepStrictEqual(
        spans.map(({ attributes }) => Object.fromEntries(attributes)),
        [
          { "gen_ai.conversation.id": run, "gen_ai.agent.id": "w", "error.type": "NoPendingStep" },
          { "error.type": "InvalidInput" },
          { "gen_ai.conversation.id": "", "error.type": "InvalidInput" }
        ]
      )
    })
  )
})
