// Words of the whole document, over real files: they lift a chunk of the document that a question is about, and they are
// counted alike wherever the document's chunks stand, folded or waiting, in one segment or in two.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Cassette } from "../../../application/network/cassette.ts"
import type { Hit } from "../../../domain/network/cassette.ts"
import { SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { finishWriting, removeDocument } from "./document-writing.ts"
import { cassetteWith, local, newCassette, put, withNetworkOf } from "../testing/cassettes.ts"

const section = (name: string, text: string): string => `# ${name}\n\n${text}`

const documents: Readonly<Record<string, string>> = {
  "ports/ferry.md": [
    section("Crossing", "The ferry leaves at noon."),
    section("Piers", "Every pier of the harbour has a lamp."),
    section("Lamps", "The lamps of the piers burn all night."),
    section("Cranes", "A crane lifts the boats.")
  ].join("\n\n"),
  "soups/leek.md": [
    section("Pot", "The soup stays in the pot at noon."),
    section("Leek", "Every leek of the garden has a root."),
    section("Salt", "Salt comes last of all."),
    section("Bread", "A spoon lifts the bread.")
  ].join("\n\n"),
  "notes/day.md": "At noon the day is half over."
}

const told = (hits: ReadonlyArray<Hit>) =>
  hits.map(({ chunk_id, parts, path, score }) => ({ chunk_id, parts, path, score }))

const questions = [
  "noon at the harbour",
  "lamps of piers",
  "boats noon",
  "leek lifts",
  "day of the ferry",
  "pier"
]

const answers = (cassettes: ReadonlyArray<Cassette>) =>
  withNetworkOf(cassettes, (network) =>
    Effect.forEach(questions, (text) => Effect.map(network.query(text), ({ hits }) => told(hits)))
  )

describe("words of the document", () => {
  it("lift the chunk whose document is about the question above one with the same words", async () => {
    const cassette = local("all", cassetteWith(temporaryFolder(), "all", documents))
    const { hits } = await withNetworkOf([cassette], (network) => network.query("noon harbour lamps", 20))
    const noon = hits.filter(({ content }) => content.includes("noon") && content.startsWith("#"))
    expect(noon.map(({ path }) => path)).toEqual(["ports/ferry.md", "soups/leek.md"])
    const [ferry, leek] = noon.map(({ parts }) => parts.lexical!.score)
    expect(ferry).toBeGreaterThan(2 * leek!)
  })

  it("count alike in a segment and over the edge of two, folded or waiting, beside what is gone", async () => {
    const folder = temporaryFolder()
    const { connection, file } = newCassette(folder, "full")
    const filler = Array.from({ length: SEGMENT_CHUNKS - 3 }, (_, number) => section(`${number}`, "Lamps."))
    put(connection, "filler/lamps.md", filler.join("\n\n"))
    finishWriting(connection)
    removeDocument(connection, "filler/lamps.md")
    for (const [path, text] of Object.entries(documents)) put(connection, path, text)
    const waiting = await answers([local("full", file)])
    finishWriting(connection)
    const folded = await answers([local("full", file)])
    const numbers = connection.all<{ segments: number }>(
      `SELECT count(DISTINCT chunk_number / ${SEGMENT_CHUNKS}) AS segments FROM chunks`
    )
    connection.close()
    expect(numbers).toEqual([{ segments: 2 }])
    const parts = Object.entries(documents).map(([path, text], part) =>
      local(`part-${part}`, cassetteWith(folder, `part-${part}`, { [path]: text }))
    )
    const divided = await answers(parts)
    expect(divided.every((hits) => hits.length > 0)).toBe(true)
    expect(folded).toEqual(divided)
    expect(waiting).toEqual(divided)
  })
})
