// A configuration file as a source of cassettes that a network can follow: the file is looked at now and then.
import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import type {
  ConfigurationSource,
  ReadConfiguration
} from "../../application/network/keeping/configuration-source.ts"
import { idleSleep } from "../sqlite/connection/real-time.ts"
import { cassetteOf, type CassetteReading } from "./configured-cassettes.ts"
import { type NetworkFile, type NetworkFilePlace, readNetworkFile } from "./network-files.ts"
import { namedEmbedder } from "./vectors/configured-embedder.ts"

/** How often the configuration file is looked at (milliseconds). */
const WATCH_INTERVAL_MILLIS = 500

/** What tells one state of a file from another without reading it. */
const fileState = (file: string): string => {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
}

const readAs = (network: NetworkFile, reading: Omit<CassetteReading, "embedder">): ReadConfiguration => {
  const { compression } = network.configuration
  return {
    cassettes: network.cassettes.map((configured) => ({
      id: configured.id,
      said: JSON.stringify(configured),
      open: (embedder) => cassetteOf(configured, { ...reading, embedder })
    })),
    embedder: namedEmbedder(network),
    expansion: { maxDepth: compression?.max_expansion_depth, lazy: compression?.lazy_expansion }
  }
}

/** The configuration at a place; its cassettes are read as `reading` says. */
export const configurationSource = (
  place: NetworkFilePlace,
  reading: Omit<CassetteReading, "embedder">
): ConfigurationSource => {
  let state = ""
  return {
    // The state is taken first: a change while the file is read is one that comes later.
    read: Effect.suspend(() => {
      state = fileState(place.file)
      return Effect.map(readNetworkFile(place), (network) => readAs(network, reading))
    }),
    changed: Effect.suspend(() =>
      Effect.repeat(idleSleep(WATCH_INTERVAL_MILLIS), { until: () => fileState(place.file) !== state })
    )
  }
}
