// The server: registers tools and resources, speaks the protocol over lines of standard input and output, and ends when
// the input ends. Everything that belongs to Effect's server is in this file and in `result.ts`; tools know nothing of it.
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import type { HostShape } from "../cli/host.ts"
import { packageVersion } from "../cli/version.ts"
import { lineStdio } from "./line-stdio.ts"
import { callTool, envelopeOf } from "./result.ts"
import { registerResources } from "./resources.ts"
import type { AgentTool, ToolServices } from "./tool.ts"

/** What the server says it is for. */
const INSTRUCTIONS =
  "An audit-grade work ledger and memory. Post work with message_post; before you work on a step, step_claim it; finish it with step_complete and a receipt. Record why you act with thought_record. Read documents in bounded pieces with corpus_resolve, or have them read with plan_submit. Search what is known with semantic_search, remember with memory_save and memory_query. Nothing that is recorded can be changed or deleted. Every tool answers {ok:true,data} or {ok:false,error:{code,message,details}}."

const jsonSchema = (schema: Schema.Top, onExcessProperty: "error" | "ignore") => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}

/** A tool as the protocol lists it. */
export const describeTool = (tool: AgentTool): McpSchema.Tool =>
  new McpSchema.Tool({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: Schema.decodeUnknownSync(McpSchema.ToolJson)(jsonSchema(tool.input, "error")),
    outputSchema: Schema.decodeUnknownSync(McpSchema.ToolOutputJson)(jsonSchema(envelopeOf(tool), "ignore")),
    annotations: {
      title: tool.title,
      readOnlyHint: tool.hints.readOnly,
      destructiveHint: tool.hints.destructive,
      idempotentHint: tool.hints.idempotent,
      openWorldHint: false
    }
  })

const registrations = (tools: ReadonlyArray<AgentTool>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const services = yield* Effect.context<ToolServices>()
      const taken = new Set<string>()
      for (const tool of tools) {
        if (taken.has(tool.name)) yield* Effect.die(new Error(`two tools are called ${tool.name}`))
        taken.add(tool.name)
        yield* server.addTool({
          tool: describeTool(tool),
          annotations: Context.empty(),
          handle: (input) => Effect.provideContext(callTool(tool, input ?? {}), services)
        })
      }
      yield* registerResources
    })
  )

const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05,
  McpProtocol.v2026_07_28
] as const

/** Runs the server until its input ends; what was asked before is answered first. */
export const serve = Effect.fnUntraced(function* (host: HostShape, tools: ReadonlyArray<AgentTool>) {
  const server = McpServer.layerStdio({
    name: "cortex",
    version: packageVersion(),
    instructions: INSTRUCTIONS,
    protocols,
    registrations: registrations(tools)
  }).pipe(Layer.provide(Layer.succeed(Stdio.Stdio, lineStdio(host))))
  // At the end of its input the transport interrupts the fiber that started it, once everything is answered.
  const running = yield* Effect.forkChild(Layer.launch(server))
  const exit = yield* Fiber.await(running)
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
    return yield* Effect.die(Cause.squash(exit.cause))
  }
})
