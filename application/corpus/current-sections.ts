// From a name to the one section that it means now. A stat proves that the indexed text still stands; when it does not,
// the file is read and its sections are cut again, so that an edit shows by itself. It never guesses: what means no
// section, or several, is an error.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { textOfUtf8 } from "../../domain/canonical/bytes.ts"
import { hasTimestamp } from "../../domain/canonical/timestamp.ts"
import {
  AmbiguousHeading,
  type CorpusStoreError,
  FileChanged,
  FileNotIndexed,
  type FileReadError,
  HeadingNotFound,
  type ResolveTargetError,
  SectionNotFound,
  SymbolNotFound
} from "../../domain/corpus/errors.ts"
import { isUnchanged } from "../../domain/corpus/freshness.ts"
import { dialectOf } from "../../domain/corpus/headings.ts"
import { MAX_MARKDOWN_BYTES, MAX_NAMED_LINES } from "../../domain/corpus/limits.ts"
import type { FileRow, IndexedFile, SectionRow } from "../../domain/corpus/rows.ts"
import { cutSections } from "../../domain/corpus/sections.ts"
import { isSectionId } from "../../domain/corpus/symbols.ts"
import { textOfLines } from "../../domain/corpus/text.ts"
import { Hashing } from "../foundation/hashing.ts"
import { CorpusFiles, type FileText } from "./corpus-files.ts"
import { CorpusStore, type TargetRows } from "./corpus-store.ts"
import { Markdown } from "./markdown.ts"
import { makeSectionMemory } from "./section-memory.ts"

interface Names {
  /** The heading path by which it was found; null for a whole file and for a section that was asked for by its id. */
  readonly heading: string | null
  /** The symbol's default slice. */
  readonly slice: string | null
}

/** The section that a symbol or a section id means now. */
export interface CurrentSection extends SectionRow, Names {}

/** A current section, and the file's row if its stat alone has proved that it is current. */
interface Located {
  readonly section: SectionRow
  readonly proof: FileRow | undefined
}

/** How a reference can fail to name a current section. */
export type CurrentSectionError = ResolveTargetError | CorpusStoreError

/** True when a Markdown file of this many bytes is too large for its headings to be looked for. */
export const leavesHeadingsOut = (path: string, bytes: number): boolean =>
  dialectOf(path) !== undefined && bytes > MAX_MARKDOWN_BYTES

/** Everything below it is given: how files, index, parser and hashes work together. */
export const makeCurrentSections = Effect.gen(function* () {
  const files = yield* CorpusFiles
  const store = yield* CorpusStore
  const markdown = yield* Markdown
  const hashes = yield* Hashing

  const cut = (path: string, { stat, text }: FileText, hashed_at_ms: number): IndexedFile => {
    const dialect = leavesHeadingsOut(path, stat.size) ? undefined : dialectOf(path)
    const headings = dialect === undefined ? [] : markdown.headings(textOfUtf8(text), dialect)
    return cutSections(hashes, { path, stat, hashed_at_ms, text }, headings)
  }

  /**
   * Reads a file and cuts it; the time is taken before, so that a change while reading counts as young. A clock that
   * shows no time proves nothing: it counts as 1970, and the text is read again.
   */
  const readFile = Effect.fnUntraced(function* (path: string): Effect.fn.Return<IndexedFile, FileReadError> {
    const now = yield* Clock.currentTimeMillis
    return cut(path, yield* files.read(path), hasTimestamp(now) ? Math.floor(now) : 0)
  })

  const refreshed = Effect.fnUntraced(function* (path: string) {
    const indexed = yield* readFile(path)
    if (!store.readOnly) yield* store.update({ indexed: [indexed], removed: [] })
    return indexed
  })

  const isCurrent = ({ file }: TargetRows, path: string): boolean => {
    const stat = files.stat(path)
    return file !== undefined && stat !== undefined && isUnchanged(file, stat)
  }

  /** The sections that a name means in a file as it is now, and the file's row when its stat proves it. */
  const candidates = Effect.fnUntraced(function* (path: string, heading: string | null) {
    const rows = yield* store.target(path, heading)
    if (rows.file === undefined) return yield* new FileNotIndexed({ path })
    if (isCurrent(rows, path)) return { found: rows.sections, proof: rows.file }
    const { file, headings, sections } = yield* refreshed(path)
    const byId = new Map(sections.map((section) => [section.section_id, section]))
    const found =
      heading === null
        ? sections
            .filter(({ line_end, line_start }) => line_start === 0 && line_end === file.line_count)
            .map((section) => ({ section, line: 0 }))
        : headings
            .filter((each) => each.heading === heading)
            .map(({ line, section_id }) => ({ section: byId.get(section_id)!, line }))
    return { found, proof: undefined }
  })

  /** The one section that a path and a heading path mean now. */
  const ofTarget = Effect.fnUntraced(function* (
    path: string,
    heading: string | null
  ): Effect.fn.Return<Located, CurrentSectionError> {
    const { found, proof } = yield* candidates(path, heading)
    const [first] = found
    if (first === undefined) return yield* new HeadingNotFound({ path, heading: heading ?? "" })
    if (found.length > 1) {
      return yield* new AmbiguousHeading({
        path,
        heading: heading ?? "",
        lines: found.slice(0, MAX_NAMED_LINES).map(({ line }) => line + 1),
        lines_left_off: Math.max(0, found.length - MAX_NAMED_LINES)
      })
    }
    return { section: first.section, proof }
  })

  const ofSectionId = Effect.fnUntraced(function* (
    section_id: string
  ): Effect.fn.Return<Located, CurrentSectionError> {
    const stored = yield* store.section(section_id)
    if (stored === undefined) return yield* new SectionNotFound({ section_id })
    const { headings: _, ...section } = stored
    const rows = yield* store.target(section.path, null)
    if (isCurrent(rows, section.path)) return { section, proof: rows.file }
    const { sections } = yield* refreshed(section.path)
    const current = sections.find((each) => each.section_id === section_id)
    return current === undefined
      ? yield* new SectionNotFound({ section_id })
      : { section: current, proof: undefined }
  })

  const ofSymbol = Effect.fnUntraced(function* (
    symbol_id: string
  ): Effect.fn.Return<Located & Names, CurrentSectionError> {
    const symbol = yield* store.symbol(symbol_id)
    if (symbol === undefined) return yield* new SymbolNotFound({ symbol_id })
    const { heading, path, slice } = symbol
    return { ...(yield* ofTarget(path, heading)), heading, slice }
  })

  const memory = makeSectionMemory<CurrentSection>(store, files)

  const lookUp = Effect.fnUntraced(function* (
    reference: string
  ): Effect.fn.Return<CurrentSection, CurrentSectionError> {
    const version = store.version()
    const { heading, proof, section, slice } = isSectionId(reference)
      ? { ...(yield* ofSectionId(reference)), heading: null, slice: null }
      : yield* ofSymbol(reference)
    const value = { ...section, heading, slice }
    if (proof !== undefined && version !== undefined) memory.keep(reference, { version, file: proof, value })
    return value
  })

  /** The section that a symbol or a section id means now; the text is not touched while its stat is unchanged. */
  const ofReference = (reference: string): Effect.Effect<CurrentSection, CurrentSectionError> =>
    Effect.suspend(() => {
      const known = memory.recall(reference)
      return known === undefined ? lookUp(reference) : Effect.succeed(known)
    })

  /** The text of a section as UTF-8, read now; `FileChanged` when it is no longer the text that its hash names. */
  const bytesOf = Effect.fnUntraced(function* ({
    content_hash,
    line_end,
    line_start,
    path
  }: SectionRow): Effect.fn.Return<Uint8Array, FileReadError> {
    const { text } = yield* files.read(path)
    const lines = textOfLines(text, line_start, line_end)
    if (hashes.sha256OfBytes(lines) !== content_hash) return yield* new FileChanged({ path })
    return lines
  })

  return { readFile, ofReference, ofTarget, bytesOf }
})
