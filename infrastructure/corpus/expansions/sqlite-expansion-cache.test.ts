/**
 * What only the table can show: no row is changed or removed, not even with raw SQL, and verification finds what was
 * changed below SQLite's rules.
 */
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { ExpansionCache } from "../../../application/corpus/expansion-cache.ts"
import type { ExpansionCacheError } from "../../../domain/corpus/expansion-errors.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { cacheLayer, databaseOf, sample } from "../testing/expansion-caches.ts"

const columns = [
  "run_id",
  "symbol_id",
  "slice",
  "section_id",
  "section_content_hash",
  "payload",
  "payload_hash",
  "bytes_expanded",
  "created_at",
  "expansion_hash"
]

describe("the table of expansions", () => {
  it.live("has its columns in their order, refuses every change by raw SQL, and is found changed", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const within = <A, E>(program: Effect.Effect<A, E, ExpansionCache>) =>
        Effect.provide(program, cacheLayer("sqlite", folder))
      yield* within(ExpansionCache.use((cache) => cache.store(sample())))

      const raw = new Database(databaseOf(folder))
      const names = raw.prepare("SELECT name FROM pragma_table_info('expansions')").pluck().all()
      assert.deepStrictEqual(names, columns)
      const dump = () => JSON.stringify(raw.prepare("SELECT * FROM expansions").all())
      const before = dump()
      const values = raw.prepare("SELECT * FROM expansions").raw().get() as ReadonlyArray<unknown>
      for (const statement of [
        "DELETE FROM expansions",
        ...columns.map((column) => `UPDATE expansions SET ${column} = ${column}`),
        ...["INSERT", "REPLACE", "INSERT OR REPLACE", "INSERT OR FAIL"].map(
          (verb) => `${verb} INTO expansions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
        )
      ]) {
        const parameters = statement.includes("?") ? values : []
        assert.throws(() => raw.prepare(statement).run(...parameters), /append-only/, statement)
      }
      assert.strictEqual(dump(), before)

      const guard = raw
        .prepare("SELECT sql FROM sqlite_schema WHERE name = 'tr_expansions_append_only_update'")
        .pluck()
        .get() as string
      raw.exec("DROP TRIGGER tr_expansions_append_only_update")
      raw.exec("UPDATE expansions SET payload = 'something else!'")
      // With its guard gone the whole database is refused, also where nothing else was done to it.
      const error = yield* Effect.flip(within(ExpansionCache.use((cache) => cache.lookup(sample()))))
      assert.strictEqual(error._tag, "CorpusCorrupt")

      raw.exec(guard)
      raw.close()
      const restored = [
        ExpansionCache.use((cache) => cache.lookup(sample())),
        ExpansionCache.use((cache) => cache.store(sample()))
      ]
      for (const use of restored) {
        const error = yield* Effect.flip(within<unknown, ExpansionCacheError>(use))
        assert.strictEqual(error._tag, "CorpusCorrupt")
        assert.include(error.message, "bytes_expanded is not the length of the payload")
      }
      const report = yield* within(ExpansionCache.use((cache) => cache.verify))
      assert.deepStrictEqual(report, {
        verdict: "FAIL",
        findings: [
          {
            code: "PAYLOAD_CHANGED",
            where: "expansions row 1",
            message: "bytes_expanded is not the length of the payload"
          }
        ],
        findings_left_off: 0,
        warnings: [],
        counts: { expansions: 1 }
      })
    })
  )
})
