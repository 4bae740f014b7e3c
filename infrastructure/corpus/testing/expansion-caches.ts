// Both caches over one folder, and expansions to put into them. Outside tests nothing may import it.
import { join } from "node:path"
import * as Layer from "effect/Layer"
import type { CacheSubstrate, ExpansionCache } from "../../../application/corpus/expansion-cache.ts"
import type { CorpusOpenError } from "../../../domain/corpus/errors.ts"
import { type Expansion, type ExpansionKey, makeExpansion } from "../../../domain/corpus/expansion.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import { corpusDatabaseLayer } from "../corpus-database.ts"
import { jsonlExpansionCacheLayer } from "../expansions/jsonl-expansion-cache.ts"
import { sqliteExpansionCacheLayer } from "../expansions/sqlite-expansion-cache.ts"

export const databaseOf = (folder: string): string => join(folder, "system1.db")
export const linesOf = (folder: string): string => join(folder, "_cache", "expansions.jsonl")

interface CacheOptions {
  readonly busyDeadline?: number
  readonly readOnly?: boolean
}

/** The cache of a substrate below a folder. */
export const cacheLayer = (
  substrate: CacheSubstrate,
  folder: string,
  { readOnly = false, ...options }: CacheOptions = {}
): Layer.Layer<ExpansionCache, CorpusOpenError> =>
  substrate === "jsonl"
    ? jsonlExpansionCacheLayer({ file: linesOf(folder), readOnly, ...options })
    : sqliteExpansionCacheLayer.pipe(
        Layer.provide(
          corpusDatabaseLayer({
            filename: databaseOf(folder),
            ...(readOnly ? { mode: "read" } : {}),
            ...options
          })
        )
      )

const key: ExpansionKey = {
  run_id: "run_1",
  symbol_id: "@CANON/immutability",
  slice: "lines[0:80]",
  section_content_hash: sha256("a section")
}

/** An expansion with these parts of its key and this payload. */
export const sample = (parts: Partial<ExpansionKey> = {}, payload = "expanded text"): Expansion =>
  makeExpansion(
    sha256,
    { ...key, ...parts },
    { section_id: sha256("a place"), payload, created_at: "2026-04-17T10:11:12.345Z" }
  )
