// What changes much of a cassette at once, as the command line does it: an index run, forgetting a memory, carrying all of it
// into another file. The folder holds CORTEX/network.yaml with one local cassette, its documents and a memory.

import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { sha256 } from "../../../infrastructure/hashing/sha256.ts"
import { carryCassette } from "../../../infrastructure/network/writing/carrying.ts"
import { openCassetteWriter } from "../../../infrastructure/network/writing/cassette-writer.ts"
import type { ConfiguredCassette } from "../../../infrastructure/network/configured-cassette.ts"
import { indexCassette } from "../../../infrastructure/network/writing/indexing.ts"
import { memoryForgetting } from "../../../infrastructure/network/writing/memory-forgetting.ts"
import { saveMemory } from "../../../infrastructure/network/writing/memory-writing.ts"
import { type NetworkFile, readNetworkFile } from "../../../infrastructure/network/network-files.ts"
import { at } from "../../../infrastructure/network/testing/cassettes.ts"
import { hashEmbedder } from "../../../infrastructure/network/testing/hash-embedder.ts"

export const OPERATIONS = ["forget", "index", "migrate"] as const
export type Operation = (typeof OPERATIONS)[number]

/** The id of the cassette. */
export const ID = "one"
/** Its file in a folder. */
export const fileIn = (folder: string): string => join(folder, "CORTEX", `${ID}.db`)

const MEMORY = `what is forgotten: ${"a word and another one ".repeat(200)}`
const AGENT = "a"
const SAVES = 60
const DOCUMENTS = 90

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const textOf = (number: number, round: number): string =>
  `# Note ${number}\n\n${`word${number} of round ${round} `.repeat(60)}\n\n## More\n\n${`tail${number * 7} `.repeat(80)}\n`

/** The configuration; `migrate` finds a file that was born with another mutability. */
const configure = (folder: string, mutability: string): void =>
  put(
    join(folder, "CORTEX", "network.yaml"),
    `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: ${ID}, path: ${ID}.db, type: local, mutability: ${mutability}, sources: [../docs/**]}\n`
  )

const opened = (folder: string) =>
  Effect.map(readNetworkFile({ file: join(folder, "CORTEX", "network.yaml") }), (network) => ({
    network,
    cassette: network.cassettes[0]!
  }))

const index = Effect.fnUntraced(function* (network: NetworkFile, cassette: ConfiguredCassette) {
  const embedding = { embedder: hashEmbedder, batchSize: 100 }
  yield* indexCassette(network.file, network.root, cassette, { progress: () => Effect.void, embedding })
}, Effect.scoped)

const operations = {
  forget: (_: NetworkFile, cassette: ConfiguredCassette) =>
    Effect.asVoid(memoryForgetting(cassette)(sha256(MEMORY), AGENT)),
  index,
  migrate: (_: NetworkFile, cassette: ConfiguredCassette) => Effect.asVoid(carryCassette(cassette, false))
} as const

/** Does it; what is done already stays as it is. */
export const operate = (folder: string, operation: Operation): Promise<void> =>
  Effect.runPromise(
    Effect.flatMap(opened(folder), ({ cassette, network }): Effect.Effect<void, unknown> => {
      const work: (network: NetworkFile, cassette: ConfiguredCassette) => Effect.Effect<void, unknown> =
        operations[operation]
      return work(network, cassette)
    })
  )

/** Makes the folder as each operation finds it: documents that were indexed and, for `index`, changed since. */
export const prepare = async (folder: string, operation: Operation): Promise<void> => {
  configure(folder, "mutable")
  for (let number = 0; number < DOCUMENTS; number += 2) {
    put(join(folder, "docs", `${number}.md`), textOf(number, 1))
  }
  await operate(folder, "index")
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { cassette } = yield* opened(folder)
        const write = yield* openCassetteWriter(cassette.file, cassette.birth, "full")
        for (let save = 0; save < SAVES; save++) {
          const memory = { text: MEMORY, agent_id: AGENT, metadata: `{"save":${save}}` }
          yield* write((connection) => saveMemory(connection, memory, at(1)))
        }
      })
    )
  )
  await operate(folder, "index")
  if (operation === "migrate") configure(folder, "append-only")
  if (operation !== "index") return
  for (let number = 0; number < DOCUMENTS; number++) {
    const path = join(folder, "docs", `${number}.md`)
    if (number % 6 === 0) rmSync(path)
    else if (number % 4 !== 0) put(path, textOf(number, 2))
  }
}
