// Properties of the expansion cache: both substrates answer any sequence of operations alike, and like a map; nothing
// that was stored is ever changed; a process that is killed loses nothing that it was told is stored.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  CACHE_SUBSTRATES,
  type CacheSubstrate,
  ExpansionCache
} from "../application/corpus/expansion-cache.ts"
import { textArbitrary } from "../domain/canonical/testing/json-arbitrary.ts"
import { type Expansion, keyText } from "../domain/corpus/expansion.ts"
import { cacheLayer, databaseOf, linesOf, sample } from "../infrastructure/corpus/testing/expansion-caches.ts"
import { repairJsonlCache } from "../infrastructure/corpus/expansions/jsonl-expansion-cache.ts"
import { sha256 } from "../infrastructure/hashing/node-hashing.ts"
import { startScript } from "./support/processes/child-process.ts"
import { propParameters } from "./support/configuration.ts"

const inFolder = async <A>(work: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "cassette-cache-"))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Few keys, so that they meet again; any payload. */
const expansion: fc.Arbitrary<Expansion> = fc
  .record({
    run_id: fc.constantFrom("r1", "r2", "run 😀"),
    symbol_id: fc.constantFrom("@A/b", "@A/B", sha256("a section's place")),
    slice: fc.constantFrom("lines[0:1]", "head(1)"),
    section_content_hash: fc.constantFrom(sha256("one"), sha256("two")),
    payload: textArbitrary
  })
  .map(({ payload, ...key }) => sample(key, payload))

type Operation =
  | { readonly do: "store" | "lookup"; readonly expansion: Expansion }
  | { readonly do: "reopen" | "stats" | "verify" }

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("store" as const), expansion }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("lookup" as const), expansion }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("reopen" as const, "stats" as const, "verify" as const) })
  }
)

/** A cache that is opened again when it is asked to be. */
const opened = (substrate: CacheSubstrate, folder: string) => {
  const open = () => ManagedRuntime.make(cacheLayer(substrate, folder))
  let runtime = open()
  return {
    run: (wanted: Operation): Promise<unknown> =>
      runtime.runPromise(
        ExpansionCache.use((cache): Effect.Effect<unknown, unknown> => {
          if (wanted.do === "store") return cache.store(wanted.expansion)
          if (wanted.do === "lookup") return cache.lookup(wanted.expansion)
          if (wanted.do === "stats") {
            return Effect.map(cache.stats, ({ bytes_expanded, expansions, references, runs }) => ({
              expansions,
              runs,
              references,
              bytes_expanded
            }))
          }
          return wanted.do === "verify" ? cache.verify : Effect.void
        })
      ),
    reopen: async () => {
      await runtime.dispose()
      runtime = open()
    },
    close: () => runtime.dispose()
  }
}

/** What a map of keys would answer. */
const modelAnswer = (model: Map<string, Expansion>, wanted: Operation): unknown => {
  switch (wanted.do) {
    case "store": {
      const key = keyText(wanted.expansion)
      const standing = model.get(key)
      if (standing === undefined) model.set(key, wanted.expansion)
      return { expansion: standing ?? wanted.expansion, created: standing === undefined }
    }
    case "lookup":
      return model.get(keyText(wanted.expansion))
    case "stats": {
      const all = [...model.values()]
      return {
        expansions: all.length,
        runs: new Set(all.map(({ run_id }) => run_id)).size,
        references: new Set(all.map(({ symbol_id }) => symbol_id)).size,
        bytes_expanded: all.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0)
      }
    }
    case "verify":
      return {
        verdict: "PASS",
        findings: [],
        findings_left_off: 0,
        warnings: [],
        counts: { expansions: model.size }
      }
    case "reopen":
      return undefined
  }
}

describe("the expansion cache", () => {
  it("answers any sequence of operations alike in both substrates, and as a map would", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 30 }), (operations) =>
        inFolder(async (folder) => {
          const caches = CACHE_SUBSTRATES.map((substrate) => opened(substrate, folder))
          const model = new Map<string, Expansion>()
          try {
            for (const wanted of operations) {
              const expected = modelAnswer(model, wanted)
              for (const cache of caches) {
                if (wanted.do === "reopen") await cache.reopen()
                expect(await cache.run(wanted)).toEqual(expected)
              }
            }
          } finally {
            for (const cache of caches) await cache.close()
          }
        })
      ),
      propParameters(0.25)
    )
  })

  it("never changes a stored row by any SQL", async () => {
    const column = fc.constantFrom("run_id", "slice", "payload", "payload_hash", "bytes_expanded", "rowid")
    const statement = fc.oneof(
      fc.tuple(column, column).map(([to, from]) => `UPDATE expansions SET ${to} = ${from}`),
      fc
        .tuple(column, fc.nat({ max: 3 }))
        .map(([to, value]) => `UPDATE OR REPLACE expansions SET ${to} = ${value}`),
      fc.constantFrom(
        "DELETE FROM expansions",
        "DELETE FROM expansions WHERE rowid = 1",
        "REPLACE INTO expansions SELECT * FROM expansions LIMIT 1",
        "INSERT OR REPLACE INTO expansions (rowid, run_id, symbol_id, slice, section_id, section_content_hash, payload, payload_hash, bytes_expanded, created_at, expansion_hash) SELECT 1, 'r9', symbol_id, slice, section_id, section_content_hash, payload, payload_hash, bytes_expanded, created_at, expansion_hash FROM expansions LIMIT 1",
        "INSERT INTO expansions SELECT * FROM expansions WHERE true ON CONFLICT DO UPDATE SET payload = 'x'",
        "DELETE FROM sections",
        "DELETE FROM files"
      )
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(expansion, { minLength: 1, maxLength: 6 }),
        fc.array(statement, { minLength: 1, maxLength: 8 }),
        (expansions, statements) =>
          inFolder(async (folder) => {
            const cache = opened("sqlite", folder)
            for (const each of expansions) await cache.run({ do: "store", expansion: each })
            await cache.close()
            const database = new Database(databaseOf(folder))
            const rows = () => database.prepare("SELECT rowid, * FROM expansions").all()
            const before = rows()
            for (const sql of statements) {
              try {
                database.exec(sql)
              } catch {
                // Refused, as nearly all are; what counts is what the table holds.
              }
              expect(rows(), sql).toEqual(before)
            }
            database.close()
          })
      ),
      propParameters(0.5)
    )
  })

  for (const substrate of CACHE_SUBSTRATES) {
    it(`loses nothing that was acknowledged when its writers are killed (${substrate})`, async () => {
      let life = 0
      await inFolder(async (folder) => {
        const known: Array<Expansion> = []
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 12 }),
            fc.nat({ max: 10 }),
            fc.constantFrom(1, 200, 20_000),
            async (lines, millis, size) => {
              const run_id = `life ${(life += 1)}`
              const child = startScript<string>("cache", [substrate, folder, run_id, String(size)])
              await child.lines(lines)
              await sleep(millis)
              child.kill()
              const { how, stderr } = await child.ended
              expect(how, stderr).toBe("SIGKILL")
              for (const slice of child.told) known.push(sample({ run_id, slice }, slice.repeat(size)))
              if (substrate === "jsonl") await Effect.runPromise(repairJsonlCache({ file: linesOf(folder) }))
              const cache = opened(substrate, folder)
              for (const each of known) {
                expect(await cache.run({ do: "lookup", expansion: each })).toEqual(each)
              }
              expect(await cache.run({ do: "verify" })).toMatchObject({ verdict: "PASS" })
              await cache.close()
            }
          ),
          // Shrinking would begin with the file as the failure left it.
          { ...propParameters(0.02), endOnFailure: true }
        )
      })
    })
  }
})
