/**
 * The contract of an expansion cache, held by both substrates: a key finds what was stored under exactly it, the first
 * one stands, and what was stored comes back byte for byte after the store was closed, in any process.
 */
import { chmodSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CACHE_SUBSTRATES, ExpansionCache } from "../../application/corpus/expansion-cache.ts"
import { type ExpansionKey, payloadHash } from "../../domain/corpus/expansion.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { cacheLayer, sample } from "./testing/expansion-caches.ts"

const lookup = (key: ExpansionKey) => ExpansionCache.use((cache) => cache.lookup(key))
const store = (expansion: ReturnType<typeof sample>) => ExpansionCache.use((cache) => cache.store(expansion))
const stats = ExpansionCache.use((cache) => cache.stats)
const verify = ExpansionCache.use((cache) => cache.verify)

for (const substrate of CACHE_SUBSTRATES) {
  /** Opens the cache again for one program. */
  const within = <A, E>(folder: string, program: Effect.Effect<A, E, ExpansionCache>) =>
    Effect.provide(program, cacheLayer(substrate, folder))

  describe(`the expansion cache in ${substrate}`, () => {
    it.live("is empty at first", () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        assert.isUndefined(yield* within(folder, lookup(sample())))
        const { expansions, runs, references, bytes_expanded } = yield* within(folder, stats)
        assert.deepStrictEqual([expansions, runs, references, bytes_expanded], [0, 0, 0, 0])
        assert.deepStrictEqual(yield* within(folder, verify), {
          verdict: "PASS",
          findings: [],
          findings_left_off: 0,
          warnings: [],
          counts: { expansions: 0 }
        })
      })
    )

    it.live("gives back what was stored, at once and after it was opened again", () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        for (const [index, payload] of [
          "",
          "one line",
          "two\nlines\n",
          "\r\n\t\u0000\u001b\u007f\u2028\ufeff",
          '"\\😀é"',
          "x".repeat(3_000_000)
        ].entries()) {
          const expansion = sample({ slice: `head(${index + 1})` }, payload)
          yield* within(
            folder,
            Effect.gen(function* () {
              assert.deepStrictEqual(yield* store(expansion), { expansion, created: true })
              assert.deepStrictEqual(yield* lookup(expansion), expansion)
            })
          )
          assert.deepStrictEqual(yield* within(folder, lookup(expansion)), expansion)
        }
        assert.strictEqual((yield* within(folder, verify)).verdict, "PASS")
      })
    )

    it.live("finds nothing when any part of the key is another", () =>
      within(
        temporaryFolder(),
        Effect.gen(function* () {
          yield* store(sample())
          const others: ReadonlyArray<Partial<ExpansionKey>> = [
            { run_id: "run_2" },
            { symbol_id: "@CANON/immutability2" },
            { slice: "lines[0:81]" },
            { section_content_hash: sha256("an edited section") }
          ]
          for (const other of others) assert.isUndefined(yield* lookup({ ...sample(), ...other }))
          for (const other of others) assert.isTrue((yield* store(sample(other))).created)
          assert.deepInclude(yield* stats, { expansions: 5, runs: 2, references: 2, bytes_expanded: 65 })
        })
      )
    )

    it.live("keeps the first one; the second is answered with it", () =>
      within(
        temporaryFolder(),
        Effect.gen(function* () {
          const first = sample()
          yield* store(first)
          const second = { ...first, section_id: sha256("moved"), created_at: "2027-01-01T00:00:00.000Z" }
          assert.deepStrictEqual(yield* store(second), { expansion: first, created: false })
          assert.deepStrictEqual(yield* lookup(second), first)
          assert.strictEqual((yield* stats).expansions, 1)
        })
      )
    )

    it.live("sees what another user of the same store adds", () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        yield* within(
          folder,
          Effect.gen(function* () {
            assert.isUndefined(yield* lookup(sample()))
            yield* within(folder, store(sample()))
            assert.deepStrictEqual(yield* lookup(sample()), sample())
            yield* within(folder, store(sample({ run_id: "run_2" })))
            assert.isFalse((yield* store(sample({ run_id: "run_2" }))).created)
            assert.isTrue((yield* store(sample({ run_id: "run_3" }))).created)
            assert.strictEqual((yield* stats).expansions, 3)
          })
        )
      })
    )

    it.live("takes twenty writers at once and stores one of them", () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        const writers = Array.from({ length: 20 }, (_, index) =>
          within(folder, store({ ...sample(), created_at: `2026-04-17T10:11:12.0${index + 10}Z` }))
        )
        const stored = yield* Effect.all(writers, { concurrency: "unbounded" })
        assert.strictEqual(stored.filter(({ created }) => created).length, 1)
        assert.strictEqual(new Set(stored.map(({ expansion }) => expansion.created_at)).size, 1)
        assert.strictEqual((yield* within(folder, stats)).expansions, 1)
      })
    )

    it.live("that is opened for reading refuses to store and says so", () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        yield* within(folder, store(sample()))
        const reading = cacheLayer(substrate, folder, { readOnly: true })
        assert.deepStrictEqual(yield* Effect.provide(lookup(sample()), reading), sample())
        const error = yield* Effect.flip(Effect.provide(store(sample({ run_id: "r" })), reading))
        assert.strictEqual(error._tag, "ReadOnlyStore")
        assert.strictEqual((yield* within(folder, stats)).expansions, 1)
      })
    )

    it.live.skipIf(process.getuid?.() === 0)("on a read-only disk is an error, not a silence", () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        chmodSync(folder, 0o555)
        const error = yield* Effect.flip(within(folder, store(sample())))
        assert.strictEqual(error._tag, "ReadOnlyStore")
      })
    )
  })
}

describe("the hash of a payload", () => {
  it("takes CRLF as LF and nothing else", () => {
    assert.strictEqual(payloadHash(sha256, "a\r\nb\r\n"), sha256("a\nb\n"))
    assert.strictEqual(payloadHash(sha256, "a\rb"), sha256("a\rb"))
    assert.notStrictEqual(payloadHash(sha256, "a\n"), payloadHash(sha256, "a"))
  })
})
