// The hash of a thought against values made by other programs, and the forms of its time.
import { readFileSync } from "node:fs"
import canonicalizeByOthers from "canonicalize"
import { describe, expect, it } from "vitest"
import { ZERO_HASH } from "../limits.ts"
import { sha256 } from "../testing/samples.ts"
import { canonicalize, computeHash, type HashedFields, isZonedTime, THOUGHT_TYPES } from "./thought-record.ts"

interface Vectors {
  readonly zero_hash: string
  readonly cases: ReadonlyArray<{
    readonly record: HashedFields
    readonly canonical: string
    readonly hash: string
  }>
}

const vectors = JSON.parse(
  readFileSync(new URL("testing/thought-records.json", import.meta.url), "utf8")
) as Vectors

describe("the hash of a thought", () => {
  it("is tested with the vectors that the specification publishes", () => {
    const published = new URL("../../../docs/spec/vectors/thought-records.json", import.meta.url)
    expect(JSON.parse(readFileSync(published, "utf8"))).toEqual(vectors)
  })

  it.each(vectors.cases)("of $record.id is the pinned one", ({ canonical, hash, record }) => {
    expect(canonicalize(record)).toBe(canonical)
    expect(canonicalizeByOthers(record)).toBe(canonical)
    expect(computeHash(sha256, record)).toBe(hash)
  })

  it("begins a chain with 64 zeros, and links the vectors", () => {
    expect(vectors.zero_hash).toBe(ZERO_HASH)
    expect(vectors.cases.map(({ record }) => record.prev_hash)).toEqual([ZERO_HASH, vectors.cases[0]?.hash])
  })

  it("depends on each of the six fields and on nothing else", () => {
    const [first] = vectors.cases
    if (first === undefined) throw new Error("there are no vectors")
    const { hash, record } = first
    for (const key of Object.keys(record)) {
      expect(computeHash(sha256, { ...record, [key]: `${record[key as keyof HashedFields]}x` })).not.toBe(
        hash
      )
    }
    const whole = { ...record, agent_id: "a1", created_at: "now", hash: "" }
    expect(computeHash(sha256, whole)).toBe(hash)
    expect(Object.keys(record)).toHaveLength(6)
  })

  it("knows four types", () => {
    expect(THOUGHT_TYPES).toEqual(["plan", "analysis", "decision", "reflection"])
  })
})

describe("the time of a thought", () => {
  it.each([
    "2026-04-17T00:00:00Z",
    "2026-04-17T23:59:59.000Z",
    "2026-04-17T23:59:59.123456789Z",
    "2024-02-29T00:00:00+02:00",
    "2026-04-17T00:00:00.5-23:59",
    "0000-01-01T00:00:00Z"
  ])("may be %s", (text) => expect(isZonedTime(text)).toBe(true))

  it.each([
    "",
    "now",
    "2026-04-17",
    "2026-04-17T00:00Z",
    "2026-04-17T00:00:00",
    "2026-04-17 00:00:00Z",
    "2026-04-17t00:00:00z",
    "2026-04-17T24:00:00Z",
    "2026-04-17T00:00:60Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-04-17T00:00:00.Z",
    "2026-04-17T00:00:00.1234567890Z",
    "2026-04-17T00:00:00+0200",
    "2026-04-17T00:00:00+24:00",
    "2026-04-17T00:00:00Z ",
    " 2026-04-17T00:00:00Z",
    "2026-04-17T00:00:00Z\u0000",
    "2026-04-17T00:00:00ZZ",
    "Z",
    "+20026-04-17T00:00:00Z"
  ])("is not %j", (text) => expect(isZonedTime(text)).toBe(false))
})
