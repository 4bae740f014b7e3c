// How texts are taken apart: the literal thing is always found again.
import { describe, expect, it } from "vitest"
import { questionOf } from "./query-text.ts"
import { termTexts, wordsOf } from "./words.ts"

const plain = (word: string): string => (word.length > 2 ? word.replace(/s$/, "") : word)
const sequence = (text: string) => wordsOf(text, plain).sequence.map(({ term }) => term)
const identifiers = (text: string) => wordsOf(text, plain).identifiers.map(({ term }) => term)

describe("words", () => {
  it.each([
    ["multi-agent", ["multi", "agent"], ["multi-agent"]],
    ["POL-358", ["pol", "358"], ["pol-358"]],
    ["20.04", ["20", "04"], ["20.04"]],
    ["GB/s", ["gb", "s"], ["gb/s"]],
    ["CLAUDE.md", ["claude", "md"], ["claude.md"]],
    ["grammar::fa", ["grammar", "fa"], ["grammar::fa"]],
    ["src/main.py", ["src", "main", "py"], ["src/main.py", "main.py"]],
    ["getUserName", ["get", "user", "name"], ["getusername"]],
    ["HTTPServer", ["http", "server"], ["httpserver"]],
    ["snake_case_name", ["snake", "case", "name"], ["snake_case_name"]],
    ["C++ and C#", ["c", "and", "c"], ["c++", "c#"]],
    ["don't", ["dont"], []],
    ["the agent's", ["the", "agent"], []],
    ["__init__", ["init"], []]
  ])("%s", (text, words, whole) => {
    expect(sequence(text)).toEqual(words)
    expect(identifiers(text)).toEqual(whole)
  })

  it("gives pairs of characters where a script has no blanks, and a single one by itself", () => {
    expect(sequence("漢字かな")).toEqual(["漢字", "字か", "かな"])
    expect(sequence("字")).toEqual(["字"])
    expect(sequence("Node漢字js")).toEqual(["node", "漢字", "js"])
  })

  it.each([
    ["Han", "分布式锁", ["分", "布", "式", "锁"]],
    ["Han among kana", "鍵を開ける", ["鍵", "開"]],
    ["Hangul", "책을", ["책", "을"]],
    ["Thai with vowels that are marks", "สีแดง", ["สี"]],
    ["Myanmar", "ငါးကင်", ["ငါး"]],
    ["a run of one", "字", []],
    ["kana", "ひらがなカタカナ", []],
    ["another script", "naïve", []]
  ])("has single characters of %s where they are words by themselves", (_, text, singles) => {
    expect(wordsOf(text, plain).singles.map(({ term }) => term)).toEqual(singles)
    expect(termTexts(text, plain).identifiers).toBe(singles.join(" "))
    expect(questionOf(text, plain).terms).toEqual([...new Set(sequence(text))].sort())
  })

  it("knows an ideograph with any variation selector", () => {
    expect(sequence("葛\u{e0100}城")).toEqual(sequence("葛城"))
    expect(wordsOf("葛\u{e0100}城", plain).singles.map(({ term }) => term)).toEqual(["葛", "城"])
  })

  it("finds emoji with and without their variations", () => {
    expect(sequence("🚀")).toEqual(["🚀"])
    expect(sequence("❤️")).toEqual(sequence("❤"))
    expect(sequence("👩‍💻🇪🇺")).toEqual(["👩‍💻", "🇪🇺"])
  })

  it("folds case, diacritics, composition and width alike", () => {
    for (const text of ["Café", "CAFÉ", "cafe\u0301", "ｃａｆｅ"]) expect(sequence(text)).toEqual(["cafe"])
    expect(sequence("Straße")).toEqual(["strasse"])
    expect(sequence("ΣΊΣΥΦΟΣ")).toEqual(sequence("σίσυφος"))
  })

  it("has no term with a blank in it, also where a character decomposes into one", () => {
    expect(sequence("\ufc5e x")).toEqual(["\u064c\u0651", "x"])
  })

  it("keeps the place of every word in the text", () => {
    const text = "See src/main.py, don't"
    const { identifiers, sequence } = wordsOf(text, plain)
    expect(sequence.map(({ end, start }) => text.slice(start, end))).toEqual([
      "See",
      "src",
      "main",
      "py",
      "don't"
    ])
    expect(identifiers.map(({ end, start }) => text.slice(start, end))).toEqual(["src/main.py", "main.py"])
  })

  it.each([
    ["characters", "分".repeat(140_000), 139_999],
    [
      "characters with an apostrophe among them",
      `${"分".repeat(140_000)}'s and d'${"布".repeat(140_000)}`,
      279_999
    ],
    ["parts", "a1b.".repeat(140_000), 140_000]
  ])("takes apart a piece of 140,000 %s", (_, text, least) => {
    expect(sequence(text).length).toBeGreaterThanOrEqual(least)
  })

  it("bounds terms and identifiers", () => {
    expect(sequence("a".repeat(1_000))[0]).toHaveLength(64)
    expect(identifiers(`${"a".repeat(200)}-${"b".repeat(200)}`)).toEqual([])
  })

  it("finds in a text of ASCII what it finds there beside other letters", () => {
    const signs = ["a", "B", "7", "_", "'", "-", "/", ":", "+", "#", " ", "*"]
    const longer = (texts: ReadonlyArray<string>) => texts.flatMap((text) => signs.map((sign) => text + sign))
    for (const text of longer(longer(longer(signs)))) {
      const beside = wordsOf(`${text} é`, plain)
      expect(wordsOf(text, plain)).toEqual({ ...beside, sequence: beside.sequence.slice(0, -1) })
    }
  })

  it("gives the same terms as words", () => {
    const text = "See src/main.py, don't; GB/s C++ 日本語 café 👍🏽 XMLHttpRequest2"
    const separated = (words: ReadonlyArray<{ readonly term: string }>) =>
      words.map(({ term }) => term).join(" ")
    const { identifiers, sequence, singles } = wordsOf(text, plain)
    const others = [...identifiers, ...singles].toSorted((left, right) => left.start - right.start)
    expect(termTexts(text, plain)).toEqual({
      sequence: separated(sequence),
      identifiers: separated(others)
    })
  })

  it("joins terms by single blanks", () => {
    expect(termTexts("multi-agent hub", plain)).toEqual({
      sequence: "multi agent hub",
      identifiers: "multi-agent"
    })
  })
})

describe("questions", () => {
  it.each(["", "   ", "***", '"', "''", "()", "^:-"])("%j asks nothing", (text) => {
    expect(questionOf(text, plain)).toEqual({
      terms: [],
      aside: new Set(),
      neighbours: [],
      phrases: []
    })
  })
  it("treats the words of a search language as words", () => {
    expect(questionOf('NOT body:agents OR "', plain).terms).toEqual([
      "agent",
      "body",
      "body:agents",
      "not",
      "or"
    ])
  })
  it("has its terms once and in binary order, and its neighbours", () => {
    expect(questionOf("y x y", plain)).toEqual({
      terms: ["x", "y"],
      aside: new Set(),
      neighbours: [
        ["y", "x"],
        ["x", "y"]
      ],
      phrases: []
    })
  })
  it.each([
    ["how do I patch a dependency", ["a", "do", "how", "i"]],
    ["What’s the use of it?", ["it", "of", "the", "what"]],
    ['how is "to be or not to be" said', ["how", "is"]],
    ['what is "lease"', ["is", "what"]],
    ["mount nas", []],
    ["what is `this` in a class", ["a", "in", "is", "what"]],
    ["how does a to-do list look", ["a", "doe", "how"]],
    ["how does the WHO count", ["doe", "how", "the"]],
    ["how do I find how-to pages", ["do", "i"]],
    ["HOW DO I PATCH", ["do", "how", "i"]]
  ])("tells in %j which words only hold it together", (text, aside) => {
    expect([...questionOf(text, plain).aside].sort()).toEqual(aside)
  })
  it("takes quoted words as a phrase, and an unpaired quotation mark as nothing", () => {
    expect(questionOf('the "memory architecture" of', plain).phrases).toEqual([["memory", "architecture"]])
    expect(questionOf("“fencing token”", plain).phrases).toEqual([["fencing", "token"]])
    expect(questionOf('a "b', plain).phrases).toEqual([])
  })
  it("keeps the order of its terms where they are too many, and says how many are not counted", () => {
    const names = Array.from({ length: 1_200 }, (_, index) => `w${index}`)
    expect(questionOf(names.slice(0, 64).join(" "), plain).excess).toBeUndefined()
    const { excess, terms } = questionOf(names.join(" "), plain)
    expect(excess).toEqual({ inOrder: names.slice(0, 1_000), uncounted: 200, isCut: false })
    expect(terms).toEqual(names.slice(0, 1_000).sort())
  })
  it("says when its text was not read to the end", () => {
    const { excess, terms } = questionOf(`orchard ${" ".repeat(1_048_576)} quince`, plain)
    expect([excess?.isCut, terms]).toEqual([true, ["orchard"]])
  })
})
