// The statements of the expansion cache in the corpus database, as they are built; `compiled` has what runs. They insert and read; the database's own
// triggers refuse everything else.
import { sql } from "kysely"
import type { Expansion, ExpansionKey } from "../../../domain/corpus/expansion.ts"
import { compileQuery, queryBuilder } from "../../sqlite/connection/query-compiler.ts"

/** An expansion with the hash of all its fields. */
export interface StoredExpansion extends Expansion {
  readonly expansion_hash: string
}

const corpus = queryBuilder<{ readonly expansions: StoredExpansion }>()

export const selectExpansion = compileQuery<ExpansionKey, StoredExpansion>((parameter) =>
  corpus
    .selectFrom("expansions")
    .selectAll()
    .where("run_id", "=", parameter("run_id"))
    .where("symbol_id", "=", parameter("symbol_id"))
    .where("slice", "=", parameter("slice"))
    .where("section_content_hash", "=", parameter("section_content_hash"))
)

export const insertExpansion = compileQuery<{ [Field in keyof StoredExpansion]: StoredExpansion[Field] }>(
  (parameter) =>
    corpus.insertInto("expansions").values({
      run_id: parameter("run_id"),
      symbol_id: parameter("symbol_id"),
      slice: parameter("slice"),
      section_id: parameter("section_id"),
      section_content_hash: parameter("section_content_hash"),
      payload: parameter("payload"),
      payload_hash: parameter("payload_hash"),
      bytes_expanded: parameter("bytes_expanded"),
      created_at: parameter("created_at"),
      expansion_hash: parameter("expansion_hash")
    })
)

/** A stored row with its place. */
export type StoredRow = StoredExpansion & { readonly row: number }

/** The next row behind a place: one at a time, since a payload may be large. */
export const selectNextExpansion = compileQuery<{ after: number }, StoredRow>((parameter) =>
  corpus
    .selectFrom("expansions")
    .selectAll()
    .select(sql<number>`rowid`.as("row"))
    .where(sql<number>`rowid`, ">", parameter("after"))
    .orderBy(sql`rowid`)
    .limit(sql.lit(1))
)

/** The next expansion of a section behind a place. */
export const selectNextOfSection = compileQuery<{ section_id: string; after: number }, StoredRow>(
  (parameter) =>
    corpus
      .selectFrom("expansions")
      .selectAll()
      .select(sql<number>`rowid`.as("row"))
      .where("section_id", "=", parameter("section_id"))
      .where(sql<number>`rowid`, ">", parameter("after"))
      .orderBy(sql`rowid`)
      .limit(sql.lit(1))
)

export const selectStats = compileQuery<
  {},
  {
    readonly expansions: number
    readonly runs: number
    readonly references: number
    readonly bytes_expanded: number
  }
>(() =>
  corpus
    .selectFrom("expansions")
    .select(({ fn }) => [
      fn.countAll<number>().as("expansions"),
      fn.count<number>("run_id").distinct().as("runs"),
      fn.count<number>("symbol_id").distinct().as("references"),
      fn.coalesce(fn.sum<number>("bytes_expanded"), sql.lit(0)).as("bytes_expanded")
    ])
)
