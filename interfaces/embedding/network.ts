// The cassette network for programs: the hub with the one layer that wires it to a configuration file. Cassettes of other
// stores are registered with `network.register`; anyone who brings no file takes the service from here without a layer. Configuration,
// parsers and databases load when a network is opened.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Network as NetworkService } from "../../application/network/hub.ts"
import { whileOpen } from "../../application/foundation/while-open.ts"
import { NetworkClosed } from "../../domain/network/errors.ts"
import { CassetteKeeping } from "../../application/network/keeping/keeping.ts"
import type { AskError } from "../../application/network/answers.ts"
import type { SymbolAnswer, SymbolQuestions } from "../../application/network/symbols/symbol-questions.ts"
import type { Compression, CompressionOptions } from "../../infrastructure/network/index/text-compression.ts"
import type { NetworkFileOptions, NetworkOpenError } from "./network-files.ts"

const onFiles = Effect.promise(() => import("./network-files.ts"))
const compressing = Effect.promise(() => import("../../infrastructure/network/index/text-compression.ts"))

const closed = () => new NetworkClosed()

/**
 * The cassette network, with the layer that opens a configuration's file.
 *
 * @example
 * import { mkdirSync, writeFileSync } from "node:fs"
 * import { resolve } from "node:path"
 * import * as Effect from "effect/Effect"
 * import { CassetteKeeping, Network } from "cortex-cassette/network"
 *
 * const program = Effect.gen(function* () {
 *   const keeping = yield* CassetteKeeping
 *   const network = yield* Network
 *   yield* keeping.index()
 *   const { hits } = yield* network.query("who claims a step?", 5)
 *   return hits
 * })
 *
 * mkdirSync("guides")
 * writeFileSync("guides/leases.md", "# Leases\n\nA worker claims a step under a lease.\n")
 * const cassette = '{ id: guides, path: guides.db, type: local, mutability: mutable, sources: ["guides/**"] }'
 * writeFileSync("network.yaml", `network: { version: "1.0", protocol: SNP }\ncassettes:\n  - ${cassette}\n`)
 * await Effect.runPromise(Effect.provide(program, Network.layer({ file: resolve("network.yaml") })))
 */
export class Network extends NetworkService {
  /**
   * The cassettes of a configuration file, to ask (`Network`) and to keep (`CassetteKeeping`); the scope's end closes them and ends
   * their processes.
   */
  static readonly layer = (
    options: NetworkFileOptions
  ): Layer.Layer<CassetteKeeping | NetworkService, NetworkOpenError> =>
    whileOpen(
      Layer.unwrap(
        Effect.map(onFiles, ({ keepingLayer, openNetwork }) =>
          Layer.merge(Layer.effect(NetworkService, openNetwork(options)), keepingLayer(options))
        )
      ),
      [CassetteKeeping, NetworkService],
      closed
    )

  /** A network without cassettes, for programs that register their own. */
  static readonly layerEmpty: Layer.Layer<NetworkService> = whileOpen(
    NetworkService.layerNoDeps.pipe(
      Layer.provide(Layer.unwrap(Effect.map(onFiles, ({ hubPartsLayer }) => hubPartsLayer)))
    ),
    [NetworkService],
    closed
  )
}

/** Puts symbols in the place of pieces of a text that the cassettes have; see `Network`'s `expand`. */
export const compress = (
  network: Pick<SymbolQuestions, "shortSymbols">,
  name: string,
  text: string,
  options?: CompressionOptions
): Effect.Effect<SymbolAnswer<Compression>, AskError> =>
  Effect.flatMap(compressing, ({ compress: run }) => run(network, name, text, options))

export { CassetteKeeping }
export type {
  CassetteKeepingShape,
  EachCassette,
  ExportOptions,
  FollowedRun,
  IndexOptions,
  RefusedCassette
} from "../../application/network/keeping/keeping.ts"
export type {
  CarryingReport,
  ExportReport,
  ImportReport,
  IndexReport,
  ReindexReport,
  SweepReport,
  VerifiedCassette
} from "../../application/network/keeping/keeping-reports.ts"
export type {
  CartridgeError,
  ExportError,
  IndexError,
  VectorError
} from "../../application/network/keeping/cassette-files.ts"
export { Embedder, type EmbedderShape } from "../../application/network/embedder.ts"
export type { EmbedderFailure, EmbedderHealth } from "../../application/network/watched-embedder.ts"
export {
  exactVectors,
  type NearText,
  type NearTexts,
  signBitVectors,
  VectorIndex,
  type VectorIndexShape,
  type VectorQuestion
} from "../../application/network/search/vector-index.ts"
export type {
  AskIndex,
  Cassette,
  CassetteWriteError,
  FileIndex,
  ForgetMemory,
  IndexStore,
  MemorySaved,
  MemoryStore,
  PlainStore,
  SaveMemory,
  StoreHit
} from "../../application/network/cassette.ts"
export type {
  ForgottenMemory,
  MemoryForgetError,
  MemoryQuestions,
  MemorySaveError,
  MemorySource,
  RecalledMemory,
  SavedMemory
} from "../../application/network/memory-questions.ts"
export type {
  AnswerByCassette,
  CassetteHealth,
  NeighbourAnswer,
  NetworkShape
} from "../../application/network/hub.ts"
export type { AskError, MergedAnswer, QueryOptions } from "../../application/network/answers.ts"
export type {
  LookupOptions,
  SymbolAnswer,
  SymbolAskError,
  SymbolOptions,
  SymbolQuestions
} from "../../application/network/symbols/symbol-questions.ts"
export type { SymbolPlace } from "../../application/network/symbols/symbol-lookup.ts"
export type {
  ExpandedText,
  ExpansionOptions,
  NestedSymbol,
  ResolvedSymbol
} from "../../application/network/symbols/symbol-resolution.ts"
export type { Cut, LeftOff } from "../../domain/canonical/answer-budget.ts"
export type {
  CassetteAnswer,
  AnswerStatus,
  Capability,
  CassetteStats,
  Handshake,
  Hit,
  MemoryNote,
  Mutability,
  TextPlace
} from "../../domain/network/cassette.ts"
export * from "../../domain/network/errors.ts"
export * from "../../domain/network/symbols/symbol-errors.ts"
export type {
  Compression,
  CompressionOptions,
  CompressionSymbol,
  Measure
} from "../../infrastructure/network/index/text-compression.ts"
export type { NetworkFileOptions, NetworkOpenError } from "./network-files.ts"
