// The neighbours of a text over real files: by vectors or by words, from anywhere in the network, and never itself.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { NetworkShape } from "../../../application/network/hub.ts"
import type { QueryOptions } from "../../../application/network/answers.ts"
import { sha256 } from "../../hashing/sha256.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { finishWriting } from "../writing/document-writing.ts"
import { hashEmbedder } from "../testing/hash-embedder.ts"
import { at, local, newCassette, put, withNetworkOf } from "../testing/cassettes.ts"
import { putVectors, unembedded } from "./vector-writing.ts"

const lease = "A worker claims a step under a lease."
const texts = {
  one: {
    "a/lease.md": lease,
    "a/token.md": "The lease of a step has an end, and the worker a fencing token.",
    "a/soup.md": "Soup is made of water, salt and vegetables."
  },
  two: {
    "b/again.md": lease,
    "b/claim.md": "Anyone who claims a step works alone until the lease ends.",
    "b/salt.md": "Salt and vegetables are bought at the market."
  }
}

const cassettes = async (embedded: boolean, ephemeral = false) => {
  const folder = temporaryFolder()
  const made: Array<ReturnType<typeof local>> = []
  for (const [id, documents] of Object.entries(texts)) {
    const { connection, file } = newCassette(folder, id, ephemeral ? "ephemeral" : "mutable")
    for (const [path, text] of Object.entries(documents)) put(connection, path, text, at(1))
    finishWriting(connection)
    if (embedded) {
      const waiting = unembedded(connection, 100)
      const vectors = await Effect.runPromise(hashEmbedder.embed(waiting.map(({ text }) => text)))
      putVectors(
        connection,
        hashEmbedder.identity,
        waiting.map(({ hash }, index) => ({ hash, vector: vectors[index]! }))
      )
    }
    connection.close()
    made.push(local(id, file))
  }
  return made
}

const neighbours = async (
  name: string,
  limit?: number,
  options?: QueryOptions,
  { embedded = true, ephemeral = false, hasEmbedder = true } = {}
) =>
  withNetworkOf(await cassettes(embedded, ephemeral), (network: NetworkShape) =>
    Effect.flatMap(network.swapEmbedder(hasEmbedder ? hashEmbedder : undefined), () =>
      Effect.result(network.neighbours(name, limit, options))
    )
  )

const pathsOf = (answer: Awaited<ReturnType<typeof neighbours>>) =>
  answer._tag === "Success" ? answer.success.hits.map(({ path }) => path) : answer.failure.message

const hash = sha256(lease)

describe("neighbours", () => {
  it("are the nearest by vectors over all cassettes, without the text itself", async () => {
    const answer = await neighbours(hash)
    expect(answer).toMatchObject({ success: { hash, mode: "vector", notices: [], partial: false } })
    expect(pathsOf(answer).slice(0, 2)).toEqual(expect.arrayContaining(["a/token.md", "b/claim.md"]))
    expect(pathsOf(answer)).not.toContain("a/lease.md")
    expect(pathsOf(answer)).toHaveLength(4)
    expect(pathsOf(await neighbours(hash, 1))).toHaveLength(1)
    expect(pathsOf(await neighbours(hash, 0))).toEqual([])
  })

  it.each([
    ["there is no embedder, which is nothing to be told", { hasEmbedder: false }, []],
    [
      "the text lacks a vector",
      { embedded: false },
      [
        "the text has no vector of test-hash-384 1 (384 dimensions, nfc/1)",
        "searched by the text's most telling words"
      ]
    ]
  ])("are found by telling words where %s", async (_, circumstances, notices) => {
    const answer = await neighbours(hash, 10, {}, circumstances)
    expect(answer).toMatchObject({ success: { hash, mode: "lexical", notices } })
    expect(pathsOf(answer)).toEqual(expect.arrayContaining(["a/token.md", "b/claim.md"]))
    expect(pathsOf(answer)).not.toContain("a/lease.md")
    expect(pathsOf(answer)).not.toContain("b/again.md")
    expect(pathsOf(await neighbours(hash, 1, {}, circumstances))).toHaveLength(1)
  })

  it("are looked for in the asked cassettes, wherever the text stands", async () => {
    const soup = sha256(texts.one["a/soup.md"])
    const answer = await neighbours(soup, 10, { cassettes: ["two"] })
    expect(answer).toMatchObject({ success: { answers: { two: { status: "ok" } } } })
    expect(pathsOf(answer)[0]).toBe("b/salt.md")
    expect(pathsOf(answer)).toHaveLength(3)
  })

  it("are those of a symbol, or of the first digits of a hash", async () => {
    const expected = pathsOf(await neighbours(hash))
    expect(pathsOf(await neighbours(hash.slice(0, 12)))).toEqual(expected)
    expect(pathsOf(await neighbours(`@C:${hash.slice(0, 16)}`))).toEqual(expected)
  })

  it.each([
    ["0".repeat(64), "NetworkSymbolNotFound"],
    [`@C:${"0".repeat(12)}`, "NetworkSymbolNotFound"],
    [hash.slice(0, 11), "InvalidNetworkSymbol"],
    [hash.toUpperCase(), "InvalidNetworkSymbol"],
    ["@X:000000000000", "InvalidNetworkSymbol"],
    ["", "InvalidNetworkSymbol"]
  ])("of %s are refused", async (name, tag) => {
    expect(await neighbours(name)).toMatchObject({ failure: { _tag: tag } })
  })

  it("of what has expired are not found, as of what never was", async () => {
    // The network's clock is long past the end of these documents.
    const answer = await neighbours(hash, 10, {}, { ephemeral: true })
    expect(answer).toMatchObject({ failure: { _tag: "NetworkSymbolNotFound", symbol: hash } })
  })

  it("are asked for as every question is", async () => {
    expect(await neighbours(hash, 1_001)).toMatchObject({ failure: { _tag: "InvalidInput" } })
    expect(await neighbours(hash, 10, { cassettes: ["no"] })).toMatchObject({
      failure: { _tag: "UnknownCassette" }
    })
  })
})
