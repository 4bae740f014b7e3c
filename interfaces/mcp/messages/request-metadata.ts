// What a request carries beside its arguments (`params._meta`): the token for progress, and the span of the caller, as MCP and
// OpenTelemetry agreed on it. A header that names no span is ignored, as W3C Trace Context asks: it never ends a call.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import * as McpSchema from "effect/ai/McpSchema"
import { spanOfTrace } from "../../../application/foundation/telemetry.ts"

const metadata = Effect.gen(function* () {
  const client = yield* Effect.serviceOption(McpSchema.McpServerClient)
  const context = yield* McpSchema.McpRequestContext
  return Option.isSome(client) ? client.value.requestMetadata : context.requestMetadata
})

/** The token of the request that is served; undefined when it has none. */
export const progressToken = Effect.map(metadata, (given) => {
  const token = given?.["progressToken"]
  return typeof token === "string" || typeof token === "number" ? token : undefined
})

/** The span in which the request was sent; undefined when it names none. */
export const callerSpan: Effect.Effect<Tracer.ExternalSpan | undefined, never, McpSchema.McpRequestContext> =
  Effect.map(metadata, (given) => {
    const header = given?.["traceparent"]
    return typeof header === "string" ? spanOfTrace(header) : undefined
  })
