/**
 * The contract of the port `Cassette`, for every store that the hub may be given: a shape that decodes, hits with the hash
 * of their content, no more than was asked for, and no question that is an error. Outside tests nothing
 * may import it.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Sha256 } from "../../../domain/canonical/sha256.ts"
import { CAPABILITIES, CassetteStats, Handshake } from "../../../domain/network/cassette.ts"
import { MAX_LIMIT } from "../../../domain/network/limits.ts"
import { judgeHandshake, judgeHits, judgeIndexAnswer } from "../../../domain/network/store-answers.ts"
import { type Cassette, isFileIndex, isIndexStore, type RankedIndex } from "../cassette.ts"

/** What a store must be able to do to be held to the contract. */
export interface CassetteSubject {
  /** A store with this id that holds exactly these texts by their paths. */
  readonly make: (id: string, texts: Readonly<Record<string, string>>) => Cassette
  readonly sha256: Sha256
  /** Of which kind it is: as the hub finds it. */
  readonly kind: "file" | "index" | "plain"
}

const texts = {
  "a/one.md": "The hub asks every agent.",
  "a/two.md": "An agent answers the hub; the hub waits.",
  "b/three.txt": "Nothing of that: bread, salt."
}

const strangeQuestions = [
  "",
  " ",
  '"',
  "'",
  "***",
  "AND",
  "NOT (",
  "a:b",
  "-",
  "\u0000",
  "漢字",
  "🚀",
  "e\u0301",
  "'; DROP TABLE documents; --",
  "hub ".repeat(2_000)
]

const run = Effect.runPromise

/** The suite; call it once for each kind of store. */
export const cassetteContract = (name: string, { kind, make, sha256 }: CassetteSubject): void => {
  const open = (given: Readonly<Record<string, string>> = texts): Cassette => {
    const cassette = make("subject", given)
    onTestFinished(() => run(cassette.close))
    return cassette
  }

  describe(`the contract of a cassette: ${name}`, () => {
    it("shakes hands as this protocol's version does, under the id that it is registered as", async () => {
      const handshake = await run(open().handshake)
      expect(judgeHandshake("subject", handshake)).toMatchObject({ _tag: "Success" })
      expect(Schema.is(Handshake)(handshake)).toBe(true)
      expect(handshake.db_hash).toMatch(/^[0-9a-f]{16}$/)
      expect(handshake.capabilities).toEqual(
        CAPABILITIES.filter((each) => handshake.capabilities.includes(each))
      )
    })

    it(`is of one kind: ${kind}`, () => {
      const cassette = open()
      expect([isIndexStore(cassette), isFileIndex(cassette)]).toEqual([kind !== "plain", kind === "file"])
    })

    it.skipIf(kind === "plain")("as an index, counts words and gives the texts of hashes", async () => {
      const cassette = open()
      const index: RankedIndex = Option.getOrThrow(Option.liftPredicate(cassette, isIndexStore))
      const scope = { now: "2026-01-01T00:00:00.000Z", agent: null }
      const count = { op: "count", scope, terms: ["hub", "unheard"] } as const
      const counted = await run(index.askIndex(count))
      expect(judgeIndexAnswer(sha256, count, counted)).toMatchObject({ _tag: "Success" })
      expect(counted).toMatchObject({ chunks: 3, frequencies: [2, 0] })
      const [hit] = await run(cassette.query("bread", 1))
      const wanted = { op: "places", scope, texts: [{ hash: hit!.hash, first: null }], limit: 1 } as const
      const found = await run(index.askIndex(wanted))
      expect(judgeIndexAnswer(sha256, wanted, found)).toMatchObject({ _tag: "Success" })
      expect(found).toMatchObject([{ hash: hit!.hash, content: hit!.content, place_count: 1 }])
    })

    it("counts what it holds, in the handshake and apart", async () => {
      const cassette = open()
      const stats = await run(cassette.getStats)
      expect(Schema.is(CassetteStats)(stats)).toBe(true)
      expect(stats).toMatchObject({ files: 3, with_vectors: 0 })
      expect(stats.total_chunks).toBeGreaterThanOrEqual(3)
      expect((await run(cassette.handshake)).stats).toEqual(stats)
    })

    it("has a hash of what it holds: the same again, another for another text", async () => {
      const hashOf = async (given: Readonly<Record<string, string>>) => {
        const cassette = make("subject", given)
        const { db_hash } = await run(cassette.handshake)
        await run(cassette.close)
        return db_hash
      }
      const hash = await hashOf(texts)
      expect(await hashOf(texts)).toBe(hash)
      expect(await hashOf({ ...texts, "a/one.md": "The hub asks none." })).not.toBe(hash)
    })

    it("finds texts by their words, best first, each with the hash of its content", async () => {
      const hits = await run(open().query("hub agent", 10))
      expect(judgeHits(sha256, 10, hits)).toMatchObject({ _tag: "Success" })
      expect(hits.map(({ path }) => path).sort()).toEqual(["a/one.md", "a/two.md"])
      for (const { content, path } of hits) expect(texts[path as keyof typeof texts]).toContain(content)
      expect(new Set(hits.map(({ chunk_id }) => chunk_id)).size).toBe(hits.length)
      expect(await run(open().query("bread", 10))).toMatchObject([{ path: "b/three.txt" }])
      expect(await run(open().query("unheard", 10))).toEqual([])
    })

    it("gives no more than was asked for, and the same each time", async () => {
      const cassette = open()
      expect(await run(cassette.query("hub", 0))).toEqual([])
      const [first] = await run(cassette.query("hub", MAX_LIMIT))
      expect(await run(cassette.query("hub", 1))).toEqual([first])
    })

    it("takes every question for text", async () => {
      const cassette = open()
      for (const question of strangeQuestions) {
        const hits = await run(cassette.query(question, 5))
        expect(judgeHits(sha256, 5, hits), JSON.stringify(question)).toMatchObject({ _tag: "Success" })
      }
      expect(await run(cassette.query("bread", 5))).toHaveLength(1)
    })

    it("answers many at once as one after another", async () => {
      const cassette = open()
      const questions = ["hub", "agent", "bread", "hub agent", "unheard"]
      const alone = []
      for (const question of questions) alone.push(await run(cassette.query(question, 10)))
      const together = await run(
        Effect.forEach(questions, (question) => cassette.query(question, 10), { concurrency: "unbounded" })
      )
      expect(together).toEqual(alone)
    })

    it("holds nothing when it holds nothing", async () => {
      const cassette = open({})
      expect(await run(cassette.getStats)).toMatchObject({ total_chunks: 0, files: 0 })
      expect(await run(cassette.query("hub", 10))).toEqual([])
    })

    it("is closed as often as one likes", async () => {
      const cassette = open()
      await run(cassette.query("hub", 1))
      await run(cassette.close)
      await run(cassette.close)
    })
  })
}
