/**
 * Cassettes for tests: built from documents in a folder of the test, and a network of them. Nothing outside tests may
 * import it.
 */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CallerAgent } from "../../../application/network/caller-agent.ts"
import type { Cassette, FileIndex } from "../../../application/network/cassette.ts"
import { Network, type NetworkShape } from "../../../application/network/hub.ts"
import type { MemoryScope, Mutability } from "../../../domain/network/cassette.ts"
import { DEFAULT_TTL_MILLIS } from "../../../domain/network/limits.ts"
import { type Connection, openForWriting } from "../../sqlite/connection/better-sqlite3-host.ts"
import { configureCassette } from "../writing/cassette-writer.ts"
import { createCassette } from "../cassette-schema.ts"
import { finishWriting, putDocument, type WriteOutcome } from "../writing/document-writing.ts"
import type { WriteTime } from "../writing/write-time.ts"
import { programOf } from "../../testing/programs/program.ts"
import { childCassette, type ChildCassetteOptions } from "../children/child-cassette.ts"
import { localCassette } from "../index/local-cassette.ts"
import { hubPartsLayer } from "../hub-parts.ts"

export const at = (day: number): WriteTime => ({
  now: `2026-01-0${day}T00:00:00.000Z`,
  expires: `2026-01-0${day + 1}T00:00:00.000Z`
})

/** Most kinds of new cassettes that a process keeps. */
const MAX_BORN = 32

/** New cassettes by what they are: making the schema takes three times as long as writing the file. */
const born = new Map<string, Uint8Array>()

/** An open cassette in a new file of the folder; one of a kind is made, the others are copies of it. */
export const newCassette = (
  folder: string,
  id: string,
  mutability: Mutability = "mutable",
  memories: MemoryScope = "shared"
): { readonly file: string; readonly connection: Connection } => {
  const file = join(folder, `${id}.db`)
  const kind = `${mutability} ${memories} ${id}`
  const isNew = !existsSync(file)
  const bytes = isNew ? born.get(kind) : undefined
  if (bytes !== undefined) writeFileSync(file, bytes)
  const connection = openForWriting(file)
  configureCassette(connection, "normal")
  if (bytes === undefined) {
    createCassette(connection, { id, mutability, memories, ttlMillis: DEFAULT_TTL_MILLIS })
    if (isNew && born.size < MAX_BORN) born.set(kind, connection.serialize())
  }
  return { file, connection }
}

/** Stores a text under a path; its type is the path's first folder. */
export const put = (connection: Connection, path: string, text: string, time = at(1)): WriteOutcome =>
  putDocument(connection, { path, type: path.split("/")[0] ?? "", text }, time)

/** A closed cassette with these documents; the tail stays unfolded when `folded` is false. */
export const cassetteWith = (
  folder: string,
  id: string,
  documents: Readonly<Record<string, string>>,
  folded = true
): string => {
  const { connection, file } = newCassette(folder, id)
  for (const [path, text] of Object.entries(documents)) put(connection, path, text)
  if (folded) finishWriting(connection)
  connection.close()
  return file
}

/** The cassette in a file, read in this process. */
export const local = (id: string, file: string, busyDeadlineMillis?: number): FileIndex =>
  localCassette({ id, file, shownPath: `${id}.db`, busyDeadlineMillis })

/** A cassette that a process of its own serves. */
export const servedApart = (options: ChildCassetteOptions): FileIndex =>
  childCassette({ program: programOf("infrastructure/network/children/cassette-child.ts"), ...options })

/** Runs `use` on a network of the cassettes, which an agent may open. */
export const withNetworkOf = <A, E>(
  cassettes: ReadonlyArray<Cassette>,
  use: (network: NetworkShape) => Effect.Effect<A, E>,
  agent: string | null = null
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(
          Network.layerNoDeps.pipe(Layer.provide([hubPartsLayer, Layer.succeed(CallerAgent, agent)]))
        )
        const network = Context.get(context, Network)
        for (const cassette of cassettes) yield* network.register(cassette)
        return yield* use(network)
      })
    )
  )
