// Written by infrastructure/sqlite/connection/compiled-statements.test.ts from the builders (UPDATE_SNAPSHOT=1), and never edited by hand.
import type * as built from "../corpus-statements.ts"
import { statementOf } from "../../sqlite/connection/statement.ts"

export const selectFiles: typeof built.selectFiles = statementOf(
  `select "path", "size", "mtime_ns", "ctime_ns", "inode", "hashed_at_ms", "content_hash", "line_count", "index_hash" from "files" order by "path"`,
  []
)

export const selectFile: typeof built.selectFile = statementOf(
  `select "path", "size", "mtime_ns", "ctime_ns", "inode", "hashed_at_ms", "content_hash", "line_count", "index_hash" from "files" where "path" = ?`,
  ["path"]
)

export const insertFile: typeof built.insertFile = statementOf(
  `insert into "files" ("path", "size", "mtime_ns", "ctime_ns", "inode", "hashed_at_ms", "content_hash", "line_count", "index_hash") values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ["path","size","mtime_ns","ctime_ns","inode","hashed_at_ms","content_hash","line_count","index_hash"]
)

export const deleteFile: typeof built.deleteFile = statementOf(
  `delete from "files" where "path" = ?`,
  ["path"]
)

export const selectWholeSection: typeof built.selectWholeSection = statementOf(
  `select "sections"."section_id", "sections"."path", "sections"."line_start", "sections"."line_end", "sections"."content_hash" from "sections" inner join "files" on "files"."path" = "sections"."path" where "sections"."path" = ? and "sections"."line_start" = 0 and "sections"."line_end" = "files"."line_count"`,
  ["path"]
)

export const selectHeadingSections: typeof built.selectHeadingSections = statementOf(
  `select "sections"."section_id", "sections"."path", "sections"."line_start", "sections"."line_end", "sections"."content_hash", "headings"."line" from "headings" inner join "sections" on "sections"."section_id" = "headings"."section_id" where "headings"."path" = ? and "headings"."heading" = ? order by "headings"."line"`,
  ["path","heading"]
)

export const selectSection: typeof built.selectSection = statementOf(
  `select "section_id", "path", "line_start", "line_end", "content_hash" from "sections" where "section_id" = ?`,
  ["section_id"]
)

export const selectSectionIds: typeof built.selectSectionIds = statementOf(
  `select "section_id" from "sections" where "section_id" >= ? order by "section_id" limit ?`,
  ["from","limit"]
)

export const selectSectionsAfter: typeof built.selectSectionsAfter = statementOf(
  `select "section_id", "path", "line_start", "line_end", "content_hash" from "sections" where ("path" > ? or ("path" = ? and "line_start" > ?) or ("path" = ? and "line_start" = ? and "line_end" < ?)) and "path" >= ? order by "path", "line_start", "line_end" desc limit ?`,
  ["path","path","line_start","path","line_start","line_end","path","limit"]
)

export const selectSectionsOfAfter: typeof built.selectSectionsOfAfter = statementOf(
  `select "section_id", "path", "line_start", "line_end", "content_hash" from "sections" where "path" = ? and ("line_start" > ? or ("line_start" = ? and "line_end" < ?)) order by "path", "line_start", "line_end" desc limit ?`,
  ["path","line_start","line_start","line_end","limit"]
)

export const insertSection: typeof built.insertSection = statementOf(
  `replace into "sections" ("section_id", "path", "line_start", "line_end", "content_hash") values (?, ?, ?, ?, ?)`,
  ["section_id","path","line_start","line_end","content_hash"]
)

export const deleteSections: typeof built.deleteSections = statementOf(
  `delete from "sections" where "path" = ?`,
  ["path"]
)

export const selectSectionsOf: typeof built.selectSectionsOf = statementOf(
  `select "section_id", "path", "line_start", "line_end", "content_hash" from "sections" where "path" = ?`,
  ["path"]
)

export const selectHeadingsOf: typeof built.selectHeadingsOf = statementOf(
  `select "path", "line", "level", "heading", "section_id" from "headings" where "path" = ?`,
  ["path"]
)

export const selectStrayPaths: typeof built.selectStrayPaths = statementOf(
  `select "path" from "sections" where "path" not in (select "path" from "files") union select "path" from "headings" where "path" not in (select "path" from "files")`,
  []
)

export const selectHeadingsOfSection: typeof built.selectHeadingsOfSection = statementOf(
  `select "path", "line", "level", "heading", "section_id" from "headings" where "section_id" = ? order by "line"`,
  ["section_id"]
)

export const insertHeading: typeof built.insertHeading = statementOf(
  `insert into "headings" ("path", "line", "level", "heading", "section_id") values (?, ?, ?, ?, ?)`,
  ["path","line","level","heading","section_id"]
)

export const deleteHeadings: typeof built.deleteHeadings = statementOf(
  `delete from "headings" where "path" = ?`,
  ["path"]
)

export const selectSymbolsAfter: typeof built.selectSymbolsAfter = statementOf(
  `select "symbol_id", "path", "heading", "slice", "symbol_hash" from "symbols" where "symbol_id" > ? order by "symbol_id" limit ?`,
  ["after","limit"]
)

export const selectSymbol: typeof built.selectSymbol = statementOf(
  `select "symbol_id", "path", "heading", "slice", "symbol_hash" from "symbols" where "symbol_id" = ?`,
  ["symbol_id"]
)

export const insertSymbol: typeof built.insertSymbol = statementOf(
  `insert into "symbols" ("symbol_id", "path", "heading", "slice", "symbol_hash") values (?, ?, ?, ?, ?)`,
  ["symbol_id","path","heading","slice","symbol_hash"]
)

export const deleteSymbol: typeof built.deleteSymbol = statementOf(
  `delete from "symbols" where "symbol_id" = ?`,
  ["symbol_id"]
)
