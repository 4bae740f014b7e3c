// The network: however a corpus is divided among cassettes, folded or not, a question gives the ids, order and scores
// of the undivided corpus to the last bit; and no text at all, as document or as question, is an error or is read as
// the syntax of a search engine.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { questionOf } from "../domain/network/ranking/query-text.ts"
import { termTexts, wordsOf } from "../domain/network/ranking/words.ts"
import { englishStem } from "../infrastructure/network/index/english-stems.ts"
import { cassetteWith, local, withNetworkOf } from "../infrastructure/network/testing/cassettes.ts"
import { propParameters } from "./support/configuration.ts"

const word = fc.constantFrom(
  "agent",
  "agents",
  "hub",
  "error",
  "the",
  "multi-agent",
  "getUserName",
  "src/main.py",
  "漢字かな",
  "字",
  "naïve",
  "🚀",
  "GB/s",
  "don't",
  "AND",
  "how",
  "do"
)
const prose = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(" "))
/** Up to 150 words in a row out of 1,200. */
const numbered = fc
  .tuple(fc.constantFrom(0, 40, 90, 1_050), fc.integer({ min: 1, max: 150 }))
  .map(([from, count]) => Array.from({ length: count }, (_, index) => `w${from + index}`).join(" "))
const documentText = fc
  .array(fc.oneof({ weight: 4, arbitrary: prose }, { weight: 1, arbitrary: numbered }), {
    minLength: 1,
    maxLength: 6
  })
  .map((parts) => parts.join("\n\n# Part\n\n"))
const path = fc.tuple(fc.constantFrom("a", "b"), fc.nat(30)).map(([folder, name]) => `${folder}/${name}.md`)
const corpus = fc.uniqueArray(fc.tuple(path, documentText), {
  minLength: 1,
  maxLength: 16,
  selector: ([name]) => name
})
/** More different terms than are looked for, of which a text has some. */
const longQuestion = fc
  .tuple(prose, numbered, numbered, prose)
  .map(([first, low, high, last]) => [first, low, high, last].join(" "))
const question = fc.oneof(
  prose,
  longQuestion,
  fc.tuple(word, word).map(([first, second]) => `"${first} ${second}" ${first}`)
)

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        '"',
        "'",
        "*",
        "^",
        "(",
        ")",
        ":",
        "-",
        "+",
        "{",
        "}",
        "NEAR",
        "AND",
        "OR",
        "NOT",
        "body:",
        "\0",
        "\u202e",
        "\ud800",
        " ",
        "a",
        "é",
        "\u0301",
        "漢"
      ),
      { maxLength: 30 }
    )
    .map((parts) => parts.join(""))
)

const inFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "network-prop-"))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const ask = (
  folder: string,
  parts: ReadonlyArray<ReadonlyArray<readonly [string, string]>>,
  folded: boolean,
  questions: ReadonlyArray<string>,
  limit: number
) =>
  withNetworkOf(
    parts.map((own, part) => {
      const id = `p${parts.length}-${part}-${folded}`
      return local(id, cassetteWith(folder, id, Object.fromEntries(own), folded))
    }),
    (network) =>
      Effect.map(
        Effect.forEach(questions, (text) => network.query(text, limit, { maxBytes: Infinity })),
        (answers) =>
          answers.map(({ hits }) =>
            hits.map(({ chunk_id, parts, score }) => [chunk_id, score, parts] as const)
          )
      )
  )

describe("the network", () => {
  it("ranks a divided corpus as the undivided one", async () => {
    await fc.assert(
      fc.asyncProperty(
        corpus,
        fc.constantFrom(1, 4, 8, 16),
        // By chance, or by folder as topics are divided.
        fc.option(fc.array(fc.nat(15), { minLength: 16, maxLength: 16 }), { nil: undefined }),
        fc.array(question, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        (documents, count, division, questions, limit, folded) =>
          inFolder(async (folder) => {
            const partOf = (name: string, index: number) =>
              division === undefined ? ["a", "b"].indexOf(name[0]!) : division[index]!
            const parts = Array.from({ length: count }, (_, part) =>
              documents.filter(([name], index) => partOf(name, index) % count === part)
            )
            const whole = await ask(folder, [documents], true, questions, limit)
            expect(await ask(folder, parts, folded, questions, limit)).toEqual(whole)
          })
      ),
      propParameters(0.05)
    )
  })

  it("takes any text as a question", async () => {
    await inFolder(async (folder) => {
      const own = new Set(["bodi", "of", "the", "agent", "a", "b", "md", "b.md", "a/b.md"])
      const cassette = local("one", cassetteWith(folder, "one", { "a/b.md": "body of the agent" }))
      await withNetworkOf([cassette], (network) =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(hostile, async (text) => {
              const { hits } = await Effect.runPromise(network.query(text))
              const { phrases, terms } = questionOf(text, englishStem)
              const isFound = terms.some((term) => own.has(term))
              // A phrase can only keep hits away.
              if (phrases.length === 0 || !isFound) expect(hits.length > 0).toBe(isFound)
            }),
            propParameters(5)
          )
        )
      )
    })
  })

  it("finds every text by its own words", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { identifiers, sequence, singles } = wordsOf(text, englishStem)
        const { terms } = questionOf(text, englishStem)
        const found = [...sequence, ...identifiers].map(({ term }) => term)
        expect(found.every((term) => term !== "" && !term.includes(" "))).toBe(true)
        expect(new Set(terms)).toEqual(new Set(found))
        expect(singles.every(({ term }) => term !== "" && !term.includes(" "))).toBe(true)
        expect(
          termTexts(text, englishStem)
            .sequence.split(" ")
            .filter((term) => term !== "")
        ).toEqual(sequence.map(({ term }) => term))
      }),
      propParameters(25)
    )
  })
})
