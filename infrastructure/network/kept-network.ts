// The files behind `CassetteKeeping`: each task on one cassette of a configuration, with its writer, its embedder and its lock.
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { Progress } from "../../application/foundation/progress.ts"
import type {
  CartridgeError,
  CassetteFilesShape,
  IndexTask,
  KeptCassette,
  KeptNetwork,
  OpenCartridge
} from "../../application/network/keeping/cassette-files.ts"
import type { VerifiedCassette } from "../../application/network/keeping/keeping-reports.ts"
import { CassetteOffline, UnknownCassette } from "../../domain/network/errors.ts"
import type { CartridgeManifest } from "../../domain/network/cartridges/cartridge.ts"
import { carryCassette } from "./writing/carrying.ts"
import { exportCassette } from "./cartridges/cartridge-export.ts"
import { eachBatch, importCartridge, openedCartridge } from "./cartridges/cartridge-import.ts"
import type { CartridgeReader } from "./cartridges/cartridge-reading.ts"
import { CassetteFile } from "./cassette-file.ts"
import { pageFindings, verifyCassetteFile } from "./verification/cassette-verification.ts"
import { openCassetteWriter } from "./writing/cassette-writer.ts"
import type { ConfiguredCassette } from "./configured-cassette.ts"
import { finishWriting, reindex, sweep } from "./writing/document-writing.ts"
import { type Embedding, embedMissing, indexCassette } from "./writing/indexing.ts"
import { type NetworkFile, type NetworkFilePlace, readNetworkFile } from "./network-files.ts"
import { configuredEmbedding } from "./vectors/configured-embedder.ts"
import { sourceChanges } from "./writing/source-changes.ts"

/** A cartridge that is open, with what reads it. */
class CartridgeFile implements OpenCartridge {
  readonly path: string
  readonly reader: CartridgeReader

  constructor(path: string, reader: CartridgeReader) {
    this.path = path
    this.reader = reader
  }

  get manifest(): CartridgeManifest {
    return this.reader.manifest
  }

  get check(): Effect.Effect<void, CartridgeError> {
    return eachBatch(this.path, this.reader, () => Effect.void)
  }
}

const keptCassette = ({
  asked,
  birth,
  configuration,
  file,
  id,
  refusal
}: ConfiguredCassette): KeptCassette => ({
  id,
  file,
  type: configuration.type,
  mutability: birth.mutability,
  asked,
  isFollowed: configuration.auto_index === true,
  refusal
})

/** A task on one cassette, told by what it is and not by how its file is opened. */
const verifyOne = ({ file, id }: ConfiguredCassette): Effect.Effect<VerifiedCassette, CassetteOffline> =>
  Effect.suspend((): Effect.Effect<VerifiedCassette, CassetteOffline> => {
    const cassette = new CassetteFile(file, id, { asFound: true })
    const verified = cassette.read(({ connection }) => verifyCassetteFile(connection, id))
    cassette.close()
    if ("value" in verified) return Effect.succeed(verified.value)
    const findings = verified.status === "error" ? pageFindings(file, id) : []
    if (findings.length > 0) return Effect.succeed({ findings, warnings: [], facts: undefined })
    return Effect.fail(new CassetteOffline({ cassette_id: id, ...verified }))
  })

const reindexOne = Effect.fnUntraced(function* (
  { birth, file, id }: ConfiguredCassette,
  embedding: Effect.Effect<Embedding | undefined>
) {
  const write = yield* openCassetteWriter(file, birth, "normal")
  const chunks = yield* write(reindex)
  const embedder = yield* embedding
  const embedded = embedder === undefined ? 0 : yield* embedMissing(write, id, embedder)
  return { cassette_id: id, chunks, embedded }
}, Effect.scoped)

const sweepOne = Effect.fnUntraced(function* ({ birth, file, id }: ConfiguredCassette, now: string) {
  const write = yield* openCassetteWriter(file, birth, "normal")
  const removed = yield* write((connection) => sweep(connection, now))
  if (removed.length > 0) yield* write(finishWriting)
  return { cassette_id: id, removed }
}, Effect.scoped)

const indexOne = Effect.fnUntraced(function* (
  { file, root }: NetworkFile,
  cassette: ConfiguredCassette,
  { isFollowed, prune }: IndexTask,
  embedding: Effect.Effect<Embedding | undefined>
) {
  const report = yield* Progress
  const { configuration, id } = cassette
  const wanted = isFollowed ? cassette : { ...cassette, configuration: { ...configuration, sources: [] } }
  return yield* indexCassette(file, root, wanted, {
    progress: (done, total) => Effect.sync(() => report(`${id}: indexing ${done} of ${total} files`)),
    embedding: yield* embedding,
    prune
  })
})

const keptNetwork = (network: NetworkFile, embedding: Effect.Effect<Embedding | undefined>): KeptNetwork => {
  const known = new Map(network.cassettes.map((cassette) => [cassette.id, cassette]))
  const on = <A, E>(
    id: string,
    work: (cassette: ConfiguredCassette) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> => {
    const cassette = known.get(id)
    return cassette === undefined
      ? Effect.die(new UnknownCassette({ cassettes: [id], known: [...known.keys()] }))
      : work(cassette)
  }
  return {
    cassettes: network.cassettes.map(keptCassette),
    index: (id, task) => on(id, (cassette) => indexOne(network, cassette, task, embedding)),
    reindex: (id) => on(id, (cassette) => reindexOne(cassette, embedding)),
    sweep: (id, now) => on(id, (cassette) => sweepOne(cassette, now)),
    verify: (id) => on(id, verifyOne),
    carry: (id, publish) => on(id, (cassette) => carryCassette(cassette, publish)),
    exportTo: (id, agent, target, form) =>
      on(id, (cassette) => exportCassette({ ...cassette, agent }, target, form)),
    importFrom: (id, cartridge) =>
      cartridge instanceof CartridgeFile
        ? on(id, ({ file }) =>
            Effect.flatMap(embedding, (embedder) =>
              importCartridge(cartridge.path, cartridge.reader, file, embedder)
            )
          )
        : Effect.die(new TypeError("this cartridge was opened by other means")),
    isThere: (id) => existsSync(known.get(id)?.file ?? "")
  }
}

/** The port to the files of a configuration. */
export const cassetteFiles = (place: NetworkFilePlace): CassetteFilesShape => ({
  read: Effect.gen(function* () {
    const network = yield* readNetworkFile(place)
    const scope = yield* Effect.scope
    // Only tasks that make vectors need it.
    const embedding = yield* Effect.cached(Scope.provide(configuredEmbedding(network), scope))
    return keptNetwork(network, embedding)
  }),
  openCartridge: (path) => Effect.map(openedCartridge(path), (reader) => new CartridgeFile(path, reader)),
  changes: sourceChanges(Effect.map(readNetworkFile(place), ({ root }) => root))
})
