// The index and the symbols in the corpus database, under the application's port. Each call is one statement or one
// transaction; a file's rows are always replaced as a whole.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CorpusStore, type NamedSection } from "../../application/corpus/corpus-store.ts"
import type { HeadingRow, IndexedFile, SectionRow } from "../../domain/corpus/rows.ts"
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
  selectHeadings,
  selectHeadingSections,
  selectHeadingsOf,
  selectSection,
  selectSections,
  selectSectionsOf,
  selectSymbol,
  selectSymbols,
  selectWholeSection
} from "./corpus-statements.ts"

const named = (
  sections: ReadonlyArray<SectionRow>,
  headings: ReadonlyArray<HeadingRow>
): ReadonlyArray<NamedSection> => {
  const bySection = Map.groupBy(headings, ({ section_id }) => section_id)
  return sections.map((section) => ({ ...section, headings: bySection.get(section.section_id) ?? [] }))
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
          if (section === undefined) return undefined
          return named([section], selectHeadingsOf.all(connection, { path: section.path }))[0]
        })
      ),
    sections: (path) =>
      run((connection) =>
        connection.snapshot(() =>
          path === undefined
            ? named(selectSections.all(connection, {}), selectHeadings.all(connection, {}))
            : named(selectSectionsOf.all(connection, { path }), selectHeadingsOf.all(connection, { path }))
        )
      ),
    update: ({ indexed, removed }) =>
      write((connection) => {
        for (const path of removed) remove(connection, path)
        for (const file of indexed) put(connection, file)
      }),
    symbol: (symbol_id) => run((connection) => selectSymbol.first(connection, { symbol_id })),
    symbols: run((connection) => selectSymbols.all(connection, {})),
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
