// What a document's further texts count over real files: the same however documents are divided, asked for and called,
// in lists of one cassette as in the list of all, and never for a text that is not looked for.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Cassette } from "../../../application/network/cassette.ts"
import { makeShelf } from "../../../examples/shelf.ts"
import type { Hit } from "../../../domain/network/cassette.ts"
import { sha256 } from "../../hashing/sha256.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { cassetteWith, local, withNetworkOf } from "../testing/cassettes.ts"

const common = "# Shared\n\nThe lease of a worker stands in two documents."

/** A document whose sections all speak of leases, each in other words. */
const manual = (name: string, sections: number): string =>
  Array.from(
    { length: sections },
    (_, number) =>
      `# ${name} ${number}\n\nThe lease of worker ${name}${number} ends.${" Wait for it.".repeat(number)}`
  ).join("\n\n")

const documents: Readonly<Record<string, string>> = {
  "docs/long.md": `${manual("long", 60)}\n\n${common}`,
  "docs/short.md": manual("short", 3),
  "docs/other.md": `${common}\n\n# Claims\n\nA claim is no lease.`,
  "notes/lease.md": "A lease.",
  "notes/soup.md": "Water, salt and vegetables.",
  "notes/worker.md": "Where the worker works, it has a lease of the worker."
}

const questions = ["lease", "lease of a worker", '"worker long3 ends" lease', "soup lease", "long.md"]

const isDescending = (scores: ReadonlyArray<number>): boolean =>
  scores.every((score, index) => index === 0 || score <= scores[index - 1]!)

const split = (parts: number, folded = true) => {
  const folder = temporaryFolder()
  return Array.from({ length: parts }, (_, part) => {
    const own = Object.entries(documents).filter((_, index) => index % parts === part)
    return local(`part-${part}`, cassetteWith(folder, `part-${part}`, Object.fromEntries(own), folded))
  })
}

/** Hits without the names of their cassettes. */
const told = (hits: ReadonlyArray<Hit>) =>
  hits.map(({ chunk_id, parts, path, score }) => ({ chunk_id, parts, path, score }))

/** What every question finds, by limit. */
const answers = (cassettes: ReadonlyArray<Cassette>, limits: ReadonlyArray<number>) =>
  withNetworkOf(cassettes, (network) =>
    Effect.forEach(limits, (limit) =>
      Effect.map(
        Effect.forEach(questions, (text) => network.query(text, limit, { maxBytes: Infinity })),
        (found) => found.map(({ hits }) => told(hits))
      )
    )
  )

/** The score that a hit's parts make. */
const scoreOf = ({ parts: { lexical } }: Pick<Hit, "parts">): number => {
  const { proximity, repeats, score } = lexical!
  return (score + proximity) * Array.from({ length: repeats }).reduce((share: number) => share * 0.8, 1)
}

describe("a document's further texts", () => {
  it("count the same in 1, 4 and 16 cassettes, in any order, with any limit", async () => {
    const limits = [0, 1, 10, 60, 1_000]
    const whole = await answers(split(1), limits)
    for (const parts of [4, 16]) {
      expect(await answers(split(parts), limits)).toEqual(whole)
    }
    expect(await answers(split(4, false).toReversed(), limits)).toEqual(whole)
    expect(whole.map((lists) => lists[0]!.length)).toEqual([0, 1, 10, 60, 67])
    expect(whole.at(-1)!.every((hits) => hits.length > 0)).toBe(true)
  })

  it("let other documents before them, in the order of the score that the parts make", async () => {
    const [all, first] = await answers(split(3), [1_000, 5])
    for (const hits of all!) {
      expect(hits.map(scoreOf)).toEqual(hits.map(({ score }) => score))
      expect(isDescending(hits.map(({ score }) => score))).toBe(true)
      // Of each document every count is there once, in order: an equal text elsewhere may have taken a place.
      for (const own of Map.groupBy(hits, ({ path }) => path).values()) {
        const counts = own.map(({ parts }) => parts.lexical!.repeats)
        expect(counts).toEqual([...new Set(counts)].toSorted((left, right) => left - right))
      }
    }
    expect(new Set(first![0]!.map(({ path }) => path)).size).toBe(4)
  })

  it("stand alike in short lists and in longer ones, up to the fifty that are looked at", async () => {
    const [nine, fifty] = await answers(split(2), [9, 50])
    expect(nine).toEqual(fifty!.map((hits) => hits.slice(0, 9)))
  })

  it("have their phrase, and are ranked among those that have it", async () => {
    const [[, , phrase] = []] = await answers(split(2), [10])
    expect(phrase?.map(({ path, parts }) => [path, parts.lexical?.repeats])).toEqual([["docs/long.md", 0]])
  })

  it("have in the list of their cassette the scores that they have in the list of all", async () => {
    const { all, each } = await withNetworkOf(split(2), (network) =>
      Effect.all({
        all: network.query("lease of a worker", 1_000, { maxBytes: Infinity }),
        each: network.queryAll("lease of a worker", 1_000, { maxBytes: Infinity })
      })
    )
    const merged = new Map(all.hits.map((hit) => [`${hit.source} ${hit.chunk_id}`, hit.score]))
    const lists = Object.values(each.results)
    expect(lists).toHaveLength(2)
    for (const hits of lists) {
      expect(isDescending(hits.map(({ score }) => score))).toBe(true)
      const known = hits.filter((hit) => merged.has(`${hit.source} ${hit.chunk_id}`))
      expect(known.length).toBeGreaterThan(2)
      expect(known.map(({ score }) => score)).toEqual(
        known.map((hit) => merged.get(`${hit.source} ${hit.chunk_id}`))
      )
    }
    expect(lists.some((hits) => hits.some(({ parts }) => parts.lexical!.repeats > 0))).toBe(true)
  })

  it("show an equal text where it is the better one", async () => {
    const both = {
      "docs/leases.md": `# Ends\n\nThe lease of the worker ends: no worker, no lease.\n\n${common}`,
      "docs/other.md": `${common}\n\n# Claims\n\nA claim is no lease; a lease is what the worker claims.`
    }
    const cassette = local("both", cassetteWith(temporaryFolder(), "both", both))
    const { hits } = await withNetworkOf([cassette], (network) => network.query("lease of the worker", 10))
    const shared = hits.find(({ places }) => places.length === 2)
    expect(hits[0]?.path).toBe("docs/leases.md")
    // By itself it would be better where the document says more of leases, but there it is the second text.
    expect(shared?.places.map(({ path }) => path)).toEqual(["docs/other.md", "docs/leases.md"])
    expect(shared?.parts.lexical?.repeats).toBe(0)
  })

  it("do not count the text whose neighbours are looked for", async () => {
    const named = sha256(manual("short", 1))
    const { hits, mode } = await withNetworkOf(split(2), (network) => network.neighbours(named, 10))
    expect(mode).toBe("lexical")
    const own = hits.filter(({ path }) => path === "docs/short.md")
    expect(own.map(({ parts }) => parts.lexical?.repeats)).toEqual([0, 1])
    expect(hits.map(({ hash }) => hash)).not.toContain(named)
  })

  it("of a store of one's own count as those of an index", async () => {
    const shelf = makeShelf("shelf", { "a.txt": "the lease of a worker" })
    const [hit] = await Effect.runPromise(shelf.query("lease", 1))
    const further = "the lease of a worker and its token"
    const store = {
      ...shelf,
      query: () => Effect.succeed([hit!, { ...hit!, content: further, hash: sha256(further) }])
    }
    const { hits } = await withNetworkOf([...split(2), store], (network) =>
      network.query("lease worker", 1_000)
    )
    const own = hits.filter(({ source }) => source === "shelf")
    expect(own.map(({ parts }) => parts.lexical?.repeats)).toEqual([0, 1])
    expect(own.map(scoreOf)).toEqual(own.map(({ score }) => score))
  })
})
