// A ledger on the storage of an object, without the platform: when it is born, what it is refused in, and what is too long for a row.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ledger } from "../../application/ledger/ledger.ts"
import { ALL_RUNGS } from "../../application/ledger/verification/evidence-input.ts"
import type { VerificationOptions } from "../../application/ledger/verification/verification.ts"
import { durableObjectHost, type ObjectStorage } from "./durable-object-host.ts"
import { durableObjectLedgerLayer } from "./durable-object-ledger.ts"
import { standInStorage } from "./testing/stand-in.ts"

const withObject = <A, E>(
  storage: ObjectStorage,
  work: Effect.Effect<A, E, Ledger>,
  {
    ledgerId = "run-1",
    mayCreate = true,
    maxFoldUnits
  }: { readonly ledgerId?: string; readonly mayCreate?: boolean; readonly maxFoldUnits?: number } = {}
) =>
  Effect.provide(
    work,
    Ledger.layerWith().pipe(
      Layer.provide(
        durableObjectLedgerLayer(durableObjectHost(storage), { ledgerId, mayCreate, maxFoldUnits })
      )
    )
  )

const post = (text: string) =>
  Ledger.use((ledger) =>
    ledger.postMessage({
      run_id: "r",
      source: "USER",
      payload: {},
      jobs: [{ intent: "i", steps: [{ text }] }]
    })
  )

const schemaOf = (storage: ObjectStorage) =>
  storage.sql
    .exec("SELECT name FROM sqlite_schema")
    .toArray()
    .map(({ name }) => name)

describe("a ledger in an object", () => {
  it.live("is born only where it may be", () =>
    Effect.gen(function* () {
      const storage = standInStorage()
      const error = yield* Effect.flip(withObject(storage, Ledger, { mayCreate: false }))
      assert.strictEqual(error._tag, "NotALedger")
      assert.deepStrictEqual(schemaOf(storage), [])
      yield* withObject(storage, post("x"))
      const again = yield* withObject(storage, Ledger, { mayCreate: false })
      assert.strictEqual(again.ledgerId, "run-1")
    })
  )

  it.live("is not born by what is refused, and is by what stands beside it or comes later", () =>
    Effect.gen(function* () {
      const storage = standInStorage()
      const step = { text: "x".repeat(1_000_000) }
      const message = { run_id: "r", source: "USER" as const, payload: {} }
      const long = Ledger.use((ledger) =>
        ledger.postMessage({ ...message, jobs: [{ intent: "i", steps: [step, step] }] })
      )
      assert.strictEqual((yield* Effect.flip(withObject(storage, long)))._tag, "InvalidInput")
      assert.deepStrictEqual(schemaOf(storage), [])
      const both = Effect.gen(function* () {
        yield* Effect.flip(long)
        yield* post("behind")
        yield* post("behind it")
        return yield* (yield* Ledger).verifyCassette()
      })
      const { head, verdict } = yield* withObject(storage, both)
      assert.deepStrictEqual([verdict, head.position], ["PASS", 3])
    })
  )

  it.live("is born beside the platform's own tables", () =>
    Effect.gen(function* () {
      const storage = standInStorage()
      storage.database.exec("CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")
      yield* withObject(storage, post("x"))
      const report = yield* withObject(
        storage,
        Ledger.use((ledger) => ledger.verifyCassette({ pure: true }))
      )
      assert.strictEqual(report.verdict, "PASS")
    })
  )

  it.live.each([
    ["another program's tables", "CREATE TABLE mine (a)", "NotALedger"],
    ["another ledger", undefined, "WrongLedger"]
  ] as const)("is refused in %s", ([, statement, tag]) =>
    Effect.gen(function* () {
      const storage = standInStorage()
      if (statement === undefined) yield* withObject(storage, post("x"), { ledgerId: "another" })
      else storage.database.exec(statement)
      const before = schemaOf(storage)
      assert.strictEqual((yield* Effect.flip(withObject(storage, post("x"))))._tag, tag)
      assert.deepStrictEqual(schemaOf(storage), before)
    })
  )

  it.live("refuses what no row takes, and commits what stands beside it", () =>
    Effect.gen(function* () {
      const step = { text: "x".repeat(1_000_000) }
      const long = Ledger.use((ledger) =>
        ledger.postMessage({
          run_id: "r",
          source: "USER",
          payload: {},
          jobs: [{ intent: "i", steps: [step, step] }]
        })
      )
      const ledger = Effect.gen(function* () {
        const outcomes = yield* Effect.all([post("before"), Effect.flip(long), post("behind")], {
          concurrency: "unbounded"
        })
        return { outcomes, head: yield* (yield* Ledger).head }
      })
      const { head, outcomes } = yield* withObject(standInStorage(), ledger)
      assert.strictEqual(outcomes[1]._tag, "InvalidInput")
      assert.include(outcomes[1].message, "this store takes 1995904")
      assert.strictEqual(head.position, 3)
    })
  )

  it.live("verifies what fits into its memory, and says what to do with more", () =>
    Effect.gen(function* () {
      const storage = standInStorage()
      const small = Ledger.use((ledger) =>
        ledger.postMessage({ run_id: "small", source: "USER", payload: { n: 1 } })
      )
      yield* withObject(storage, Effect.andThen(small, Effect.replicateEffect(post("x".repeat(1_000)), 20)))
      const verified = (options: VerificationOptions, maxFoldUnits: number) =>
        withObject(
          storage,
          Ledger.use((ledger) => ledger.verifyCassette(options)),
          { maxFoldUnits }
        )
      const error = yield* Effect.flip(verified({}, 20_000))
      assert.strictEqual(error._tag, "StorageFailure")
      assert.include(error.message, "more than 20000 units")
      const rungs = ALL_RUNGS.filter((rung) => rung !== "projections")
      for (const options of [{ runId: "small" }, { rungs }] as const) {
        assert.strictEqual((yield* verified(options, 20_000)).verdict, "PASS")
      }
      const { counts, verdict } = yield* verified({}, 100_000)
      assert.deepStrictEqual([verdict, counts["cassette_steps"]], ["PASS", 21])
    })
  )

  it.live("makes no copies: there is no file", () =>
    Effect.gen(function* () {
      const backup = Ledger.use((ledger) => Effect.flip(ledger.backup("/nowhere/b.db")))
      assert.include((yield* withObject(standInStorage(), backup)).message, "NO_FILE")
    })
  )
})
