// The index and the symbols in the corpus database, under the application's port. Each call is one statement or one
// transaction; a file's rows are always replaced as a whole.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CorpusStore, type NamedSection, type SectionsPage } from "../../application/corpus/corpus-store.ts"
import { indexHash, symbolHash } from "../../domain/corpus/row-hashes.ts"
import type { IndexedFile, SectionRow } from "../../domain/corpus/rows.ts"
import { ReadOnlyStore } from "../../domain/foundation/storage-errors.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import type { Connection } from "../sqlite/connection/better-sqlite3-host.ts"
import { CorpusDatabase } from "./corpus-database.ts"
import {
  damaged,
  isBehindText,
  isIndexWhole,
  soundIndex,
  soundOrder,
  soundSection,
  soundSymbol
} from "./corpus-soundness.ts"
import {
  deleteFile,
  deleteHeadings,
  deleteSections,
  deleteSymbol,
  insertFile,
  insertHeading,
  insertSection,
  insertSymbol,
  selectFile,
  selectFiles,
  selectHeadingSections,
  selectHeadingsOfSection,
  selectSection,
  selectSectionIds,
  selectSectionsAfter,
  selectSectionsOfAfter,
  selectStrayPaths,
  selectSymbol,
  selectSymbolsAfter,
  selectWholeSection
} from "./compiled/corpus-statements.ts"
import { verifyCorpus } from "./corpus-verification.ts"
import { selectNextOfSection } from "./expansions/compiled/expansion-statements.ts"

const named = (connection: Connection, section: SectionRow): NamedSection => ({
  ...section,
  headings: selectHeadingsOfSection.all(connection, { section_id: section.section_id })
})

const isSectionBehind = (row: SectionRow, other: SectionRow): boolean =>
  row.path === other.path
    ? row.line_start > other.line_start ||
      (row.line_start === other.line_start && row.line_end < other.line_end)
    : isBehindText(row.path, other.path)

/** The rows of a page of sections. */
const sectionRows = (connection: Connection, { after, limit, path }: SectionsPage): Array<SectionRow> => {
  const { line_end, line_start } = after ?? { line_start: -1, line_end: 0 }
  if (path === undefined) {
    return selectSectionsAfter.all(connection, { path: after?.path ?? "", line_start, line_end, limit })
  }
  // A place in another file lies before all of this one, or behind it.
  if (after !== undefined && isBehindText(after.path, path)) return []
  const isWithin = after === undefined || after.path === path
  return selectSectionsOfAfter.all(connection, {
    path,
    line_start: isWithin ? line_start : -1,
    line_end,
    limit
  })
}

const remove = (connection: Connection, path: string): void => {
  // Headings first: they refer to sections, and sections to files.
  for (const statement of [deleteHeadings, deleteSections, deleteFile]) statement.run(connection, { path })
}

const put = (connection: Connection, indexed: IndexedFile): void => {
  const { file, headings, sections } = indexed
  const known = selectFile.first(connection, { path: file.path })
  const isMended = known !== undefined && !isIndexWhole(connection, known)
  remove(connection, file.path)
  insertFile.run(connection, { ...file, index_hash: indexHash(sha256, indexed) })
  for (const section of sections) insertSection.run(connection, { ...section })
  for (const heading of headings) insertHeading.run(connection, { ...heading })
  if (!isMended) return
  const made = selectFile.first(connection, { path: file.path })
  // Where the pages themselves are damaged, what is written is not what is found.
  if (made === undefined || !isIndexWhole(connection, made)) throw damaged("INTEGRITY", `files ${file.path}`)
}

const wholeSection = (connection: Connection, path: string) =>
  selectWholeSection.all(connection, { path }).map((section) => ({ section, line: 0 }))

const headingSections = (connection: Connection, path: string, heading: string) =>
  selectHeadingSections.all(connection, { path, heading }).map(({ line, ...section }) => ({ section, line }))

const makeStore = ({
  dataVersion,
  filename,
  readOnly,
  run
}: CorpusDatabase["Service"]): CorpusStore["Service"] => {
  let version = 0
  let seen: number | undefined
  const write = <A>(work: (connection: Connection) => A) =>
    readOnly
      ? Effect.fail(new ReadOnlyStore({ file: filename }))
      : run((connection) => {
          version++
          return connection.transaction(() => work(connection))
        })
  return {
    readOnly,
    version: () => {
      const others = dataVersion()
      if (others !== seen) version++
      seen = others
      return others === undefined ? undefined : version
    },
    files: run((connection) =>
      connection.snapshot(() =>
        selectFiles.all(connection, {}).map((stored) => {
          const { index_hash: _, ...file } = stored
          return Object.assign(file, { isWhole: isIndexWhole(connection, stored) })
        })
      )
    ),
    strayPaths: run((connection) => selectStrayPaths.all(connection, {}).map(({ path }) => path)),
    target: (path, heading) =>
      run((connection) =>
        connection.snapshot(() => {
          const stored = selectFile.first(connection, { path })
          if (stored === undefined) return { file: undefined, sections: [] }
          const { index_hash: _, ...file } = soundIndex(connection, stored)
          const sections =
            heading === null ? wholeSection(connection, path) : headingSections(connection, path, heading)
          return { file, sections }
        })
      ),
    section: (section_id) =>
      run((connection) =>
        connection.snapshot(() => {
          const section = selectSection.first(connection, { section_id })
          return section === undefined ? undefined : named(connection, soundSection(section))
        })
      ),
    sectionIds: (from, limit) =>
      run((connection) =>
        selectSectionIds.all(connection, { from, limit }).map(({ section_id }) => section_id)
      ),
    sections: (page) =>
      run((connection) =>
        connection.snapshot(() =>
          soundOrder("sections", sectionRows(connection, page), page.after, isSectionBehind).map((section) =>
            named(connection, soundSection(section))
          )
        )
      ),
    update: ({ indexed, removed }) =>
      write((connection) => {
        for (const path of removed) remove(connection, path)
        for (const file of indexed) put(connection, file)
      }),
    symbol: (symbol_id) => run((connection) => soundSymbol(selectSymbol.first(connection, { symbol_id }))),
    symbols: ({ after, limit }) =>
      run((connection) =>
        soundOrder(
          "symbols",
          selectSymbolsAfter.all(connection, { after, limit }).map((stored) => soundSymbol(stored)!),
          { symbol_id: after },
          (row, other) => isBehindText(row.symbol_id, other.symbol_id)
        )
      ),
    addSymbol: (symbol) =>
      write((connection) => {
        const standing = soundSymbol(selectSymbol.first(connection, { symbol_id: symbol.symbol_id }))
        if (standing === undefined) {
          insertSymbol.run(connection, { ...symbol, symbol_hash: symbolHash(sha256, symbol) })
        }
        return standing
      }),
    verify: run((connection) => connection.snapshot(() => verifyCorpus(connection))),
    expansionOf: (section_id, after) =>
      run((connection) => selectNextOfSection.first(connection, { section_id, after })),
    removeSymbol: (symbol_id) => write((connection) => deleteSymbol.run(connection, { symbol_id }) > 0)
  }
}

/** The index and the symbols in the open corpus database. */
export const sqliteCorpusStoreLayer: Layer.Layer<CorpusStore, never, CorpusDatabase> = Layer.effect(
  CorpusStore,
  Effect.map(CorpusDatabase, makeStore)
)
