// Where a found text stands: the best place and a few others are named, of many only how many there are, and every hit names
// its lines.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { sha256 } from "../hashing/sha256.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { cassetteWith, local, newCassette, put, withNetworkOf } from "./testing/cassettes.ts"

const COPIES = 300
const text = "The licence of the lighthouse is the same in every file."

/** One text in many files, which are divided over so many cassettes. */
const copies = (parts: number) => {
  const folder = temporaryFolder()
  const names = Array.from({ length: COPIES }, (_, number) => `legal/${String(number).padStart(4, "0")}.txt`)
  return Array.from({ length: parts }, (_, part) => {
    const own = names.filter((_, number) => number % parts === part)
    const id = `part-${part}`
    return local(id, cassetteWith(folder, id, Object.fromEntries(own.map((name) => [name, text]))))
  })
}

describe("a text in very many files", () => {
  it.each([1, 3])("names ten places over %i cassettes, and how many there are", async (parts) => {
    const { hits } = await withNetworkOf(copies(parts), (network) => network.query("licence lighthouse"))
    expect(hits).toHaveLength(1)
    expect(hits[0]?.places.map(({ path }) => path)).toEqual(
      Array.from({ length: 10 }, (_, number) => `legal/000${number}.txt`)
    )
    expect(hits[0]).toMatchObject({ path: "legal/0000.txt", place_count: COPIES })
    expect(JSON.stringify(hits).length).toBeLessThan(4_096)
  })

  it("names its best place first, wherever that stands among the others", async () => {
    const { connection, file } = newCassette(temporaryFolder(), "one")
    for (let number = 0; number < 20; number++) put(connection, `legal/${100 + number}.txt`, text)
    put(connection, "zebra/lighthouse.txt", text)
    connection.close()
    const [hit] = (await withNetworkOf([local("one", file)], (network) => network.query("zebra licence")))
      .hits
    expect(hit).toMatchObject({ path: "zebra/lighthouse.txt", place_count: 21 })
    expect(hit?.places.map(({ path }) => path)).toEqual([
      "zebra/lighthouse.txt",
      ...Array.from({ length: 9 }, (_, number) => `legal/${100 + number}.txt`)
    ])
  })

  it.each([1, 3])("is what a symbol names, with the same ten places over %i cassettes", async (parts) => {
    const found = await withNetworkOf(copies(parts), (network) =>
      network.resolveSymbol(`@C:${sha256(text).slice(0, 12)}`)
    )
    expect(found).toMatchObject({ content: text, place_count: COPIES })
    expect(found.places.map(({ path }) => path)).toEqual(
      Array.from({ length: 10 }, (_, number) => `legal/000${number}.txt`)
    )
  })
})

describe("a text under names that UTF-8 and UTF-16 order otherwise", () => {
  it.each([1, 3])("has the same ten places over %i cassettes, for hits and symbols", async (parts) => {
    const folder = temporaryFolder()
    const names = Array.from({ length: 12 }, (_, number) => [
      `\u{1f6a2}${10 + number}.txt`,
      `\uff21${10 + number}.txt`
    ])
    const files = names.flat()
    const cassettes = Array.from({ length: parts }, (_, part) => {
      const own = files.filter((_, number) => number % parts === part)
      return local(
        `part-${part}`,
        cassetteWith(folder, `part-${part}`, Object.fromEntries(own.map((name) => [name, text])))
      )
    })
    const [{ hits }, symbol] = await withNetworkOf(cassettes, (network) =>
      Effect.all([network.query("licence lighthouse"), network.resolveSymbol(`@C:${sha256(text)}`)])
    )
    const expected = Array.from({ length: 10 }, (_, number) => `\u{1f6a2}${10 + number}.txt`)
    expect(hits[0]?.places.map(({ path }) => path)).toEqual(expected)
    expect(symbol.places.map(({ path }) => path)).toEqual(expected)
  })
})

describe("the lines of a hit", () => {
  const row = (number: number) => `{"id":${number},"event":"${number === 700 ? "shipwreck" : "calm"}"}`
  const log = Array.from({ length: 1_000 }, (_, number) => row(number + 1)).join("\n")

  it("are those of its chunk in the document, from 1", async () => {
    const documents = {
      "logs/sea.jsonl": log,
      "docs/crlf.md": "\uFEFF# One\r\n\r\nfirst\r\n\r\n# Tw\u00f6 🚢\r\n\r\nsecond harbour\r\nand its end\r\n"
    }
    const cassettes = [local("one", cassetteWith(temporaryFolder(), "one", documents))]
    const [sea, crlf] = await withNetworkOf(cassettes, (network) =>
      Effect.all([network.query("shipwreck", 1), network.query("second harbour", 1)])
    )
    const lines = log.split("\n")
    for (const { content, line_end, line_start, path } of sea.hits) {
      expect(path).toBe("logs/sea.jsonl")
      expect(lines.slice((line_start ?? 0) - 1, line_end ?? 0).join("\n")).toBe(content)
      expect(line_start).toBeGreaterThan(600)
    }
    expect(crlf.hits).toMatchObject([{ path: "docs/crlf.md", line_start: 5, line_end: 8 }])
  })
})
