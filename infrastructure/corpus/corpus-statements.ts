// Every statement on files, sections, headings and symbols, as it is built; `compiled` has what runs. Expansions have theirs beside their cache.
import { sql } from "kysely"
import type { FileRow, HeadingRow, SectionRow, SymbolRow } from "../../domain/corpus/rows.ts"
import { compileQuery, queryBuilder } from "../sqlite/connection/query-compiler.ts"

/** A file's row with the hash of everything that the index holds of the file. */
export interface StoredFile extends FileRow {
  readonly index_hash: string
}

/** A symbol with its hash. */
export interface StoredSymbol extends SymbolRow {
  readonly symbol_hash: string
}

interface Tables {
  readonly files: StoredFile
  readonly sections: SectionRow
  readonly headings: HeadingRow
  readonly symbols: StoredSymbol
}

const db = queryBuilder<Tables>()

const fileColumns = [
  "path",
  "size",
  "mtime_ns",
  "ctime_ns",
  "inode",
  "hashed_at_ms",
  "content_hash",
  "line_count",
  "index_hash"
] as const
const sectionColumns = ["section_id", "path", "line_start", "line_end", "content_hash"] as const
const headingColumns = ["path", "line", "level", "heading", "section_id"] as const
const symbolColumns = ["symbol_id", "path", "heading", "slice", "symbol_hash"] as const

type PathArguments = { path: string }

export const selectFiles = compileQuery<{}, StoredFile>(() =>
  db.selectFrom("files").select(fileColumns).orderBy("path")
)

export const selectFile = compileQuery<PathArguments, StoredFile>((parameter) =>
  db.selectFrom("files").select(fileColumns).where("path", "=", parameter("path"))
)

export const insertFile = compileQuery<{ [Column in keyof StoredFile]: StoredFile[Column] }>((parameter) =>
  db.insertInto("files").values({
    path: parameter("path"),
    size: parameter("size"),
    mtime_ns: parameter("mtime_ns"),
    ctime_ns: parameter("ctime_ns"),
    inode: parameter("inode"),
    hashed_at_ms: parameter("hashed_at_ms"),
    content_hash: parameter("content_hash"),
    line_count: parameter("line_count"),
    index_hash: parameter("index_hash")
  })
)

export const deleteFile = compileQuery<PathArguments>((parameter) =>
  db.deleteFrom("files").where("path", "=", parameter("path"))
)

/** The whole-file section of a path. */
export const selectWholeSection = compileQuery<PathArguments, SectionRow>((parameter) =>
  db
    .selectFrom("sections")
    .innerJoin("files", "files.path", "sections.path")
    .select(sectionColumns.map((column) => `sections.${column}` as const))
    .where("sections.path", "=", parameter("path"))
    .where("sections.line_start", "=", sql.lit(0))
    .whereRef("sections.line_end", "=", "files.line_count")
)

/** The sections whose heading has this path, with the heading's line. */
export const selectHeadingSections = compileQuery<
  { path: string; heading: string },
  SectionRow & { readonly line: number }
>((parameter) =>
  db
    .selectFrom("headings")
    .innerJoin("sections", "sections.section_id", "headings.section_id")
    .select([...sectionColumns.map((column) => `sections.${column}` as const), "headings.line"])
    .where("headings.path", "=", parameter("path"))
    .where("headings.heading", "=", parameter("heading"))
    .orderBy("headings.line")
)

export const selectSection = compileQuery<{ section_id: string }, SectionRow>((parameter) =>
  db.selectFrom("sections").select(sectionColumns).where("section_id", "=", parameter("section_id"))
)

/** Ids in order, from one on. */
export const selectSectionIds = compileQuery<{ from: string; limit: number }, { section_id: string }>(
  (parameter) =>
    db
      .selectFrom("sections")
      .select("section_id")
      .where("section_id", ">=", parameter("from"))
      .orderBy("section_id")
      .limit(parameter("limit"))
)

type SectionPlace = { path: string; line_start: number; line_end: number; limit: number }

// Of sections that begin together the longest comes first.
const sectionsInOrder = db
  .selectFrom("sections")
  .select(sectionColumns)
  .orderBy("path")
  .orderBy("line_start")
  .orderBy("line_end", "desc")

/** Sections behind a place; the place before all is the empty path. */
export const selectSectionsAfter = compileQuery<SectionPlace, SectionRow>((parameter) =>
  sectionsInOrder
    .where((eb) =>
      eb.or([
        eb("path", ">", parameter("path")),
        eb.and([eb("path", "=", parameter("path")), eb("line_start", ">", parameter("line_start"))]),
        eb.and([
          eb("path", "=", parameter("path")),
          eb("line_start", "=", parameter("line_start")),
          eb("line_end", "<", parameter("line_end"))
        ])
      ])
    )
    // Says again what follows from the condition, so that the index is entered at the place.
    .where("path", ">=", parameter("path"))
    .limit(parameter("limit"))
)

/** Sections of a file behind a place in it; the place before all begins at line -1. */
export const selectSectionsOfAfter = compileQuery<SectionPlace, SectionRow>((parameter) =>
  sectionsInOrder
    .where("path", "=", parameter("path"))
    .where((eb) =>
      eb.or([
        eb("line_start", ">", parameter("line_start")),
        eb.and([eb("line_start", "=", parameter("line_start")), eb("line_end", "<", parameter("line_end"))])
      ])
    )
    .limit(parameter("limit"))
)

export const insertSection = compileQuery<{ [Column in keyof SectionRow]: SectionRow[Column] }>((parameter) =>
  // A row that damage has put under another path stands in the way of the one that is made again.
  db.replaceInto("sections").values({
    section_id: parameter("section_id"),
    path: parameter("path"),
    line_start: parameter("line_start"),
    line_end: parameter("line_end"),
    content_hash: parameter("content_hash")
  })
)

export const deleteSections = compileQuery<PathArguments>((parameter) =>
  db.deleteFrom("sections").where("path", "=", parameter("path"))
)

/** Everything that the index holds of a file beside its row. */
export const selectSectionsOf = compileQuery<PathArguments, SectionRow>((parameter) =>
  db.selectFrom("sections").select(sectionColumns).where("path", "=", parameter("path"))
)

export const selectHeadingsOf = compileQuery<PathArguments, HeadingRow>((parameter) =>
  db.selectFrom("headings").select(headingColumns).where("path", "=", parameter("path"))
)

/** Paths of sections and headings without a file: only damage leaves such. */
export const selectStrayPaths = compileQuery<{}, { readonly path: string }>(() =>
  db
    .selectFrom("sections")
    .select("path")
    .where("path", "not in", db.selectFrom("files").select("path"))
    .union(
      db.selectFrom("headings").select("path").where("path", "not in", db.selectFrom("files").select("path"))
    )
)

/** The headings that name a section, in order. */
export const selectHeadingsOfSection = compileQuery<{ section_id: string }, HeadingRow>((parameter) =>
  db
    .selectFrom("headings")
    .select(headingColumns)
    .where("section_id", "=", parameter("section_id"))
    .orderBy("line")
)

export const insertHeading = compileQuery<{ [Column in keyof HeadingRow]: HeadingRow[Column] }>((parameter) =>
  db.insertInto("headings").values({
    path: parameter("path"),
    line: parameter("line"),
    level: parameter("level"),
    heading: parameter("heading"),
    section_id: parameter("section_id")
  })
)

export const deleteHeadings = compileQuery<PathArguments>((parameter) =>
  db.deleteFrom("headings").where("path", "=", parameter("path"))
)

export const selectSymbolsAfter = compileQuery<{ after: string; limit: number }, StoredSymbol>((parameter) =>
  db
    .selectFrom("symbols")
    .select(symbolColumns)
    .where("symbol_id", ">", parameter("after"))
    .orderBy("symbol_id")
    .limit(parameter("limit"))
)

export const selectSymbol = compileQuery<{ symbol_id: string }, StoredSymbol>((parameter) =>
  db.selectFrom("symbols").select(symbolColumns).where("symbol_id", "=", parameter("symbol_id"))
)

export const insertSymbol = compileQuery<{ [Column in keyof StoredSymbol]: StoredSymbol[Column] }>(
  (parameter) =>
    db.insertInto("symbols").values({
      symbol_id: parameter("symbol_id"),
      path: parameter("path"),
      heading: parameter("heading"),
      slice: parameter("slice"),
      symbol_hash: parameter("symbol_hash")
    })
)

export const deleteSymbol = compileQuery<{ symbol_id: string }>((parameter) =>
  db.deleteFrom("symbols").where("symbol_id", "=", parameter("symbol_id"))
)
