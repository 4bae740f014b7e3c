// What a file was born with against what a configuration asks for.
import { describe, expect, it } from "vitest"
import { type AskedBirth, birthDifferences, differenceText } from "./birth.ts"

const DAY = 86_400_000
const born = (mutability: string, memories = "shared", ttl = 7 * DAY) =>
  new Map(Object.entries({ mutability, memories, ttl_ms: `${ttl}` }))
const facts = (file: ReadonlyMap<string, string>, asked: AskedBirth) =>
  birthDifferences(file, asked).map(({ born: was, configured, fact }) => [fact, was, configured])

describe("a file and its configuration", () => {
  it("agree where all that is asked for is what the file was born with", () => {
    const asked: AskedBirth = { mutability: "mutable", memories: "shared", ttlMillis: 7 * DAY }
    expect(facts(born("mutable"), asked)).toEqual([])
    expect(facts(born("append-only", "private"), {})).toEqual([])
  })

  it("differ in every value that is another one, each named with both", () => {
    expect(facts(born("mutable"), { mutability: "append-only", memories: "private" })).toEqual([
      ["mutability", "mutable", "append-only"],
      ["memories", "shared", "private"]
    ])
    expect(facts(born("ephemeral"), { mutability: "ephemeral", ttlMillis: 90_000 })).toEqual([
      ["ttl", "7d", "90s"]
    ])
    expect(facts(born("ephemeral", "shared", 1_001), { ttlMillis: 5 })).toEqual([["ttl", "1001ms", "5ms"]])
  })

  it("do not differ in a time that decides nothing", () => {
    expect(facts(born("mutable"), { mutability: "mutable", ttlMillis: 1 })).toEqual([])
    expect(facts(born("ephemeral"), { mutability: "mutable", ttlMillis: 1 })).toEqual([
      ["mutability", "ephemeral", "mutable"]
    ])
  })

  it("differ also where the file says nothing that can be", () => {
    expect(facts(new Map(), { mutability: "mutable", memories: "shared" })).toHaveLength(2)
  })
})

it("the sentence names the file, both values, the command and the lines of the configuration", () => {
  const text = differenceText(
    "/x/notebook.db",
    "notebook",
    birthDifferences(born("mutable"), { mutability: "append-only", memories: "private" })
  )
  expect(text).toContain("/x/notebook.db was made with mutability mutable, memories shared")
  expect(text).toContain("asks for mutability append-only, memories private")
  expect(text).toContain("cortex network migrate --cassette notebook")
  expect(text).toContain("mutability: mutable, no capability agent_id")
  const back = differenceText("f", "n", birthDifferences(born("mutable", "private"), { memories: "shared" }))
  expect(back).toContain("let the configuration say the capability agent_id")
})
