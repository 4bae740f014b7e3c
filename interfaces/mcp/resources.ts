// What a client can read by address instead of calling a tool: a run at a glance, a bundle, the state of a cassette.
// Addresses are stable; what they show is as of the moment of reading. An address that leads nowhere is an error with the
// same code and sentence as a tool's. What is read has the same budget as a tool's answer; `?max_bytes=N` asks for more. Keys
// are completed from what there is.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import { JobNotFound, RunNotFound } from "../../domain/ledger/errors.ts"
import { UnknownCassette } from "../../domain/network/errors.ts"
import { currentTarget } from "../shared/current-target.ts"
import {
  DEFAULT_ANSWER_BYTES,
  MAX_ANSWER_BYTES,
  MIN_ANSWER_BYTES,
  withinBudget
} from "../../domain/canonical/answer-budget.ts"
import { CorpusAccess } from "./corpus-access.ts"
import type { ToolFailure } from "./failures.ts"
import {
  cassetteKeys,
  folderKeys,
  jobKeys,
  type Keys,
  NO_KEYS,
  runKeys,
  symbolKeys
} from "./resource-keys.ts"
import { failureDocument } from "./result.ts"
import { LedgerAccess } from "./ledger-access.ts"
import { openNetwork } from "./network-access.ts"
import { tellingProgress } from "./progress.ts"
import { pathInRoot } from "./root-folder.ts"
import type { ToolServices } from "./tools/tool.ts"

/** A kind of resource: the addresses that begin with a prefix, and what stands behind each as JSON. */
interface ResourceKind {
  /** Followed by the key, percent-encoded; a bundle's path may show its slashes. */
  readonly prefix: `cortex://${string}/`
  readonly parameter: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly read: (key: string) => Effect.Effect<object, ToolFailure, ToolServices>
  /** Keys that begin with a text, the first ones in order. */
  readonly keys: (prefix: string) => Effect.Effect<Keys, ToolFailure, ToolServices>
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
    }),
  keys: runKeys
}

const job: ResourceKind = {
  prefix: "cortex://job/",
  parameter: "job_id",
  name: "job",
  title: "A job at a glance",
  description: "How many steps of one job wait, are leased and are finished, and their outcomes",
  read: (job_id) =>
    Effect.gen(function* () {
      const { ledger } = yield* LedgerAccess.use(({ open }) => open("existing"))
      return (yield* ledger.jobStatus(job_id)) ?? (yield* new JobNotFound({ run_id: null, job_id }))
    }),
  keys: jobKeys
}

const symbol: ResourceKind = {
  prefix: "cortex://symbol/",
  parameter: "symbol_id",
  name: "symbol",
  title: "What a symbol means now",
  description: "The file, lines and section that a symbol of the corpus means now; corpus_resolve reads them",
  read: (symbol_id) =>
    Effect.gen(function* () {
      const { corpus } = yield* CorpusAccess.use(({ open }) => open)
      return { symbol_id, ...(yield* currentTarget(corpus, symbol_id)) }
    }),
  keys: symbolKeys
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
      const { bundleFilesLayer } = yield* Effect.promise(() => import("../embedding/bundle-files.ts"))
      const { manifest = null, report } = yield* Effect.provide(verifyBundle(inside), bundleFilesLayer)
      return { report, manifest: report.verdict === "PASS" ? manifest : null }
    }),
  keys: folderKeys
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
    }),
  keys: cassetteKeys
}

const kinds: ReadonlyArray<ResourceKind> = [run, job, symbol, bundle, cassette]

const refusal = (failure: ToolFailure) =>
  Effect.map(
    failureDocument(failure),
    ({ code, message }) => new McpSchema.InvalidParams({ message: `${code}: ${message}` })
  )

const MAX_BYTES = /\?max_bytes=([0-9]{1,7})$/

/** The key of an address and how long its text may be (bytes). */
const asked = (uri: string, prefix: string) => {
  const rest = uri.slice(prefix.length)
  const wanted = Number(MAX_BYTES.exec(rest)?.[1] ?? DEFAULT_ANSWER_BYTES)
  return {
    // The router lets no address pass whose escapes cannot be read.
    key: decodeURIComponent(rest.replace(MAX_BYTES, "")),
    bytes: Math.min(Math.max(wanted, MIN_ANSWER_BYTES), MAX_ANSWER_BYTES)
  }
}

const contentsOf = (uri: string, { prefix, read }: ResourceKind) => {
  const { bytes, key } = asked(uri, prefix)
  return Effect.map(read(key), (value) => {
    const more = `for more read ${prefix}…?max_bytes=N, at most ${MAX_ANSWER_BYTES}`
    const text = JSON.stringify(withinBudget(value, bytes, { more }))
    return { contents: [{ uri, mimeType: "application/json", text }] }
  })
}

/** What is proposed for a key; nothing where there is nothing yet to ask. */
const completed = (keys: Effect.Effect<Keys, ToolFailure, ToolServices>) =>
  Effect.map(
    Effect.catch(keys, () => Effect.succeed(NO_KEYS)),
    ({ hasMore, values }) => McpSchema.CompleteResult.make({ completion: { values, hasMore } })
  )

/** Registers every kind of resource. */
export const registerResources: Effect.Effect<void, never, McpServer.McpServer | ToolServices> = Effect.gen(
  function* () {
    const server = yield* McpServer.McpServer
    const services = yield* Effect.context<ToolServices>()
    for (const kind of kinds) {
      const { description, keys, name, parameter, prefix, title } = kind
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
        completions: {
          [parameter]: (begin) => Effect.provideContext(completed(keys(begin)), services)
        },
        handle: (uri) =>
          contentsOf(uri, kind).pipe(
            Effect.catch((failure) => Effect.flatMap(refusal(failure), Effect.fail)),
            Effect.provideContext(services),
            (reading) => tellingProgress(server, `reading ${name}`, reading)
          )
      })
    }
  }
)
