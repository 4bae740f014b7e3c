// The expansion cache in the table `expansions` of the corpus database. Looking and storing are one unit of work under
// the write lock, so that of two processes that miss together one stores and both get the row that stands. What is
// stored is never changed: the database refuses it to everybody.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ExpansionCache, type Stored } from "../../../application/corpus/expansion-cache.ts"
import { CheckFindings } from "../../../domain/corpus/check-report.ts"
import { type Expansion, type ExpansionKey, payloadFault } from "../../../domain/corpus/expansion.ts"
import { expansionHash } from "../../../domain/corpus/row-hashes.ts"
import { ReadOnlyStore } from "../../../domain/foundation/storage-errors.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import { DatabaseDamaged } from "../../sqlite/connection/database-damaged.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import { CorpusDatabase } from "../corpus-database.ts"
import { checkExpansions } from "../corpus-verification.ts"
import type { StoredExpansion } from "./expansion-statements.ts"
import { insertExpansion, selectExpansion, selectStats } from "./compiled/expansion-statements.ts"
import { makeRecentExpansions } from "./recent-expansions.ts"

const SWALLOWED = "the expansion was swallowed instead of stored"

/** The expansion of a row. After an edit behind the guards the schema may be whole again: only the hashes tell. */
const sound = ({ expansion_hash, ...expansion }: StoredExpansion): Expansion => {
  const { run_id, slice, symbol_id } = expansion
  const where = `expansions ${symbol_id} ${slice} of run ${run_id}`
  const damage = (code: string, message: string) =>
    new DatabaseDamaged({ code, where, finding: `${where}: ${message}` })
  if (expansionHash(sha256, expansion) !== expansion_hash) {
    throw damage("EXPANSION_CHANGED", "expansion_hash is not that of its fields")
  }
  const message =
    typeof expansion.payload === "string" ? payloadFault(sha256, expansion) : "the payload is no text"
  if (message !== undefined) throw damage("PAYLOAD_CHANGED", message)
  return expansion
}

const insert = (connection: Connection, expansion: Expansion): Stored => {
  const standing = selectExpansion.first(connection, expansion)
  if (standing !== undefined) {
    return { expansion: sound(standing), created: false }
  }
  const expansion_hash = expansionHash(sha256, expansion)
  if (insertExpansion.run(connection, { ...expansion, expansion_hash }) !== 1) {
    // A trigger that is not ours can swallow an insert; what was not stored may never be given out as stored.
    throw new DatabaseDamaged({ code: "SCHEMA_EXTRA", where: "expansions", finding: SWALLOWED })
  }
  return { expansion, created: true }
}

/** Looks and stores; what was found is remembered, as long as it is small. */
const makeAccess = (
  database: CorpusDatabase["Service"]
): Pick<ExpansionCache["Service"], "lookup" | "store"> => {
  const recent = makeRecentExpansions()
  const select = (key: ExpansionKey) =>
    database.run((connection) => {
      const stored = selectExpansion.first(connection, key)
      if (stored === undefined) return undefined
      const found = sound(stored)
      recent.keep(found)
      return found
    })
  return {
    lookup: (key) =>
      Effect.suspend(() => {
        const known = recent.find(key)
        return known === undefined ? select(key) : Effect.succeed(known)
      }),
    store: (expansion) =>
      database.readOnly
        ? Effect.fail(new ReadOnlyStore({ file: database.filename }))
        : database.run((connection) => connection.transaction(() => insert(connection, expansion)))
  }
}

const makeCache = (database: CorpusDatabase["Service"]): ExpansionCache["Service"] => ({
  substrate: "sqlite",
  ...makeAccess(database),
  stats: database.run((connection) => ({
    substrate: "sqlite",
    file: database.filename,
    ...selectStats.first(connection, {})!
  })),
  verify: database.run((connection) => {
    const list = new CheckFindings()
    return list.reportOver({ expansions: checkExpansions(connection, list) })
  })
})

/** The cache in an open corpus database. */
export const sqliteExpansionCacheLayer: Layer.Layer<ExpansionCache, never, CorpusDatabase> = Layer.effect(
  ExpansionCache,
  Effect.map(CorpusDatabase, makeCache)
)
