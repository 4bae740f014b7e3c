// `cortex network import`: a cartridge becomes the cassette of its id in the configuration, whole or not at all.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { birthDifferences } from "../../../domain/network/birth.ts"
import { CassetteDiffers, UnknownCassette, WriteRefused } from "../../../domain/network/errors.ts"
import {
  eachBatch,
  importCartridge,
  openedCartridge
} from "../../../infrastructure/network/cartridge-import.ts"
import type { CartridgeReader } from "../../../infrastructure/network/cartridge-reading.ts"
import { configuredEmbedding } from "../../../infrastructure/network/network-files.ts"
import { absolutePath, switchFlag } from "../../shared/options.ts"
import { reported, withProgress } from "../progress.ts"
import { answer } from "../output.ts"
import { cartridgeLines } from "./cartridge-lines.ts"
import { configuredNetwork } from "./open-network.ts"

const checkOnly = Effect.fnUntraced(function* (path: string, reader: CartridgeReader) {
  yield* eachBatch(path, reader, () => Effect.void)
  const { manifest } = reader
  yield* answer({ data: { manifest }, lines: () => [`${path} is whole`, ...cartridgeLines(manifest)] })
})

const importHere = Effect.fnUntraced(function* (path: string, reader: CartridgeReader) {
  const network = yield* configuredNetwork
  const { cassette_id: id } = reader.manifest
  const cassette = network.cassettes.find((each) => each.id === id)
  if (cassette === undefined) {
    return yield* new UnknownCassette({ cassettes: [id], known: network.cassettes.map((each) => each.id) })
  }
  if (cassette.configuration.type === "external" || cassette.refusal !== undefined) {
    const reason = cassette.refusal ?? "it is external: it is never written to"
    return yield* new WriteRefused({ cassette_id: id, reason })
  }
  const { memories, mutability, ttl_ms } = reader.manifest
  const born = new Map(Object.entries({ memories, mutability, ttl_ms: `${ttl_ms}` }))
  const differences = birthDifferences(born, cassette.asked)
  if (differences.length > 0) return yield* new CassetteDiffers({ cassette_id: id, file: path, differences })
  const embedding = yield* configuredEmbedding(network)
  const { chunks, embedded, manifest } = yield* importCartridge(path, reader, cassette.file, embedding)
  yield* answer({
    data: { cassette_id: id, file: cassette.file, chunks, embedded, manifest },
    lines: () => [`made ${cassette.file}: ${chunks} chunks`, ...cartridgeLines(manifest)]
  })
})

export const importCommand = Command.make(
  "import",
  {
    cartridge: Argument.String("cartridge").pipe(
      Argument.withDescription("a folder or tar file that network export made")
    ),
    check: switchFlag("check", "judge the cartridge only: nothing is made, and no configuration is needed")
  },
  Effect.fnUntraced(function* ({ cartridge, check }) {
    const path = yield* absolutePath("cartridge", cartridge)
    yield* Effect.scoped(
      Effect.flatMap(openedCartridge(path), (reader) =>
        reported(path, check ? checkOnly(path, reader) : importHere(path, reader))
      )
    ).pipe(withProgress(check ? "checking" : "importing"))
  })
).pipe(
  Command.withDescription(
    "Make the cassette of a cartridge, where the configuration has its id and no file stands yet. Every record is hashed again, the chain of receipts, both roots and the counts are checked, and only then the cassette is put in its place; it keeps its mutability, versions, times and seal. Whatever is wrong is named with its file and line."
  ),
  Command.withShortDescription("make the cassette of a cartridge"),
  Command.withExamples([
    { command: "cortex network import governance-cartridge" },
    { command: "cortex network import --check governance.tar" }
  ])
)
