// Opens the network of the configuration that the flags name, for one command. Cassettes that do not answer are told on
// standard error, once each, in the words that the network logs.
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { NetworkShape } from "../../../application/network/hub.ts"
import type { CassetteAnswer } from "../../../domain/network/cassette.ts"
import { CassetteKeeping, keepingLayer, openNetwork, readNetworkFile } from "../../embedding/network-files.ts"
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

/** Runs `use` on the service that keeps the cassettes of the configuration that the flags name. */
export const withKeeping = Effect.fnUntraced(function* <A, E, R>(
  use: (keeping: CassetteKeeping["Service"]) => Effect.Effect<A, E, R>
) {
  const options = yield* networkFileOptions
  return yield* Effect.provide(Effect.flatMap(CassetteKeeping, use), keepingLayer(options))
})

/** Tells which cassettes did not answer, or from a part alone, and why. */
export const warnOfAnswers = (answers: Readonly<Record<string, CassetteAnswer>>) =>
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
