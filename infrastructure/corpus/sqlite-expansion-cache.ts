// The expansion cache in the table `expansions` of the corpus database. Looking and storing are one unit of work under
// the write lock, so that of two processes that miss together one stores and both get the row that stands. What is
// stored is never changed: the database refuses it to everybody.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ExpansionCache, type Stored } from "../../application/corpus/expansion-cache.ts"
import { CheckList } from "../../domain/corpus/check-report.ts"
import { expansionFault } from "../../domain/corpus/expansion-check.ts"
import { type Expansion, type ExpansionKey, payloadFault } from "../../domain/corpus/expansion.ts"
import { ReadOnlyStore, StoreCorrupt } from "../../domain/ledger/errors.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"
import { CorpusDatabase } from "./corpus-database.ts"
import { insertExpansion, selectExpansion, selectNextExpansion, selectStats } from "./expansion-statements.ts"
import { makeRecentExpansions } from "./recent-expansions.ts"

const SWALLOWED = "the expansion was swallowed instead of stored"

/** Whoever puts the guards back after an edit below them leaves a schema that is whole: only the hash tells. */
const assertSound = (expansion: Expansion): void => {
  const message = payloadFault(sha256, expansion)
  if (message === undefined) return
  const { run_id, slice, symbol_id } = expansion
  const where = `expansions ${symbol_id} ${slice} of run ${run_id}`
  throw new StoreCorrupt({ code: "PAYLOAD_CHANGED", where, finding: `${where}: ${message}` })
}

const insert = (connection: Connection, expansion: Expansion): Stored => {
  const standing = selectExpansion.first(connection, expansion)
  if (standing !== undefined) {
    assertSound(standing)
    return { expansion: standing, created: false }
  }
  if (insertExpansion.run(connection, expansion) !== 1) {
    // A trigger that is not ours can swallow an insert; what was not stored may never be given out as stored.
    throw new StoreCorrupt({ code: "SCHEMA_EXTRA", where: "expansions", finding: SWALLOWED })
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
      const found = selectExpansion.first(connection, key)
      if (found !== undefined) {
        assertSound(found)
        recent.keep(found)
      }
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
  ...makeAccess(database),
  stats: database.run((connection) => ({
    substrate: "sqlite",
    file: database.filename,
    ...selectStats.first(connection, {})!
  })),
  verify: Effect.gen(function* () {
    const list = new CheckList()
    let expansions = 0
    // Rows are only ever added, so that a walk by their places needs no snapshot.
    for (let after = 0; ;) {
      const next = yield* database.run((connection) => selectNextExpansion.first(connection, { after }))
      if (next === undefined) break
      const { row, ...expansion } = next
      const fault = expansionFault(sha256, expansion)
      if (fault !== undefined) list.add({ ...fault, where: `expansions row ${row}` })
      expansions += 1
      after = row
    }
    return list.report({ expansions })
  })
})

/** The cache in an open corpus database. */
export const sqliteExpansionCacheLayer: Layer.Layer<ExpansionCache, never, CorpusDatabase> = Layer.effect(
  ExpansionCache,
  Effect.map(CorpusDatabase, makeCache)
)
