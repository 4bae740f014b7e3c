// What a client can read by address instead of calling a tool: a run at a glance, a bundle, the state of a cassette.
// Addresses are stable; what they show is as of the moment of reading. An address that leads nowhere is an error with the
// same code and sentence as a tool's.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import { RunNotFound } from "../../domain/ledger/errors.ts"
import { UnknownCassette } from "../../domain/network/errors.ts"
import { errorDocument } from "../cli/envelope.ts"
import type { ToolFailure } from "./failures.ts"
import { LedgerAccess } from "./ledger-access.ts"
import { openNetwork } from "./network-access.ts"
import { pathInRoot } from "./root-folder.ts"
import type { ToolServices } from "./tool.ts"

/** A kind of resource: the addresses that begin with a prefix, and what stands behind each as JSON. */
interface ResourceKind {
  /** Followed by the key, percent-encoded; a bundle's path may show its slashes. */
  readonly prefix: `cortex://${string}/`
  readonly parameter: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly read: (key: string) => Effect.Effect<object, ToolFailure, ToolServices>
}

const run: ResourceKind = {
  prefix: "cortex://run/",
  parameter: "run_id",
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

const bundle: ResourceKind = {
  prefix: "cortex://bundle/",
  parameter: "path",
  name: "bundle",
  title: "A bundle, verified",
  description:
    "The report of verifying the bundle at a path inside the root, and its manifest; null unless the verdict is PASS, since nothing that it says could be believed",
  read: (path) =>
    Effect.gen(function* () {
      const inside = yield* pathInRoot("path", path)
      const { verifyBundle } = yield* Effect.promise(
        () => import("../../application/bundles/verify-bundle.ts")
      )
      const { readingServices } = yield* Effect.promise(() => import("../cli/bundle/verified-bundle.ts"))
      const { manifest = null, report } = yield* Effect.provide(verifyBundle(inside), readingServices)
      return { report, manifest: report.verdict === "PASS" ? manifest : null }
    })
}

const cassette: ResourceKind = {
  prefix: "cortex://cassette/",
  parameter: "id",
  name: "cassette",
  title: "A cassette's state",
  description: "Whether a cassette of the network answers, what it holds and what it can do",
  read: (id) =>
    Effect.gen(function* () {
      const network = yield* openNetwork
      const health = yield* network.status
      return (
        health.find(({ cassette_id }) => cassette_id === id) ??
        (yield* new UnknownCassette({
          cassettes: [id],
          known: health.map(({ cassette_id }) => cassette_id)
        }))
      )
    })
}

const kinds: ReadonlyArray<ResourceKind> = [run, bundle, cassette]

const refusal = (failure: ToolFailure): McpSchema.InvalidParams => {
  const { code, message } = errorDocument(failure)
  return new McpSchema.InvalidParams({ message: `${code}: ${message}` })
}

/** Registers every kind of resource. */
export const registerResources: Effect.Effect<void, never, McpServer.McpServer | ToolServices> = Effect.gen(
  function* () {
    const server = yield* McpServer.McpServer
    const services = yield* Effect.context<ToolServices>()
    for (const { description, name, parameter, prefix, read, title } of kinds) {
      yield* server.addResourceTemplate({
        template: new McpSchema.ResourceTemplate({
          uriTemplate: `${prefix}{${parameter}}`,
          name,
          title,
          description,
          mimeType: "application/json"
        }),
        annotations: Context.empty(),
        // The server's router takes a colon for a parameter unless it is doubled.
        routerPath: `${prefix.replace(":", "::")}*`,
        completions: {},
        handle: (uri) =>
          // The router lets no address pass whose escapes cannot be read.
          read(decodeURIComponent(uri.slice(prefix.length))).pipe(
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
