// The one envelope of every tool: {ok:true,data} or {ok:false,error:{code,message,details}}, the same that the command line
// prints. It is within the call's budget; what was left off is told in `left_off`, with the arguments that go on behind it.
// The text is always whole; a short answer stands beside it as structured content too. What went wrong inside is logged
// and never shown with a stack.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { CallToolResult } from "effect/ai/McpSchema"
import { isJsonObject, type JsonObject } from "../../domain/canonical/json.ts"
import { errorDocument } from "../shared/envelope.ts"
import type { ErrorDocument } from "../shared/error-document.ts"
import {
  DEFAULT_ANSWER_BYTES,
  type ReadingOn,
  MAX_ANSWER_BYTES,
  withinBudget
} from "../../domain/canonical/answer-budget.ts"
import { RootFolder } from "./root-folder.ts"
import type { AgentTool, ToolServices } from "./tools/tool.ts"

/** How long the text of an answer may be that is carried as structured content too (bytes). */
const MAX_STRUCTURED_BYTES = 4_096

const MORE_BYTES = `for more at once give max_bytes, at most ${MAX_ANSWER_BYTES}`

const moreOf = ({ defaultBytes, goesOn, readWhole }: AgentTool): string => {
  if (defaultBytes === undefined) return "what was left off is as it was given"
  const whole = readWhole === undefined ? "" : `${readWhole}; `
  return goesOn === undefined
    ? `${whole}ask for less, or ${MORE_BYTES}`
    : `${whole}call again with the arguments in next, if there are some; ${MORE_BYTES}`
}

const budgetOf = ({ defaultBytes = DEFAULT_ANSWER_BYTES }: AgentTool, input: unknown): number => {
  const { max_bytes: given } = input as { readonly max_bytes?: unknown }
  return typeof given === "number" ? given : defaultBytes
}

const toolResult = (envelope: object, isError: boolean): CallToolResult => {
  const text = JSON.stringify(envelope)
  return new CallToolResult({
    isError,
    content: [{ type: "text", text }],
    ...(Buffer.byteLength(text) <= MAX_STRUCTURED_BYTES ? { structuredContent: envelope as JsonObject } : {})
  })
}

const succeeded = (tool: AgentTool, input: unknown, data: object): CallToolResult => {
  const { goesOn } = tool
  const next: ReadingOn["next"] = ({ data: shown }, cuts) =>
    goesOn !== undefined && isJsonObject(shown) && cuts.some(({ at }) => at === `/data/${goesOn.field}`)
      ? goesOn.next(input as JsonObject, shown[goesOn.field])
      : undefined
  return toolResult(
    withinBudget({ ok: true, data }, budgetOf(tool, input), { more: moreOf(tool), next }),
    false
  )
}

const failed = (error: ErrorDocument): CallToolResult =>
  toolResult(
    withinBudget({ ok: false, error }, DEFAULT_ANSWER_BYTES, { more: "the message says what to do" }),
    true
  )

const internal: ErrorDocument = {
  code: "INTERNAL",
  message: "Something went wrong inside the server: its standard error says what",
  details: {}
}

/** Errors of what lies below the root, or does not. */
const PLACE_CODES: ReadonlySet<string> = new Set([
  "CONFIGURATION_MISSING",
  "CORPUS_MISSING",
  "FILE_MISSING",
  "PATH_OUTSIDE_ROOT",
  "READ_ONLY_STORE",
  "STORAGE_FAILURE"
])

/** What went wrong, for agents: where the root was not named, that may be why. */
export const failureDocument = (failure: Parameters<typeof errorDocument>[0]) =>
  RootFolder.use(({ isNamed, path }) => {
    const document = errorDocument(failure)
    const isOfPlace = PLACE_CODES.has(document.code)
    const advice = `This server was started without --root, so that it works in ${path}: start it with --root FOLDER if that is not meant`
    return Effect.succeed(
      isNamed || !isOfPlace ? document : { ...document, message: `${document.message}. ${advice}` }
    )
  })

/** The span of a call, by the conventions for MCP; the caller's is its parent, and the one that it runs in is linked. */
const inSpan =
  ({ name }: AgentTool, caller: Tracer.ExternalSpan | undefined) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.option(Effect.currentParentSpan), (ambient) => {
      const links = Option.toArray(ambient).map((span) => ({ span, attributes: {} }))
      return call.pipe(
        Effect.tapCause(() => Effect.annotateCurrentSpan("error.type", "tool_error")),
        Effect.withSpan(`tools/call ${name}`, {
          kind: "server",
          ...(caller === undefined ? {} : { parent: caller, links }),
          attributes: {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "mcp.method.name": "tools/call",
            "network.transport": "pipe"
          }
        })
      )
    })

/** Calls a tool in the trace of its caller; every ending but an interruption is a result. */
export const callTool = (
  tool: AgentTool,
  input: unknown,
  caller: Tracer.ExternalSpan | undefined
): Effect.Effect<CallToolResult, never, ToolServices> =>
  tool.call(input).pipe(
    Effect.map((data) => succeeded(tool, input, data)),
    inSpan(tool, caller),
    Effect.catchCause((cause) => {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      if (error !== undefined) return Effect.map(failureDocument(error), failed)
      return Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.as(Effect.logError(`tool ${tool.name}`, cause), failed(internal))
    })
  )
