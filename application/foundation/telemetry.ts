// What a host's tracer is told: the ids of a call as attributes of its span, and which trace an event is recorded in. Names are those
// of OpenTelemetry's conventions for generative AI, or begin with `cassette.`. Only fields that are listed here become attributes:
// a payload, a receipt, a text or a reason never does.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { isJsonObject } from "../../domain/canonical/json.ts"
import { type SpanName, spanNameOf, traceparentOf } from "../../domain/canonical/traceparent.ts"

/** The attribute of each field that is told; fields of inputs and of answers have the same names. */
const ATTRIBUTES = {
  agent_id: "gen_ai.agent.id",
  cassette_id: "gen_ai.memory.store.id",
  fencing_token: "cassette.fencing_token",
  job_id: "cassette.job.id",
  message_id: "cassette.message.id",
  outcome: "cassette.outcome",
  position: "cassette.position",
  receipt_id: "cassette.receipt.id",
  run_id: "gen_ai.conversation.id",
  step_id: "cassette.step.id",
  symbol: "gen_ai.memory.record.id",
  task_id: "cassette.task.id",
  thought_id: "cassette.thought.id",
  worker_id: "gen_ai.agent.id"
} as const

const FIELDS = Object.entries(ATTRIBUTES)

/** Longest text that becomes an attribute, as long as an identifier may be. Inputs are told before they are judged. */
export const MAX_ATTRIBUTE_CHARACTERS = 256

type AnyFiber = Fiber.Fiber<unknown, unknown>

/** True where the program brought a tracer; Effect's own keeps nothing. */
export const isTraced = (fiber: AnyFiber): boolean => fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer

const isShort = (told: unknown): told is string =>
  typeof told === "string" && told.length <= MAX_ATTRIBUTE_CHARACTERS

/** Tells a span which call of an agent a payload records: its name and id alone, by the form that all hosts' calls have. */
const tellCall = (span: Tracer.Span, payload: unknown): void => {
  if (!isJsonObject(payload)) return
  const { intent, op, refs } = payload
  const call = isJsonObject(refs) ? refs["call"] : undefined
  if (intent !== "execute_tool" || !isShort(op) || !isShort(call)) return
  span.attribute("gen_ai.tool.name", op)
  span.attribute("gen_ai.tool.call.id", call)
}

/** Tells a span the ids among the fields of a value. */
export const tellIds = (span: Tracer.Span, value: unknown): void => {
  if (typeof value !== "object" || value === null) return
  const fields = value as Readonly<Record<string, unknown>>
  for (const [field, attribute] of FIELDS) {
    const told = fields[field]
    if (typeof told === "number" || isShort(told)) span.attribute(attribute, told)
  }
  tellCall(span, fields["payload"])
}

/** Tells a span why it failed, in a word. */
export const tellError = (span: Tracer.Span, error: { readonly _tag: string }): void => {
  span.attribute("error.type", error._tag)
}

const ownSpan = (fiber: AnyFiber): Tracer.Span | undefined => {
  const span = Context.getOption(fiber.context, Tracer.ParentSpan)
  return Option.isSome(span) && span.value._tag === "Span" ? span.value : undefined
}

const isTagged = (error: unknown): error is { readonly _tag: string } =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"

/** Tells the current span the ids of the arguments, and of an answer that is an object, and why it failed. */
export const told = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  ...args: ReadonlyArray<unknown>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const span = isTraced(fiber) ? ownSpan(fiber) : undefined
    if (span === undefined) return effect
    for (const arg of args) tellIds(span, arg)
    return Effect.mapBoth(effect, {
      onSuccess: (answer) => {
        tellIds(span, answer)
        return answer
      },
      onFailure: (error) => {
        if (isTagged(error)) tellError(span, error)
        return error
      }
    })
  })

/** As `Effect.fn`, with a span that is told ids and errors. */
export const traced = (name: `cassette.${string}`): Effect.fn.Traced => {
  const fn = Effect.fn(name) as (...parts: ReadonlyArray<unknown>) => unknown
  return ((...parts: ReadonlyArray<unknown>) => fn(...parts, told)) as Effect.fn.Traced
}

/** The operations of the conventions that calls of ours are. */
type Operation = "delete_memory" | "retrieval" | "search_memory" | "upsert_memory"

/** A call in a span of its own: an operation of the conventions, with the ids among these fields and in the answer. */
export const asOperation =
  (name: `cassette.${string}`, operation: Operation, ids: Readonly<Record<string, unknown>>) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) =>
      isTraced(fiber)
        ? Effect.useSpan(name, { attributes: { "gen_ai.operation.name": operation } }, (span) =>
            Effect.provideService(told(call, ids), Tracer.ParentSpan, span)
          )
        : call
    )

const nearestFromOutside = (span: Tracer.AnySpan | undefined): SpanName | undefined => {
  if (span === undefined || span._tag === "ExternalSpan") return span
  return nearestFromOutside(Option.getOrUndefined(span.parent))
}

/**
 * The `traceparent` under which something is recorded that was given none: the call's own span where the program brought a tracer,
 * else the nearest span that came from outside, as a request's headers name it. A program without either records none.
 */
export const recordedTrace = (fiber: AnyFiber, own: Tracer.Span | undefined): string | undefined => {
  const ownTrace = own === undefined ? undefined : traceparentOf(own)
  if (ownTrace !== undefined) return ownTrace
  const outside = nearestFromOutside(
    Option.getOrUndefined(Context.getOption(fiber.context, Tracer.ParentSpan))
  )
  return outside && traceparentOf(outside)
}

/** The span that a recorded `traceparent` names, as the parent of spans. */
export const spanOfTrace = (traceparent: string | undefined): Tracer.ExternalSpan | undefined => {
  const name = traceparent === undefined ? undefined : spanNameOf(traceparent)
  return name && Tracer.externalSpan(name)
}
