// The network of a configuration file for the hosts of this package: opening it, reading what it says, and keeping its cassettes.
import { existsSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { decodeInput } from "../../application/foundation/input.ts"
import { CallerAgent } from "../../application/network/caller-agent.ts"
import { CassetteFiles } from "../../application/network/keeping/cassette-files.ts"
import { configured } from "../../application/network/keeping/following.ts"
import { Network, type NetworkShape } from "../../application/network/hub.ts"
import { CassetteKeeping } from "../../application/network/keeping/keeping.ts"
import { Identifier } from "../../domain/canonical/text.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { UnsupportedNode } from "../../domain/foundation/storage-errors.ts"
import type { ConfigurationMissing, InvalidConfiguration } from "../../domain/network/errors.ts"
import { configurationSource } from "../../infrastructure/network/configuration-source.ts"
import { hubPartsLayer } from "../../infrastructure/network/hub-parts.ts"
import { cassetteFiles } from "../../infrastructure/network/kept-network.ts"
import type { NetworkFilePlace } from "../../infrastructure/network/network-files.ts"
import { supportedNode } from "../../infrastructure/sqlite/connection/supported-node.ts"

/**
 * Which configuration is opened, for which agent. `deadlineMillis` is how long a cassette may take, in
 * milliseconds; `watch` follows its changes.
 */
export interface NetworkFileOptions extends NetworkFilePlace {
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
  const { agent = null, childProgram, deadlineMillis, watch = false } = options
  const hub = yield* Layer.build(
    Network.layerNoDeps.pipe(Layer.provide([hubPartsLayer, Layer.succeed(CallerAgent, agent)]))
  )
  const source = configurationSource(options, { deadlineMillis, childProgram, agent })
  return yield* configured(Context.get(hub, Network), source, { watch })
})

/** The service that keeps the cassettes of a configuration file; each of its tasks reads the file again. */
export const keepingLayer = (options: NetworkFileOptions): Layer.Layer<CassetteKeeping> =>
  CassetteKeeping.layerNoDeps.pipe(Layer.provide(Layer.sync(CassetteFiles, () => cassetteFiles(options))))

export { CassetteKeeping, hubPartsLayer }
export type { ConfiguredCassette } from "../../infrastructure/network/configured-cassette.ts"
export { rootOf } from "../../infrastructure/network/configured-cassettes.ts"
export { readNetworkFile } from "../../infrastructure/network/network-files.ts"
