// The one envelope of every tool: {ok:true,data} or {ok:false,error:{code,message,details}}, as text and as structured
// content, the same that the command line prints. What went wrong inside is logged and never shown with a stack.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { CallToolResult } from "effect/ai/McpSchema"
import { type ErrorDocument, errorDocument } from "../cli/envelope.ts"
import type { AgentTool, ToolServices } from "./tool.ts"

type Envelope =
  | { readonly ok: true; readonly data: object }
  | { readonly ok: false; readonly error: ErrorDocument }

const toolResult = (envelope: Envelope): CallToolResult =>
  new CallToolResult({
    isError: !envelope.ok,
    structuredContent: envelope,
    content: [{ type: "text", text: JSON.stringify(envelope) }]
  })

const failed = (error: ErrorDocument): CallToolResult => toolResult({ ok: false, error })

const internal: ErrorDocument = {
  code: "INTERNAL",
  message: "Something went wrong inside the server: its standard error says what",
  details: {}
}

/** Calls a tool; every ending but an interruption is a result. */
export const callTool = (
  tool: AgentTool,
  input: unknown
): Effect.Effect<CallToolResult, never, ToolServices> =>
  tool.call(input).pipe(
    Effect.map((data) => toolResult({ ok: true, data })),
    Effect.withSpan(`mcp.${tool.name}`),
    Effect.catchCause((cause) => {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      if (error !== undefined) return Effect.succeed(failed(errorDocument(error)))
      return Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.as(Effect.logError(`tool ${tool.name}`, cause), failed(internal))
    })
  )

const ErrorInEnvelope = Schema.Struct({
  code: Schema.String.annotate({ description: "stable, for programs", examples: ["NO_PENDING_STEP"] }),
  message: Schema.String.annotate({ description: "for people: what is the fact, and what to do" }),
  details: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "the error's own fields" })
})

/** The Schema of what a tool answers. */
export const envelopeOf = (tool: AgentTool) =>
  Schema.Struct({
    ok: Schema.Boolean,
    data: Schema.optionalKey(tool.data),
    error: Schema.optionalKey(ErrorInEnvelope)
  })
