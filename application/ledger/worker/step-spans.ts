// The span of a step that a worker has in hand, where the program brought a tracer: it belongs to the trace in which the step's
// message was posted, and is linked to the worker's own. The receipt names it, and it names the receipt.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { isJsonObject } from "../../../domain/canonical/json.ts"
import { traceparentOf } from "../../../domain/canonical/traceparent.ts"

import { type Claimed, traceOfMessage } from "../../../domain/ledger/decide.ts"
import { positionOfMessageId } from "../../../domain/ledger/ids.ts"
import { isTraced, MAX_ATTRIBUTE_CHARACTERS, spanOfTrace, tellIds } from "../../foundation/telemetry.ts"
import type { LedgerShape } from "../ledger.ts"
import type { Finished } from "./step-result.ts"

export interface StepSpan {
  /** What the receipt is recorded under. */
  readonly traceparent: string | undefined
  /** Runs the handler in the span. */
  readonly around: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Ends the span with the receipt that stands: one that is no SUCCESS is an error for who looks at traces. */
  readonly end: (receipt_id: string, result: Finished, hasFailed: boolean) => Effect.Effect<void>
}

export interface StepSpans {
  /** Works a step in a span of its own. */
  readonly during: <A, E, R>(
    step: Claimed,
    work: (span: StepSpan) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

const NO_SPAN: StepSpan = { traceparent: undefined, around: (work) => work, end: () => Effect.void }

/** The trace of a message; steps of one message are mostly worked one after another, so that of the last one is kept. */
const messageTraces = (ledger: LedgerShape) => {
  let last: { readonly message_id: string; readonly trace: string | undefined } | undefined
  return Effect.fnUntraced(function* (message_id: string) {
    if (last?.message_id === message_id) return last.trace
    const position = positionOfMessageId(message_id)
    if (position === undefined) return undefined
    // A ledger that cannot be read says so to the commands on the step; a span is no reason to end the work.
    const [event] = yield* Effect.orElseSucceed(
      Effect.withTracerEnabled(ledger.eventsAfter({ after: position - 1, limit: 1 }), false),
      () => []
    )
    const trace = event && traceOfMessage(event.data)
    last = { message_id, trace }
    return trace
  })
}

/** The tag of the error with which a handler failed; of a receipt that the handler itself has written, the outcome alone. */
const errorTypeOf = ({ outcome, receipt }: Finished, hasFailed: boolean): string => {
  const error = hasFailed ? receipt["error"] : undefined
  const tag = isJsonObject(error) ? error["_tag"] : undefined
  return typeof tag === "string" ? tag.slice(0, MAX_ATTRIBUTE_CHARACTERS) : outcome
}

const stepSpan = (span: Tracer.Span): StepSpan => ({
  traceparent: traceparentOf(span),
  around: (work) => Effect.provideService(work, Tracer.ParentSpan, span),
  end: (receipt_id, result, hasFailed) =>
    Effect.map(Clock.currentTimeNanos, (now) => {
      const { outcome } = result
      tellIds(span, { receipt_id, outcome })
      if (outcome === "SUCCESS") return
      span.attribute("error.type", errorTypeOf(result, hasFailed))
      span.end(now, Exit.fail(outcome))
    })
})

/** The spans of the steps of a worker. */
export const stepSpans = (ledger: LedgerShape): Effect.Effect<StepSpans> =>
  Effect.withFiber((fiber) => {
    if (!isTraced(fiber)) return Effect.succeed({ during: (_step, work) => work(NO_SPAN) })
    const traceOf = messageTraces(ledger)
    const worker = Option.toArray(Context.getOption(fiber.context, Tracer.ParentSpan))
    const links = worker.map((span) => ({ span, attributes: {} }))
    return Effect.succeed({
      during: (step, work) =>
        Effect.flatMap(traceOf(step.message_id), (trace) => {
          const parent = spanOfTrace(trace)
          const place = parent === undefined ? { root: true } : { parent }
          return Effect.useSpan(
            "cassette.worker.step",
            {
              ...place,
              links,
              kind: "consumer",
              attributes: { "gen_ai.operation.name": "invoke_agent" }
            },
            (span) => {
              tellIds(span, step)
              tellIds(span, step.lease)
              return work(stepSpan(span))
            }
          )
        })
    })
  })
