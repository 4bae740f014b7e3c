// The index and the symbols in the corpus database, under the application's port. Each call is one statement or one
// transaction; a file's rows are always replaced as a whole.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CorpusStore, type NamedSection, type SectionsPage } from "../../application/corpus/corpus-store.ts"
import type { IndexedFile, SectionRow } from "../../domain/corpus/rows.ts"
import { ReadOnlyStore } from "../../domain/ledger/errors.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"
import { CorpusDatabase } from "./corpus-database.ts"
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
  selectSectionsAfter,
  selectSectionsOfAfter,
  selectSymbol,
  selectSymbolsAfter,
  selectWholeSection
} from "./corpus-statements.ts"

const named = (connection: Connection, section: SectionRow): NamedSection => ({
  ...section,
  headings: selectHeadingsOfSection.all(connection, { section_id: section.section_id })
})

/** True when a path comes after another in the database's order, which is that of their bytes. */
const isBehind = (path: string, other: string): boolean =>
  Buffer.compare(Buffer.from(path), Buffer.from(other)) > 0

/** The rows of a page of sections. */
const sectionRows = (connection: Connection, { after, limit, path }: SectionsPage): Array<SectionRow> => {
  const { line_end, line_start } = after ?? { line_start: -1, line_end: 0 }
  if (path === undefined) {
    return selectSectionsAfter.all(connection, { path: after?.path ?? "", line_start, line_end, limit })
  }
  // A place in another file lies before all of this one, or behind it.
  if (after !== undefined && isBehind(after.path, path)) return []
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

const put = (connection: Connection, { file, headings, sections }: IndexedFile): void => {
  remove(connection, file.path)
  insertFile.run(connection, { ...file })
  for (const section of sections) insertSection.run(connection, { ...section })
  for (const heading of headings) insertHeading.run(connection, { ...heading })
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
    files: run((connection) => selectFiles.all(connection, {})),
    target: (path, heading) =>
      run((connection) =>
        connection.snapshot(() => ({
          file: selectFile.first(connection, { path }),
          sections:
            heading === null ? wholeSection(connection, path) : headingSections(connection, path, heading)
        }))
      ),
    section: (section_id) =>
      run((connection) =>
        connection.snapshot(() => {
          const section = selectSection.first(connection, { section_id })
          return section === undefined ? undefined : named(connection, section)
        })
      ),
    sections: (page) =>
      run((connection) =>
        connection.snapshot(() => sectionRows(connection, page).map((section) => named(connection, section)))
      ),
    update: ({ indexed, removed }) =>
      write((connection) => {
        for (const path of removed) remove(connection, path)
        for (const file of indexed) put(connection, file)
      }),
    symbol: (symbol_id) => run((connection) => selectSymbol.first(connection, { symbol_id })),
    symbols: ({ after, limit }) => run((connection) => selectSymbolsAfter.all(connection, { after, limit })),
    addSymbol: (symbol) =>
      write((connection) => {
        const standing = selectSymbol.first(connection, { symbol_id: symbol.symbol_id })
        if (standing === undefined) insertSymbol.run(connection, { ...symbol })
        return standing
      }),
    removeSymbol: (symbol_id) => write((connection) => deleteSymbol.run(connection, { symbol_id }) > 0)
  }
}

/** The index and the symbols in the open corpus database. */
export const sqliteCorpusStoreLayer: Layer.Layer<CorpusStore, never, CorpusDatabase> = Layer.effect(
  CorpusStore,
  Effect.map(CorpusDatabase, makeStore)
)
