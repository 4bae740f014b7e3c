// The server: registers tools and resources, speaks the protocol over lines of standard input and output, and ends when
// the input ends. Everything that belongs to Effect's server is in this file and in `result.ts`; tools know nothing of it.
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import type { HostShape } from "../shared/host.ts"
import { packageVersion } from "../shared/version.ts"
import { lineStdio } from "./messages/line-stdio.ts"
import { Caller } from "./caller.ts"
import { plainJsonSchema } from "./json-schema.ts"
import { openNetwork } from "./network-access.ts"
import { tellingProgress } from "./progress.ts"
import { callerSpan } from "./messages/request-metadata.ts"
import { callTool } from "./result.ts"
import { registerResources } from "./resources.ts"
import type { AgentTool, ToolServices } from "./tools/tool.ts"

/** What the server says it is for. */
const INSTRUCTIONS =
  "An audit-grade work ledger and memory. Post work with message_post; before you work on a step, step_claim it; finish it with step_complete and a receipt. Record why you act with thought_record. See what there is to read with corpus_list, read it in bounded pieces with corpus_resolve, or have it read with plan_submit. Search what is known with semantic_search, remember with memory_save and memory_query. Every tool answers {ok:true,data} or {ok:false,error:{code,message,details}} as JSON text; left_off tells what a long answer does not show, and how to go on."

/** How the network is described where it is open, and where it is not. */
const describedNetwork = Effect.fnUntraced(function* (tool: AgentTool) {
  const { ofNetwork } = tool
  if (ofNetwork === undefined) return tool.description
  const { agent } = yield* Caller
  const said = yield* openNetwork.pipe(
    Effect.flatMap(({ memoryPlaces }) => memoryPlaces),
    Effect.map((places) => ofNetwork(places, agent !== undefined)),
    Effect.catch(({ message }) => Effect.succeed(`The network cannot be opened now: ${message}`))
  )
  return `${tool.description} ${said}`
})

const listedTool = (tool: AgentTool, description: string, speaksForOne: boolean) =>
  new McpSchema.Tool({
    name: tool.name,
    title: tool.title,
    description,
    inputSchema: Schema.decodeUnknownSync(McpSchema.ToolJson)(plainJsonSchema(tool.input(speaksForOne))),
    annotations: {
      readOnlyHint: tool.hints.readOnly,
      destructiveHint: tool.hints.destructive,
      idempotentHint: tool.hints.idempotent,
      openWorldHint: false
    }
  })

/** A tool as the protocol lists it now; what it says of the network is of the one that is open. */
export const describeTool = Effect.fnUntraced(function* (tool: AgentTool) {
  const { agent } = yield* Caller
  return listedTool(tool, yield* describedNetwork(tool), agent !== undefined)
})

/** How long a list of tools waits for the network; then it is given as it was, and clients are told when it changes. */
const LIST_PATIENCE = Duration.seconds(3)

/** Brings up to date what the list of tools says of the network; run before each list. */
interface Listing {
  refresh: Effect.Effect<void>
  /** True while the first list is still to tell every change by itself. */
  tellsAll: boolean
}

/** Waits for work that goes on when it takes too long; while it runs it is not begun again. */
const waitingFor = (work: Effect.Effect<void>, life: Scope.Scope, listing: Listing): Effect.Effect<void> => {
  let running: Fiber.Fiber<void> | undefined
  return Effect.gen(function* () {
    if (running === undefined || running.pollUnsafe() !== undefined) {
      if (running !== undefined) listing.tellsAll = false
      running = yield* Effect.forkIn(work, life)
    }
    const ended = yield* Effect.timeoutOption(Fiber.await(running), LIST_PATIENCE)
    if (Option.isNone(ended)) listing.tellsAll = false
  })
}

const registrations = (tools: ReadonlyArray<AgentTool>, listing: Listing) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const services = yield* Effect.context<ToolServices>()
      const { agent } = yield* Caller
      const add = (tool: AgentTool, description: string) =>
        server.addTool({
          tool: listedTool(tool, description, agent !== undefined),
          annotations: Context.empty(),
          handle: (input) =>
            Effect.flatMap(callerSpan, (caller) =>
              tellingProgress(
                server,
                tool.name,
                Effect.provideContext(callTool(tool, input ?? {}, caller), services)
              )
            )
        })
      const listed = new Map<string, string>()
      for (const tool of tools) {
        if (listed.has(tool.name)) yield* Effect.die(new Error(`two tools are called ${tool.name}`))
        listed.set(tool.name, tool.description)
        yield* add(tool, tool.description)
      }
      yield* registerResources
      const refresh = Effect.provideContext(
        Effect.forEach(
          tools.filter(({ ofNetwork }) => ofNetwork !== undefined),
          Effect.fnUntraced(function* (tool) {
            const description = yield* describedNetwork(tool)
            if (listed.get(tool.name) === description) return
            listed.set(tool.name, description)
            yield* add(tool, description)
          }),
          { discard: true }
        ),
        services
      )
      listing.refresh = waitingFor(refresh, yield* Effect.scope, listing)
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
  const listing: Listing = { refresh: Effect.void, tellsAll: true }
  const server = McpServer.layerStdio({
    name: "cortex",
    version: packageVersion(),
    instructions: INSTRUCTIONS,
    protocols,
    registrations: registrations(tools, listing)
  }).pipe(
    Layer.provide(
      Layer.succeed(
        Stdio.Stdio,
        lineStdio(host, {
          beforeList: () => Effect.runPromise(listing.refresh),
          isListTold: () => listing.tellsAll
        })
      )
    )
  )
  // At the end of its input the transport interrupts the fiber that started it, once everything is answered.
  const running = yield* Effect.forkChild(Layer.launch(server))
  const exit = yield* Fiber.await(running)
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
    return yield* Effect.die(Cause.squash(exit.cause))
  }
})
