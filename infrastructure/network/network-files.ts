// The network of a configuration file: its cassettes registered with the hub, and the configuration watched, so that a
// change is taken over while questions run. A configuration that does not decode changes nothing.
import { existsSync, realpathSync, statSync } from "node:fs"
import { dirname } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { decodeInput } from "../../application/foundation/input.ts"
import type { Hashing } from "../../application/foundation/hashing.ts"
import { CallerAgent } from "../../application/network/caller-agent.ts"
import type { EmbedderShape } from "../../application/network/embedder.ts"
import { Network, type NetworkShape } from "../../application/network/hub.ts"
import { Stemming } from "../../application/network/stemming.ts"
import type { ExpansionOptions } from "../../application/network/symbol-resolution.ts"
import { Identifier } from "../../domain/canonical/text.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { UnsupportedNode } from "../../domain/foundation/storage-errors.ts"
import type { NetworkConfiguration } from "../../domain/network/configuration.ts"
import type { ConfigurationMissing, InvalidConfiguration } from "../../domain/network/errors.ts"
import { EMBEDDING_NORMALIZER } from "../../domain/network/vectors.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { idleSleep } from "../sqlite/real-time.ts"
import { supportedNode } from "../sqlite/supported-node.ts"
import { commandEmbedder } from "./vectors/command-embedder.ts"
import { readConfiguration } from "./configuration-file.ts"
import { cassetteOf, type CassetteReading, configuredCassette, rootOf } from "./configured-cassettes.ts"
import type { ConfiguredCassette } from "./configured-cassette.ts"
import { englishStem } from "./index/english-stems.ts"
import type { Embedding } from "./writing/indexing.ts"
import { hashEmbedder } from "./vectors/hash-embedder.ts"

/** What every hub needs: the stemmer that documents and questions share, and hashes. */
export const hubPartsLayer: Layer.Layer<Hashing | Stemming> = Layer.merge(
  Layer.succeed(Stemming, { stem: englishStem }),
  nodeHashingLayer
)

/** The model that a configuration means when it names none. */
const DEFAULT_MODEL = "all-MiniLM-L6-v2"

export interface NetworkFileOptions {
  /** The configuration file, absolute. */
  readonly file: string
  /** The folder that bounds sources and local cassettes; by default the one that holds CORTEX/. */
  readonly root?: string | undefined
  /** How long a child may take for one request (milliseconds). */
  readonly deadlineMillis?: number | undefined
  /**
   * The program that reads an external cassette in a process of its own, for a host that is bundled into one file: the
   * bundle of the entry point `cortex-cassette/cassette-child`. By default it is looked for beside the host's bundle.
   */
  readonly childProgram?: string | undefined
  /** The agent for whom questions are asked: it sees its own memories beside those of everybody. */
  readonly agent?: string | undefined
  /** True: changes of the configuration are taken over while the network runs. */
  readonly watch?: boolean | undefined
}

/** Why a network cannot be opened. */
export type NetworkOpenError = ConfigurationMissing | InvalidConfiguration | InvalidInput | UnsupportedNode

/** A configuration that was read, with its cassettes. */
export interface NetworkFile {
  readonly file: string
  readonly root: string
  readonly configuration: NetworkConfiguration
  readonly cassettes: ReadonlyArray<ConfiguredCassette>
}

/** Reads a configuration and finds out where its cassettes lie. */
export const readNetworkFile = ({
  file,
  root = rootOf(file)
}: NetworkFileOptions): Effect.Effect<NetworkFile, ConfigurationMissing | InvalidConfiguration> =>
  Effect.map(
    Effect.suspend(() => Effect.fromResult(readConfiguration(file))),
    (configuration) => {
      const real = realpathSync(root)
      return {
        file,
        root: real,
        configuration,
        cassettes: configuration.cassettes.map((each) => configuredCassette(file, real, each))
      }
    }
  )

/** The embedder that the configuration names, for the scope's life; undefined when it names none. */
const configuredEmbedder = ({
  configuration,
  file
}: NetworkFile): Effect.Effect<EmbedderShape | undefined, never, Scope.Scope> => {
  const {
    command,
    dimensions = 384,
    embedder,
    model = DEFAULT_MODEL,
    revision = ""
  } = configuration.indexing ?? {}
  if (embedder === "test-hash-384") return Effect.succeed(hashEmbedder)
  if (embedder !== "command" || command === undefined) return Effect.succeed(undefined)
  const identity = { model, revision, dimensions, normalizer: EMBEDDING_NORMALIZER }
  return commandEmbedder({ command, cwd: dirname(file), identity })
}

/** How many texts an embedder is given at once by default. */
const DEFAULT_BATCH_SIZE = 100

/** What gives the texts of a network their vectors, for the scope's life; undefined when nobody does. */
export const configuredEmbedding = (
  network: NetworkFile
): Effect.Effect<Embedding | undefined, never, Scope.Scope> =>
  Effect.map(configuredEmbedder(network), (embedder) =>
    embedder === undefined
      ? undefined
      : { embedder, batchSize: network.configuration.indexing?.batch_size ?? DEFAULT_BATCH_SIZE }
  )

/** What decides who makes the vectors of a network. */
const embedderSettings = ({ configuration: { indexing } }: NetworkFile): string =>
  JSON.stringify([
    indexing?.embedder,
    indexing?.command,
    indexing?.model,
    indexing?.revision,
    indexing?.dimensions
  ])

/** Gives the network the embedder of the file; it lives until the network has another one, or ends. */
const applyEmbedder = Effect.fnUntraced(function* (network: NetworkShape, file: NetworkFile) {
  const life = yield* Scope.make()
  const embedder = yield* Scope.provide(configuredEmbedder(file), life)
  // The hub is open for as long as its file is followed.
  yield* Effect.orDie(network.swapEmbedder(embedder, Scope.close(life, Exit.void)))
  return embedder?.identity
}, Effect.uninterruptible)

/** A configuration that the network follows, and how it is read. */
interface Applied {
  readonly file: NetworkFile
  readonly reading: CassetteReading
}

/** Takes the file over: its embedder and all cassettes if that has changed, else only the changed cassettes. */
const applyNetworkFile = Effect.fnUntraced(function* (
  network: NetworkShape,
  file: NetworkFile,
  before: Applied | undefined,
  setting: Omit<CassetteReading, "embedder">
): Effect.fn.Return<Applied> {
  const isSameEmbedder = before !== undefined && embedderSettings(file) === embedderSettings(before.file)
  const reading: CassetteReading = isSameEmbedder
    ? before.reading
    : { ...setting, embedder: yield* applyEmbedder(network, file) }
  const spelled = (configured: ConfiguredCassette) => JSON.stringify(configured)
  const known = new Map(before?.file.cassettes.map((each) => [each.id, spelled(each)]))
  for (const configured of file.cassettes) {
    if (isSameEmbedder && known.get(configured.id) === spelled(configured)) continue
    // Ids are those of the configuration's Schema.
    yield* Effect.orDie(network.swap(cassetteOf(configured, reading)))
  }
  const wanted = new Set(file.cassettes.map(({ id }) => id))
  for (const id of known.keys()) {
    if (!wanted.has(id)) yield* Effect.ignore(network.unregister(id))
  }
  return { file, reading }
})

/** How far the configuration lets symbols be followed. */
const expansionOf = ({ configuration: { compression } }: NetworkFile): ExpansionOptions => ({
  maxDepth: compression?.max_expansion_depth,
  lazy: compression?.lazy_expansion
})

/** A network that follows symbols as far as the configuration says that is current. */
const withExpansion = (network: NetworkShape, current: () => NetworkFile): NetworkShape => ({
  ...network,
  resolveSymbol: (symbol, options) =>
    network.resolveSymbol(symbol, { ...options, ...expansionOf(current()) }),
  expandSymbols: (text, options) => network.expandSymbols(text, { ...options, ...expansionOf(current()) })
})

/** How often the configuration file is looked at (milliseconds). */
const WATCH_INTERVAL_MILLIS = 500

/** What tells one state of a file from another without reading it. */
const fileState = (file: string): string => {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
}

/** Takes over every change of the configuration; questions that run end on what they began with. */
const watchNetworkFile = Effect.fnUntraced(function* (
  network: NetworkShape,
  options: NetworkFileOptions,
  shared: { current: Applied },
  firstState: string,
  setting: Omit<CassetteReading, "embedder">
): Effect.fn.Return<never> {
  let state = firstState
  while (true) {
    yield* idleSleep(WATCH_INTERVAL_MILLIS)
    const now = fileState(options.file)
    if (now === state) continue
    state = now
    const next = yield* Effect.result(readNetworkFile(options))
    if (next._tag === "Failure") {
      yield* Effect.logWarning(`${next.failure.message}: the network goes on as before`)
      continue
    }
    shared.current = yield* applyNetworkFile(network, next.success, shared.current, setting)
  }
})

const path = Schema.String.check(Schema.isNonEmpty({ expected: "a path" }))

const program = path.check(
  Schema.makeFilter((file) => (existsSync(file) ? undefined : `there is no file ${file}`))
)

const decodeOptions = decodeInput(
  Schema.Struct({
    file: path,
    root: Schema.optional(path),
    deadlineMillis: Schema.optional(
      Schema.Finite.check(Schema.isGreaterThan(0, { expected: "milliseconds, more than 0" }))
    ),
    childProgram: Schema.optional(program),
    // An empty name would be everybody.
    agent: Schema.optional(Identifier),
    watch: Schema.optional(Schema.Boolean)
  } satisfies Record<keyof NetworkFileOptions, Schema.Top>),
  Result.succeed
)

/** The network of a configuration file for the scope's life; with `watch` it follows the file. */
export const openNetwork = Effect.fnUntraced(function* (
  given: NetworkFileOptions
): Effect.fn.Return<NetworkShape, NetworkOpenError, Scope.Scope> {
  yield* supportedNode
  const options = yield* Effect.fromResult(decodeOptions(given))
  const { agent = null, childProgram, deadlineMillis } = options
  const state = fileState(options.file)
  const file = yield* readNetworkFile(options)
  const hub = yield* Layer.build(
    Network.layerNoDeps.pipe(Layer.provide([hubPartsLayer, Layer.succeed(CallerAgent, agent)]))
  )
  const network = Context.get(hub, Network)
  const setting = { deadlineMillis, childProgram, agent }
  const shared = { current: yield* applyNetworkFile(network, file, undefined, setting) }
  if (options.watch === true)
    yield* Effect.forkScoped(watchNetworkFile(network, options, shared, state, setting))
  return withExpansion(network, () => shared.current.file)
})
