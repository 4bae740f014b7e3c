// A corpus from what is installed anyway: the sources and documentation of a package, cut into Markdown documents of
// about the size of a page, in a fixed order. When its paragraphs are used up, further ones are mixed from their lines by
// a generator with a fixed start: real words in real lines, never the same text twice. Nothing is downloaded.
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(fileURLToPath(import.meta.resolve("effect/package.json")))

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true })
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesBelow(path)
      return /\.(ts|md)$/.test(entry.name) ? [path] : []
    })

export interface BenchDocument {
  /** What it is about: the file that its paragraphs come from, or are as long as. */
  readonly topic: string
  readonly path: string
  readonly text: string
}

/** How many paragraphs make a document; each is a section with a heading of its own. */
const SECTIONS = 4

/** Numbers from 0 to below 1, the same ones in every run (xorshift32). */
export const fixedChance = (start: number): (() => number) => {
  let state = start
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

interface Paragraph {
  readonly name: string
  readonly text: string
}

const realParagraphs = (): ReadonlyArray<Paragraph> =>
  filesBelow(join(root, "src")).flatMap((file) =>
    readFileSync(file, "utf8")
      .split(/\n\n+/)
      .filter((paragraph) => paragraph.length > 120)
      .map((paragraph) => ({
        name: file.slice(root.length + 1).replaceAll(/\W+/g, "-"),
        text: paragraph.replaceAll(/^ *\/?\*+\/?|^#/gm, "").slice(0, 1_500)
      }))
  )

/** A paragraph as long as `like`, made of lines from anywhere. */
const mixed = (lines: ReadonlyArray<string>, like: Paragraph, chance: () => number): Paragraph => {
  const own: Array<string> = []
  for (let length = 0; length < like.text.length; length += own.at(-1)!.length + 1) {
    own.push(lines[Math.floor(chance() * lines.length)]!)
  }
  return { name: like.name, text: own.join("\n") }
}

/** At least `chunks` sections, as documents. */
export const benchDocuments = (chunks: number): ReadonlyArray<BenchDocument> => {
  const real = realParagraphs()
  const lines = real.flatMap(({ text }) => text.split("\n").filter((line) => line.trim() !== ""))
  const chance = fixedChance(2_463_534_242)
  const documents: Array<BenchDocument> = []
  for (let made = 0; made < chunks; made += SECTIONS) {
    const own = Array.from({ length: SECTIONS }, (_, index) => {
      const paragraph = real[(made + index) % real.length]!
      return made < real.length ? paragraph : mixed(lines, paragraph, chance)
    })
    const round = Math.floor(made / real.length)
    const text = own.map((part, index) => `# Section ${round}-${index}\n\n${part.text}\n`).join("\n")
    const topic = own[0]!.name
    documents.push({ topic, path: `topic-${topic.length % 8}/${topic}-${made}.md`, text })
  }
  return documents
}

/** Questions of two to four words that stand next to each other in the corpus, and some of stop words alone. */
export const benchQuestions = (
  documents: ReadonlyArray<BenchDocument>,
  count: number
): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => {
    if (index % 20 === 19) return "the of and"
    const words = documents[(index * 7_919) % documents.length]!.text.match(/[a-zA-Z]{2,}/g) ?? ["effect"]
    const start = (index * 31) % Math.max(1, words.length - 4)
    return words.slice(start, start + 2 + (index % 3)).join(" ")
  })

/** Questions of stop words alone, as many as asked for. */
export const stopWordQuestions = (count: number): ReadonlyArray<string> => {
  const words = ["the", "of", "and", "to", "a", "in", "is", "for", "it", "with"]
  return Array.from({ length: count }, (_, index) =>
    [0, 1, 2].map((step) => words[(index * (step + 1) + step * 3) % words.length]!).join(" ")
  )
}
