// Written by infrastructure/sqlite/connection/compiled-statements.test.ts from the builders (UPDATE_SNAPSHOT=1), and never edited by hand.
import type * as built from "../expansion-statements.ts"
import { statementOf } from "../../../sqlite/connection/statement.ts"

export const selectExpansion: typeof built.selectExpansion = statementOf(
  `select * from "expansions" where "run_id" = ? and "symbol_id" = ? and "slice" = ? and "section_content_hash" = ?`,
  ["run_id","symbol_id","slice","section_content_hash"]
)

export const insertExpansion: typeof built.insertExpansion = statementOf(
  `insert into "expansions" ("run_id", "symbol_id", "slice", "section_id", "section_content_hash", "payload", "payload_hash", "bytes_expanded", "created_at", "expansion_hash") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ["run_id","symbol_id","slice","section_id","section_content_hash","payload","payload_hash","bytes_expanded","created_at","expansion_hash"]
)

export const selectNextExpansion: typeof built.selectNextExpansion = statementOf(
  `select *, rowid as "row" from "expansions" where rowid > ? order by rowid limit 1`,
  ["after"]
)

export const selectNextOfSection: typeof built.selectNextOfSection = statementOf(
  `select *, rowid as "row" from "expansions" where "section_id" = ? and rowid > ? order by rowid limit 1`,
  ["section_id","after"]
)

export const selectStats: typeof built.selectStats = statementOf(
  `select count(*) as "expansions", count(distinct "run_id") as "runs", count(distinct "symbol_id") as "references", coalesce(sum("bytes_expanded"), 0) as "bytes_expanded" from "expansions"`,
  []
)
