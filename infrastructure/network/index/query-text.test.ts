// What people type, asked of real cassettes: the literal thing is found, nothing is the syntax of a search engine, and
// nothing is an error. Each text stands in one document among others that have its parts or look like it.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { cassetteWith, local, withNetworkOf } from "../testing/cassettes.ts"

const documents: Readonly<Record<string, string>> = {
  "a/multi.md": "One multi-agent system.",
  "a/parts.md": "Multi core machines. An agent of change. Pol and 358 men. Grammar school, fa cup.",
  "a/dont.md": "Please don't panic.",
  "a/release.md": "Ubuntu 20.04 is old.",
  "a/numbers.md": "20 apples and 04 pears.",
  "a/rate.md": "It moves 3 GB/s at least.",
  "a/main.md": "Start with src/main.py first.",
  "a/claude.md": "Read CLAUDE.md before.",
  "a/policy.md": "See POL-358 for that.",
  "a/grammar.md": "It calls grammar::fa here.",
  "a/camel.md": "Call getUserName, then HTTPServer.",
  "a/snake.md": "Call handle_error_code too.",
  "a/and.md": "AND is a gate; OR, NOT and NEAR are words.",
  "b/cjk.md": "漢字かな交じり文を書く。東京都に住む。",
  "b/korean.md": "한국어 문장",
  "b/thai.md": "ภาษาไทย",
  "b/emoji.md": "The launch 🚀 was fine. 👩‍💻 wrote it. ❤️ to all, 🇪🇺 too.",
  "b/nfc.md": "The naïve café closes.".normalize("NFC"),
  "b/nfd.md": "A résumé for Zürich.".normalize("NFD"),
  "c/columns.md": "This text is about the path to a heading; its body names identifiers."
}

const ask = (text: string, limit = 20) =>
  withNetworkOf([local("one", cassetteWith(temporaryFolder(), "one", documents))], (network) =>
    Effect.map(network.query(text, limit), ({ hits }) => hits.map(({ path }) => path))
  )

describe("the literal thing is found first", () => {
  it.each([
    ["multi-agent", "a/multi.md"],
    ["don't", "a/dont.md"],
    ["don’t", "a/dont.md"],
    ["20.04", "a/release.md"],
    ["GB/s", "a/rate.md"],
    ["src/main.py", "a/main.md"],
    ["CLAUDE.md", "a/claude.md"],
    ["POL-358", "a/policy.md"],
    ["grammar::fa", "a/grammar.md"],
    ["AND", "a/and.md"],
    ["漢字", "b/cjk.md"],
    ["東京", "b/cjk.md"],
    ["한국", "b/korean.md"],
    ["ไทย", "b/thai.md"],
    ["🚀", "b/emoji.md"],
    ["👩‍💻", "b/emoji.md"],
    ["❤", "b/emoji.md"],
    ["🇪🇺", "b/emoji.md"],
    ["naïve café".normalize("NFC"), "b/nfc.md"],
    ["naïve café".normalize("NFD"), "b/nfc.md"],
    ["résumé Zürich".normalize("NFC"), "b/nfd.md"],
    ["résumé Zürich".normalize("NFD"), "b/nfd.md"],
    ["NAIVE CAFE", "b/nfc.md"]
  ])("%s", async (text, path) => {
    expect((await ask(text))[0]).toBe(path)
  })
})

describe("one character that is a word is found inside of others", () => {
  const texts = {
    "d/lock.md": "我们使用分布式锁来防止冲突。",
    "d/book.md": "새 책을 읽는다.",
    "d/key.md": "この鍵を開ける。",
    "d/colour.md": "สีแดง",
    "d/last.md": "解锁",
    "d/漢字帳.md": "notes"
  }
  it.each([
    ["锁", ["d/last.md", "d/lock.md"]],
    ["突", ["d/lock.md"]],
    ["锁 冲突", ["d/lock.md", "d/last.md"]],
    ['"锁"', ["d/last.md", "d/lock.md"]],
    ["책", ["d/book.md"]],
    ["鍵", ["d/key.md"]],
    ["สี", ["d/colour.md"]],
    ["字", ["d/漢字帳.md"]],
    ["を", []]
  ])("%s", async (text, found) => {
    const file = cassetteWith(temporaryFolder(), "one", texts)
    const paths = await withNetworkOf([local("one", file)], (network) =>
      Effect.map(network.query(text), ({ hits }) => hits.map(({ path }) => path))
    )
    expect(paths).toEqual(found)
  })
})

describe("identifiers are found by part", () => {
  it.each([
    ["camelCase", "user name", "a/camel.md"],
    ["camelCase with capitals", "server", "a/camel.md"],
    ["snake_case", "error code", "a/snake.md"],
    ["kebab-case", "multi agent", "a/multi.md"],
    ["a path", "main", "a/main.md"],
    ["a file of a path", "main.py", "a/main.md"],
    ["a qualified name", "grammar", "a/grammar.md"],
    ["a policy's number", "358", "a/policy.md"]
  ])("%s", async (_, text, path) => {
    expect(await ask(text)).toContain(path)
  })
})

describe("nothing is the syntax of a search engine", () => {
  it.each(['"', "***", "", "   ", "\t\n", "()", "^", ":", "-", "''", '""""', "\u0000", "\ud800", "\u200b"])(
    "%j finds nothing and is no error",
    async (text) => {
      expect(await ask(text)).toEqual([])
    }
  )

  it.each(["body:launch", "path:launch", "{path heading}:launch", "identifiers : launch", "- path:launch"])(
    "%s is no filter of a column",
    async (text) => {
      expect(await ask(text)).toContain("b/emoji.md")
    }
  )

  it.each([
    "launch NOT fine",
    "launch AND zebra",
    "NEAR(launch zebra)",
    "^launch",
    "launch*",
    '"launch',
    "-launch"
  ])("%s still finds the word", async (text) => {
    expect(await ask(text)).toContain("b/emoji.md")
  })

  it("a quoted phrase is a phrase", async () => {
    expect(await ask('"multi-agent system"')).toEqual(["a/multi.md"])
    expect(await ask('"system multi-agent"')).toEqual([])
    expect(await ask("«multi core»")).toEqual(["a/parts.md"])
  })
})

describe("words that only hold a question together", () => {
  // The words that ask are rarer here than those that tell.
  const pages: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      Array.from({ length: 30 }, (_, page) => [
        `p/${page}.md`,
        `The package ${page} has a dependency and a patch of it.`
      ])
    ),
    "p/patch.md": "Patch a dependency: a patch of a dependency is kept beside the package.",
    "p/story.md": "How do I know? How do I, do I, how. What can I do, and why do I?",
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, page) => [`n/${page}.md`, `How to mount a disk ${page}: mount it.`])
    ),
    "n/nas.md": "A nas is a box of disks in the house.",
    "q/hamlet.md": "To be, or not to be.",
    "q/who.md": "The Who is a band.",
    "q/verrou.md": "Un verrou protège la file.",
    "q/questions.md": "Qu’est-ce que c’est ? Comment, que, qui, quoi."
  }
  const paths = (text: string) =>
    withNetworkOf([local("one", cassetteWith(temporaryFolder(), "one", pages))], (network) =>
      Effect.map(network.query(text, 50), ({ hits }) => hits.map(({ path }) => path))
    )

  it("do not decide what is found, nor what stands first", async () => {
    const plain = await paths("patch dependency")
    for (const text of ["how do I patch a dependency", "What can I do to patch the dependency?"]) {
      const found = await paths(text)
      expect(found[0]).toBe("p/patch.md")
      expect([...found].sort()).toEqual([...plain].sort())
    }
    expect(await paths("Qu’est-ce que le verrou ?")).toEqual(["q/verrou.md"])
  })
  it.each([
    ["to be or not to be", "q/hamlet.md"],
    ["The Who", "q/who.md"],
    ["how do I", "p/story.md"],
    ["how do I zebra", "p/story.md"]
  ])("find by themselves what nothing else finds: %s", async (text, path) => {
    expect((await paths(text))[0]).toBe(path)
  })
  it("are no names that are words of another language", async () => {
    expect((await paths("how do I mount a nas"))[0]).toBe("n/nas.md")
    expect((await paths("mount nas"))[0]).toBe("n/nas.md")
  })
  it("must stand where they are quoted", async () => {
    expect(await paths('"how do I" patch')).toEqual(["p/story.md"])
  })
})

describe("a term in more than a tenth of all chunks", () => {
  // 1,100 chunks have the common word: more than the least number that may be called common.
  const many = Object.fromEntries(
    Array.from({ length: 1_100 }, (_, number) => [
      `m/${number}.md`,
      `common words ${number === 7 ? "rare" : number}`
    ])
  )
  it("brings nothing in beside a rarer one, and drives alone where all are common", async () => {
    const file = cassetteWith(temporaryFolder(), "many", many)
    const [both, alone] = await withNetworkOf([local("many", file)], (network) =>
      Effect.all([network.query("common rare", 50), network.query("common words", 50)])
    )
    expect(both.hits.map(({ path }) => path)).toEqual(["m/7.md"])
    expect(alone.hits).toHaveLength(50)
    const scored = await withNetworkOf([local("many", file)], (network) => network.query("rare", 1))
    // The common word is counted in what the rare one brings in.
    expect(both.hits[0]?.score).toBeGreaterThan(scored.hits[0]?.score ?? Number.NaN)
  })
})
