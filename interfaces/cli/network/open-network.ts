// Opens the network of the configuration that the flags name, for one command. Cassettes that do not answer are told on
// standard error, once each, in the words that the network logs.
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { NetworkShape } from "../../../application/network/network.ts"
import type { Answer } from "../../../domain/network/cassette.ts"
import { UnknownCassette } from "../../../domain/network/errors.ts"
import type { ConfiguredCassette } from "../../../infrastructure/network/configured-cassette.ts"
import { openNetwork, readNetworkFile } from "../../../infrastructure/network/network-files.ts"
import { writeWarnings } from "../output.ts"
import { networkFileOptions } from "./network-flags.ts"

/** Runs `use` on the network that the flags name. */
export const withNetwork = Effect.fnUntraced(function* <A, E, R>(
  use: (network: NetworkShape) => Effect.Effect<A, E, R>
) {
  const options = yield* networkFileOptions
  // The command tells by itself what the network would log.
  return yield* Effect.scoped(Effect.flatMap(openNetwork(options), use)).pipe(
    Effect.provide(Logger.layer([]))
  )
})

/** The configuration that the flags name, with its cassettes. */
export const configuredNetwork = Effect.flatMap(networkFileOptions, readNetworkFile)

/** The cassettes with these ids, all when there are none. */
export const chosenCassettes = (
  cassettes: ReadonlyArray<ConfiguredCassette>,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<ConfiguredCassette>, UnknownCassette> => {
  const known = cassettes.map(({ id }) => id)
  const unknown = ids.filter((id) => !known.includes(id))
  return unknown.length > 0
    ? Effect.fail(new UnknownCassette({ cassettes: unknown, known }))
    : Effect.succeed(ids.length === 0 ? cassettes : cassettes.filter(({ id }) => ids.includes(id)))
}

/** Tells which cassettes did not answer, or from a part alone, and why. */
export const warnOfAnswers = (answers: Readonly<Record<string, Answer>>) =>
  writeWarnings(
    Object.entries(answers)
      .filter(([, { status }]) => status !== "ok")
      .map(([id, { reason = "", status }]) =>
        status === "partial"
          ? `Cassette ${id}: ${reason}`
          : status === "refused"
            ? `Cassette ${id} refused, skipping (${reason})`
            : `Cassette ${id} offline, skipping (${status}: ${reason})`
      )
  )
