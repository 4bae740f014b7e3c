// What the demo reads: the text files of a folder, copied to a root of the demo's own, indexed, named by symbols, and
// asked for in one request. The folder itself is never written to.
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import * as Effect from "effect/Effect"
import { Corpus, type PlanRequest } from "../../interfaces/embedding/index.ts"

/** Most files that the demo takes from a folder, and the largest (bytes). */
const MAX_FILES = 60
const MAX_BYTES = 1_048_576
const SKIPPED = new Set(["node_modules", "dist", "CORTEX"])

const decoder = new TextDecoder("utf-8", { fatal: true })

const isText = (file: string): boolean => {
  const bytes = readFileSync(file)
  try {
    return bytes.length <= MAX_BYTES && !decoder.decode(bytes).includes("\u0000")
  } catch {
    return false
  }
}

/** The text files of a folder in order, as paths relative to it; `only` picks by ending, hidden ones are left out. */
export const textFiles = (folder: string, only?: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (current: string): void => {
    for (const entry of readdirSync(current, { withFileTypes: true })) {
      if (SKIPPED.has(entry.name) || entry.name.startsWith(".")) continue
      const path = join(current, entry.name)
      if (entry.isDirectory()) visit(path)
      else if (entry.isFile() && (only === undefined || entry.name.endsWith(only))) found.push(path)
    }
  }
  visit(folder)
  return found
    .toSorted()
    .filter(isText)
    .slice(0, MAX_FILES)
    .map((path) => relative(folder, path))
}

/** Copies files from one folder to another. */
export const copyFiles = (from: string, to: string, paths: ReadonlyArray<string>): void => {
  for (const path of paths) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(from, path), join(to, path))
  }
}

/** A symbol for the file at a place in the list: `docs/A guide.md` becomes `@DOCS/7/A_guide.md`. */
const symbolFor = (path: string, place: number): string =>
  `@DOCS/${place}/${path
    .replaceAll(/^.*\//g, "")
    .replaceAll(/[^A-Za-z0-9_-]+(?=.)/g, "_")
    .replaceAll(/[^A-Za-z0-9_-]$/g, "_")}`

/**
 * Indexes the root and names its files. The request asks for the beginning of each by its symbol, for the first heading
 * below the title of each by its section, and for the first file a second time.
 */
export const requestFor = Effect.fn("demo.request")(function* (run_id: string, paths: ReadonlyArray<string>) {
  const corpus = yield* Corpus
  const report = yield* corpus.index({ paths })
  const symbols: Array<string> = []
  const sections: Array<{ section_id: string; slice: string }> = []
  for (const [place, path] of paths.entries()) {
    const symbol_id = symbolFor(path, place + 1)
    yield* corpus.addSymbol({ symbol_id, path, slice: "head(2000)" })
    symbols.push(symbol_id)
    const below = (yield* corpus.sections({ path })).find(({ line_start }) => line_start > 0)
    if (below !== undefined) sections.push({ section_id: below.section_id, slice: "head(400)" })
  }
  const request: PlanRequest = {
    run_id,
    request_id: "read-the-documents",
    intent: "read the documents",
    inputs: { symbols: [...symbols, ...symbols.slice(0, 1)], sections },
    budgets: { max_steps: 200, max_bytes: 1_000_000 }
  }
  return { request, report }
})
