// A corpus from what is installed anyway: the sources and documentation of packages, cut into Markdown documents of
// about the size of a page, in a fixed order. Nothing is downloaded and nothing depends on chance.
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
  readonly path: string
  readonly text: string
}

/** How many paragraphs make a document; each is a section with a heading of its own. */
const SECTIONS = 4

/** At least `chunks` sections, as documents; when the sources are used up they are used again under another word. */
export const benchDocuments = (chunks: number): ReadonlyArray<BenchDocument> => {
  const paragraphs = filesBelow(join(root, "src")).flatMap((file) =>
    readFileSync(file, "utf8")
      .split(/\n\n+/)
      .filter((paragraph) => paragraph.length > 120)
      .map((paragraph) => ({
        name: file.slice(root.length + 1).replaceAll(/\W+/g, "-"),
        text: paragraph.replaceAll(/^ *\/?\*+\/?|^#/gm, "").slice(0, 1_500)
      }))
  )
  const documents: Array<BenchDocument> = []
  for (let made = 0; made < chunks; made += SECTIONS) {
    const round = Math.floor(made / paragraphs.length)
    const own = Array.from(
      { length: SECTIONS },
      (_, index) => paragraphs[(made + index) % paragraphs.length]!
    )
    const text = own.map((part, index) => `# Section ${round}-${index}\n\n${part.text}\n`).join("\n")
    documents.push({ path: `topic-${own[0]!.name.length % 8}/${own[0]!.name}-${made}.md`, text })
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
