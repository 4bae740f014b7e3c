// Questions of which something is said in notices. Those of more terms than are looked for: what tells most is found wherever it stands in the question, alike in one
// cassette and in several, and the answer says what was left out.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { cassetteWith, local, withNetworkOf } from "../testing/cassettes.ts"

const common = Array.from({ length: 100 }, (_, index) => `word${index}`).join(" ")
const documents = {
  "a/common.md": common,
  "a/other.md": `${common} orchard`,
  "b/rare.md": "the quince of the garden"
}

const cassettes = (parts: ReadonlyArray<ReadonlyArray<keyof typeof documents>>) =>
  parts.map((paths, part) => {
    const id = `part${part}`
    const own = Object.fromEntries(paths.map((path) => [path, documents[path]]))
    return local(id, cassetteWith(temporaryFolder(), id, own))
  })

const question = `${common} ${"padding ".repeat(2_000)} quince orchard`
const notice =
  "the question has too many different terms: 38 of them were left out, and the 64 that stand in the fewest texts were looked for"

describe("a long question", () => {
  it("finds its rarest words behind many others, in one cassette and in three", async () => {
    const ask = (parts: Parameters<typeof cassettes>[0]) =>
      withNetworkOf(cassettes(parts), (network) => network.query(question))
    const whole = await ask([["a/common.md", "a/other.md", "b/rare.md"]])
    expect(whole.hits.map(({ path }) => path).sort()).toEqual(["a/common.md", "a/other.md", "b/rare.md"])
    expect(whole.notices).toEqual([notice])
    const divided = await ask([["b/rare.md"], ["a/common.md"], ["a/other.md"]])
    expect(divided.hits.map(({ path, score }) => [path, score])).toEqual(
      whole.hits.map(({ path, score }) => [path, score])
    )
    expect(divided.notices).toEqual([notice])
  })
  it("says in lists by cassette what was left out, and a short one says nothing", async () => {
    const [long, short] = await withNetworkOf(
      cassettes([["a/common.md", "a/other.md"], ["b/rare.md"]]),
      (network) => Effect.all([network.queryAll(question), network.queryAll("quince")])
    )
    expect([long.notices, short.notices]).toEqual([[notice], []])
    expect(long.results["part1"]?.map(({ path }) => path)).toEqual(["b/rare.md"])
  })
})

describe("a question that only function words of it are found for", () => {
  const untelling =
    "only function words of the question occur in any text, so what was found may have nothing to do with it"
  const ask = (question: string) =>
    withNetworkOf(
      [
        local(
          "small",
          cassetteWith(temporaryFolder(), "small", {
            "a.md": "what the quince is",
            "b.md": "das ist der Apfel, wie er war"
          })
        )
      ],
      (network) => network.query(question)
    )

  it.each(["what is the", "wie ist das", "what is the zorb", "wie ist das Zorb?"])(
    "says so: %s",
    async (question) => {
      const { hits, notices } = await ask(question)
      expect(hits.length).toBeGreaterThan(0)
      expect(notices).toEqual([untelling])
    }
  )

  it.each(["what is the quince", "wie ist der Apfel", '"what the"', "the what", "zorb"])(
    "is told from others: %s",
    async (question) => {
      expect((await ask(question)).notices).toEqual([])
    }
  )
})
