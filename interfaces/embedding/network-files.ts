// The network of a configuration file for the hosts of this package: opening it, reading what it says, and keeping its cassettes.
import * as Layer from "effect/Layer"
import { CassetteFiles } from "../../application/network/cassette-files.ts"
import { CassetteKeeping } from "../../application/network/keeping.ts"
import { cassetteFiles } from "../../infrastructure/network/kept-network.ts"
import type { NetworkFileOptions } from "../../infrastructure/network/network-files.ts"

/** The service that keeps the cassettes of a configuration file; each of its tasks reads the file again. */
export const keepingLayer = (options: NetworkFileOptions): Layer.Layer<CassetteKeeping> =>
  CassetteKeeping.layerNoDeps.pipe(Layer.provide(Layer.sync(CassetteFiles, () => cassetteFiles(options))))

export { CassetteKeeping }
export type { ConfiguredCassette } from "../../infrastructure/network/configured-cassette.ts"
export { rootOf } from "../../infrastructure/network/configured-cassettes.ts"
export {
  type NetworkFileOptions,
  type NetworkOpenError,
  openNetwork,
  readNetworkFile
} from "../../infrastructure/network/network-files.ts"
