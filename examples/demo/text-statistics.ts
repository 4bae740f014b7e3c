// What the demo's workers really do: find the text files of a folder and count lines, words and bytes of one. A
// file that is no strict UTF-8 is no text file here.
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"

/** Most files that the demo takes from a folder. */
const MAX_FILES = 100
const SKIPPED = new Set(["node_modules", ".git", "dist", ".tsbuild", "CORTEX"])

export interface TextStatistics {
  readonly lines: number
  readonly words: number
  readonly bytes: number
  readonly sha256: string
}

const decoder = new TextDecoder("utf-8", { fatal: true })

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    const text = decoder.decode(bytes)
    return text.includes("\u0000") ? undefined : text
  } catch {
    return undefined
  }
}

/** Counts of a text file, or undefined when it is no text. */
export const textStatistics = (file: string): TextStatistics | undefined => {
  const bytes = readFileSync(file)
  const text = decode(bytes)
  if (text === undefined) return undefined
  return {
    lines: text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    words: text.match(/\S+/gu)?.length ?? 0,
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex")
  }
}

/** The text files of a folder in order of their paths, as paths relative to it; `only` picks by ending. */
export const textFiles = (folder: string, only?: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (current: string): void => {
    for (const entry of readdirSync(current, { withFileTypes: true })) {
      if (SKIPPED.has(entry.name)) continue
      const path = join(current, entry.name)
      if (entry.isDirectory()) visit(path)
      else if (entry.isFile() && (only === undefined || entry.name.endsWith(only))) found.push(path)
    }
  }
  visit(folder)
  return found
    .map((path) => relative(folder, path))
    .toSorted()
    .filter((path) => textStatistics(join(folder, path)) !== undefined)
    .slice(0, MAX_FILES)
}
