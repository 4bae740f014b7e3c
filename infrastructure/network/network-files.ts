// The network of a configuration file: its cassettes registered with the hub, and the configuration watched, so that a
// change is taken over while questions run. A configuration that does not decode changes nothing.
import { realpathSync, statSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Network, type NetworkShape } from "../../application/network/network.ts"
import { Stemming } from "../../application/network/stemming.ts"
import type { NetworkConfiguration } from "../../domain/network/configuration.ts"
import type { ConfigurationMissing, InvalidConfiguration } from "../../domain/network/errors.ts"
import { realSleep } from "../sqlite/real-time.ts"
import { readConfiguration } from "./configuration-file.ts"
import { cassetteOf, type ConfiguredCassette, configuredCassette, rootOf } from "./configured-cassettes.ts"
import { englishStem } from "./english-stems.ts"

/** The stemmer that documents and questions share. */
export const englishStemmingLayer: Layer.Layer<Stemming> = Layer.succeed(Stemming, { stem: englishStem })

export interface NetworkFileOptions {
  /** The configuration file, absolute. */
  readonly file: string
  /** The folder that bounds sources and local cassettes; by default the one that holds CORTEX/. */
  readonly root?: string | undefined
  /** How long a child may take for one request (milliseconds). */
  readonly deadlineMillis?: number | undefined
  /** True: changes of the configuration are taken over while the network runs. */
  readonly watch?: boolean | undefined
}

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

/** Registers every cassette of the file, swaps changed ones and takes away those that are gone. */
const applyNetworkFile = Effect.fnUntraced(function* (
  network: NetworkShape,
  { cassettes }: NetworkFile,
  before: NetworkFile | undefined,
  deadlineMillis: number | undefined
) {
  const spelled = (configured: ConfiguredCassette | undefined) => JSON.stringify(configured)
  const known = new Map(before?.cassettes.map((each) => [each.id, spelled(each)]))
  for (const configured of cassettes) {
    if (known.get(configured.id) === spelled(configured)) continue
    // Ids are those of the configuration's Schema.
    yield* Effect.orDie(network.swap(cassetteOf(configured, deadlineMillis)))
  }
  const wanted = new Set(cassettes.map(({ id }) => id))
  for (const { id } of before?.cassettes ?? []) {
    if (!wanted.has(id)) yield* Effect.ignore(network.unregister(id))
  }
})

/** How often the configuration file is looked at (milliseconds). */
const WATCH_INTERVAL_MILLIS = 500

/** What tells one state of a file from another without reading it. */
const fileState = (file: string): string => {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
}

/** Takes over every change of the configuration; questions that run end on the cassettes that they began with. */
const watchNetworkFile = Effect.fnUntraced(function* (
  network: NetworkShape,
  options: NetworkFileOptions,
  first: NetworkFile,
  firstState: string
): Effect.fn.Return<never> {
  let current = first
  let state = firstState
  while (true) {
    yield* realSleep(WATCH_INTERVAL_MILLIS)
    const now = fileState(options.file)
    if (now === state) continue
    state = now
    const next = yield* Effect.result(readNetworkFile(options))
    if (next._tag === "Failure") {
      yield* Effect.logWarning(`${next.failure.message}: the network goes on as before`)
      continue
    }
    yield* applyNetworkFile(network, next.success, current, options.deadlineMillis)
    current = next.success
  }
})

/** The network of a configuration file for the scope's life; with `watch` it follows the file. */
export const openNetwork = Effect.fnUntraced(function* (
  options: NetworkFileOptions
): Effect.fn.Return<NetworkShape, ConfigurationMissing | InvalidConfiguration, Scope.Scope> {
  const state = fileState(options.file)
  const file = yield* readNetworkFile(options)
  const context = yield* Layer.build(Network.layerNoDeps.pipe(Layer.provide(englishStemmingLayer)))
  const network = Context.get(context, Network)
  yield* applyNetworkFile(network, file, undefined, options.deadlineMillis)
  if (options.watch === true) yield* Effect.forkScoped(watchNetworkFile(network, options, file, state))
  return network
})
