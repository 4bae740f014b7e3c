// The port to a configuration that a network follows: what it names when it is read, and when it is no longer so.
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ConfigurationMissing, InvalidConfiguration } from "../../../domain/network/errors.ts"
import type { EmbedderIdentity } from "../../../domain/network/vectors.ts"
import type { Cassette } from "../cassette.ts"
import type { EmbedderShape } from "../embedder.ts"
import type { ExpansionOptions } from "../symbols/symbol-resolution.ts"

/** A cassette that a configuration names. */
interface NamedCassette {
  readonly id: string
  /** All that the configuration says of it, as one text: with another one it is opened again. */
  readonly said: string
  /** Opens it for questions in a network whose vectors this embedder makes. */
  readonly open: (embedder: EmbedderIdentity | undefined) => Cassette
}

/** The embedder that a configuration names, if it names one. */
export interface NamedEmbedder {
  /** All that the configuration says of it, as one text: with another one it is started again. */
  readonly said: string
  /** Starts it for the scope's life; undefined when none is named. */
  readonly start: Effect.Effect<EmbedderShape | undefined, never, Scope.Scope>
}

/** A configuration as it was read. */
export interface ReadConfiguration {
  readonly cassettes: ReadonlyArray<NamedCassette>
  readonly embedder: NamedEmbedder
  /** How far symbols are followed. */
  readonly expansion: ExpansionOptions
}

export interface ConfigurationSource {
  readonly read: Effect.Effect<ReadConfiguration, ConfigurationMissing | InvalidConfiguration>
  /** Ends when the configuration may differ from what was read last. */
  readonly changed: Effect.Effect<void>
}
