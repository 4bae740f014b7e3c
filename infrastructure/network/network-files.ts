// Reads the configuration file of a network and finds out where its cassettes lie. It opens none of them.
import { realpathSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { NetworkConfiguration } from "../../domain/network/configuration.ts"
import type { ConfigurationMissing, InvalidConfiguration } from "../../domain/network/errors.ts"
import { readConfiguration } from "./configuration-file.ts"
import { configuredCassette, rootOf } from "./configured-cassettes.ts"
import type { ConfiguredCassette } from "./configured-cassette.ts"

export interface NetworkFilePlace {
  /** The configuration file, absolute. */
  readonly file: string
  /** The folder that bounds sources and local cassettes; by default the one that holds CORTEX/. */
  readonly root?: string | undefined
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
}: NetworkFilePlace): Effect.Effect<NetworkFile, ConfigurationMissing | InvalidConfiguration> =>
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
