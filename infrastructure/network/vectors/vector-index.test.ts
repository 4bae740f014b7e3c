/**
 * The contract of an index of vectors, held by both adapters over the same cassettes: the nearest texts in one order,
 * however they are divided, waiting or not, and nothing of another maker, gone or hidden. What only the signs change is
 * tested after it: whom they choose.
 */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { QuerySession } from "../../../application/network/search/query-session.ts"
import {
  exactVectors,
  signBitVectors,
  type VectorIndexShape,
  type VectorQuestion
} from "../../../application/network/search/vector-index.ts"
import { cosine } from "../../../domain/network/vectors.ts"
import { openForWriting } from "../../sqlite/connection/better-sqlite3-host.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { local } from "../testing/cassettes.ts"
import { clusteredVectors, maker, realTexts, textHash, vectorCassette } from "../testing/vector-cassettes.ts"
import { dropUnusedVectors, foldSigns, putVectors } from "./vector-writing.ts"

const scope = { now: "2026-01-01T00:00:00.000Z", agent: null }
const vectors = clusteredVectors(900, 64, 12, 0.8, 7)
const asked = clusteredVectors(20, 64, 12, 0.8, 7)

const numbered = (given: ReadonlyArray<Float32Array>, belongs: (number: number) => boolean = () => true) =>
  new Map([...given.entries()].filter(([number]) => belongs(number)))

const question = (vector: Float32Array, limit = 10): VectorQuestion => ({
  identity: maker(vector.length),
  vector: [...vector],
  limit,
  scope
})

const cassettesIn = (
  given: ReadonlyArray<Float32Array>,
  parts: number,
  folded: (part: number) => boolean = () => true
) => {
  const folder = temporaryFolder()
  return Array.from({ length: parts }, (_, part) => {
    const own = numbered(given, (number) => number % parts === part)
    return local(`part-${part}`, vectorCassette(folder, `part-${part}`, own, folded(part)))
  })
}

const nearest = (
  index: VectorIndexShape,
  cassettes: ReturnType<typeof cassettesIn>,
  questions: ReadonlyArray<VectorQuestion>
) =>
  Effect.runPromise(
    Effect.forEach(questions, (each) => index.nearest(new QuerySession(cassettes), each)).pipe(
      Effect.ensuring(Effect.forEach(cassettes, ({ close }) => close))
    )
  )

/** The best by comparing with every vector here. */
const best = (given: ReadonlyArray<Float32Array>, vector: Float32Array, limit: number) =>
  [...given.entries()]
    .map(([number, each]) => ({ hash: textHash(number), score: cosine(vector, each) }))
    .sort((left, right) => right.score - left.score || (left.hash < right.hash ? -1 : 1))
    .slice(0, limit)

const recall = (found: ReadonlyArray<{ readonly hash: string }>, wanted: ReadonlyArray<{ hash: string }>) => {
  const hashes = new Set(found.map(({ hash }) => hash))
  return wanted.filter(({ hash }) => hashes.has(hash)).length / wanted.length
}

describe.each([
  ["that compares all", exactVectors],
  ["of signs", signBitVectors(0)]
])("the index of vectors %s", (_, index) => {
  it("finds the nearest, in order, with their cosines", async () => {
    const answers = await nearest(
      index,
      cassettesIn(vectors, 1),
      asked.map((each) => question(each))
    )
    for (const [number, { notices, texts }] of answers.entries()) {
      const wanted = best(vectors, asked[number]!, 10)
      expect(notices).toEqual([])
      expect(texts.slice(0, 3)).toEqual(wanted.slice(0, 3))
      expect(recall(texts, wanted)).toBeGreaterThanOrEqual(0.8)
    }
  })

  it("says the same of a divided corpus, folded or waiting", async () => {
    const questions = asked.map((each) => question(each, 40))
    const whole = await nearest(index, cassettesIn(vectors, 1), questions)
    expect(
      await nearest(
        index,
        cassettesIn(vectors, 5, (part) => part % 2 === 0),
        questions
      )
    ).toEqual(whole)
  })

  it("orders equal vectors by their texts, and finds no more than there are", async () => {
    const same = Array.from({ length: 5 }, () => vectors[0]!)
    const [answer] = await nearest(index, cassettesIn(same, 2), [question(vectors[0]!, 1_000)])
    expect(answer?.texts.map(({ hash }) => hash)).toEqual(same.map((_, number) => textHash(number)).sort())
    const [few] = await nearest(index, cassettesIn(same, 2), [question(vectors[0]!, 2)])
    expect(few?.texts).toEqual(answer?.texts.slice(0, 2))
  })

  it("compares no vectors of another maker, and says whose they are", async () => {
    const cassettes = cassettesIn(vectors.slice(0, 5), 1)
    const other = { ...question(vectors[0]!), identity: { ...maker(64), revision: "2" } }
    const [answer] = await nearest(index, cassettes, [other])
    expect(answer).toEqual({
      texts: [],
      notices: [
        "part-0: its vectors were made by given 1 (64 dimensions, nfc/1), not by given 2 (64 dimensions, nfc/1)",
        "no cassette has vectors of given 2 (64 dimensions, nfc/1)"
      ]
    })
  })

  it("follows every write of others: added, replaced, gone", async () => {
    const file = vectorCassette(temporaryFolder(), "one", numbered(vectors.slice(0, 20)))
    const cassette = local("one", file)
    const ask = async () => {
      const session = new QuerySession([cassette])
      const { texts } = await Effect.runPromise(index.nearest(session, question(vectors[0]!, 3)))
      return texts.map(({ hash }) => hash)
    }
    const before = await ask()
    expect(before[0]).toBe(textHash(0))
    const writer = openForWriting(file)
    writer.run("DELETE FROM chunks WHERE hash = ?", [textHash(0)])
    expect(await ask()).not.toContain(textHash(0))
    writer.transaction(() => dropUnusedVectors(writer, [textHash(0)]))
    expect(await ask()).not.toContain(textHash(0))
    writer.run(
      "INSERT INTO chunks (chunk_number, chunk_id, document_id, ordinal, hash, kind, heading_path, byte_start, byte_end) VALUES (4000, 'x', 1, 5000, ?, 'paragraph', '', 0, 0)",
      [textHash(777)]
    )
    putVectors(writer, maker(64), [{ hash: textHash(777), vector: vectors[0]! }])
    expect((await ask())[0]).toBe(textHash(777))
    writer.transaction(() => foldSigns(writer))
    expect((await ask())[0]).toBe(textHash(777))
    writer.close()
    await Effect.runPromise(cassette.close)
  })

  it("takes no signs from a vector whose dimensions were damaged, nor signs of another size, and changes nothing", () => {
    const signs = (writer: ReturnType<typeof openForWriting>) =>
      writer.all("SELECT segment, hex(present) AS present, hex(signs) AS signs FROM vector_signs")
    const damaged = (dimensions: string, folded: boolean) => {
      const file = vectorCassette(temporaryFolder(), "one", numbered(vectors.slice(0, 20)), folded)
      const writer = openForWriting(file)
      for (const { name } of writer.all<{ name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
      )) {
        writer.run(`DROP TRIGGER ${name}`)
      }
      writer.run(`UPDATE vectors SET dimensions = ${dimensions} WHERE hash = ?`, [textHash(0)])
      return writer
    }
    const waiting = damaged("960", false)
    expect(() => waiting.transaction(() => foldSigns(waiting))).toThrow(
      /has another size than its \d+ dimensions/
    )
    expect(signs(waiting)).toEqual([])
    waiting.close()
    for (const [dimensions, reason] of [
      ["960", "has another size"],
      ["64", "are not those of vectors of 64 dimensions"]
    ] as const) {
      const folded = damaged(dimensions, true)
      if (dimensions === "64") folded.run("UPDATE vector_signs SET signs = substr(signs, 5)")
      const before = signs(folded)
      folded.run("DELETE FROM chunks WHERE hash = ?", [textHash(0)])
      expect(() => folded.transaction(() => dropUnusedVectors(folded, [textHash(0)]))).toThrow(reason)
      expect(signs(folded)).toEqual(before)
      folded.close()
    }
  })

  it("finds no vector whose every chunk has expired", async () => {
    const file = vectorCassette(temporaryFolder(), "one", numbered(vectors.slice(0, 20)))
    const writer = openForWriting(file)
    // The guards would not let a document expire by hand.
    for (const { name } of writer.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
    )) {
      writer.run(`DROP TRIGGER ${name}`)
    }
    writer.run("UPDATE network_meta SET value = 'ephemeral' WHERE key = 'mutability'")
    writer.run("UPDATE documents SET expires_at = '2026-01-02T00:00:00.000Z'")
    writer.run(
      "INSERT INTO documents (path, version, type, text, content_hash, record_hash, added_at) VALUES ('a/two.md', 1, 'a', 'x', 'x', 'x', 'x')"
    )
    writer.run("UPDATE chunks SET document_id = 2 WHERE hash IN (?, ?)", [textHash(3), textHash(4)])
    writer.close()
    const cassette = local("one", file)
    const at = (now: string) =>
      index.nearest(new QuerySession([cassette]), {
        ...question(vectors[0]!, 100),
        scope: { now, agent: null }
      })
    const early = await Effect.runPromise(at("2026-01-01T00:00:00.000Z"))
    const late = await Effect.runPromise(at("2026-01-03T00:00:00.000Z"))
    await Effect.runPromise(cassette.close)
    expect(early.texts).toHaveLength(20)
    expect(late.texts.map(({ hash }) => hash).sort()).toEqual([textHash(3), textHash(4)].sort())
  })
})

describe("signs", () => {
  const meanRecall = async (
    given: ReadonlyArray<Float32Array>,
    questions: ReadonlyArray<Float32Array>
  ): Promise<number> => {
    const answers = await nearest(
      signBitVectors(0),
      cassettesIn(given, 3),
      questions.map((each) => question(each))
    )
    const recalls = answers.map(({ texts }, number) => recall(texts, best(given, questions[number]!, 10)))
    return recalls.reduce((sum, each) => sum + each, 0) / recalls.length
  }

  it("choose at least 0.99 of the best ten in clusters", async () => {
    const given = clusteredVectors(4_000, 384, 40, 1, 3)
    expect(await meanRecall(given, clusteredVectors(30, 384, 40, 1, 3))).toBeGreaterThanOrEqual(0.99)
  })

  it("choose at least 0.99 of the best ten among real vectors, by the same rule", async () => {
    const real = realTexts().map(({ vector }) => vector)
    const questions = real.filter((_, number) => number % 16 === 0)
    expect(await meanRecall(real, questions)).toBeGreaterThanOrEqual(0.99)
  })
})
