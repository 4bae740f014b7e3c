// What a client can read by address instead of calling a tool: one run at a glance. Addresses are stable; what they show
// is as of the moment of reading. An address that leads nowhere is an error with the same code and sentence as a tool's.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import { errorDocument } from "../cli/envelope.ts"
import { RunNotFound, type ToolFailure } from "./failures.ts"
import { LedgerAccess } from "./ledger-access.ts"
import type { ToolServices } from "./tool.ts"

/** A kind of resource: an address with one hole, and what stands behind it as JSON. */
interface ResourceKind {
  readonly uriTemplate: string
  /** The same for the server's router. */
  readonly route: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly read: (key: string) => Effect.Effect<object, ToolFailure, ToolServices>
}

const run: ResourceKind = {
  uriTemplate: "cortex://run/{run_id}",
  route: "cortex:://run/:0",
  name: "run",
  title: "A run at a glance",
  description:
    "Counts of messages, jobs and steps of one run, its oldest waiting step and its expired leases",
  read: (run_id) =>
    Effect.gen(function* () {
      const { ledger } = yield* LedgerAccess.use(({ open }) => open("existing"))
      return (yield* ledger.runSummary(run_id)) ?? (yield* new RunNotFound({ run_id }))
    })
}

const kinds: ReadonlyArray<ResourceKind> = [run]

const refusal = (failure: ToolFailure): McpSchema.InvalidParams => {
  const { code, message } = errorDocument(failure)
  return new McpSchema.InvalidParams({ message: `${code}: ${message}` })
}

/** Registers every kind of resource. */
export const registerResources: Effect.Effect<void, never, McpServer.McpServer | ToolServices> = Effect.gen(
  function* () {
    const server = yield* McpServer.McpServer
    const services = yield* Effect.context<ToolServices>()
    for (const { description, name, read, route, title, uriTemplate } of kinds) {
      yield* server.addResourceTemplate({
        template: new McpSchema.ResourceTemplate({
          uriTemplate,
          name,
          title,
          description,
          mimeType: "application/json"
        }),
        annotations: Context.empty(),
        routerPath: route,
        completions: {},
        handle: (uri, [key = ""]) =>
          read(key).pipe(
            Effect.map((value) => ({
              contents: [{ uri, mimeType: "application/json", text: JSON.stringify(value) }]
            })),
            Effect.mapError(refusal),
            Effect.provideContext(services)
          )
      })
    }
  }
)
