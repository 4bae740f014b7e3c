/**
 * A clock that shows no time that can be written down: everything that would store it is refused by one named error, never a
 * defect, and leaves nothing; everything that only reads works on.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Corpus } from "../../application/corpus/corpus.ts"
import { Ledger } from "../../application/ledger/ledger.ts"
import { makeManualClock, withClock } from "../../interfaces/test-kit/manual-clock.ts"
import { Thoughts } from "../../application/ledger/thoughts/thoughts.ts"
import { sqliteLedgerLayer } from "../ledger/sqlite-ledger.ts"
import { configuredCassette } from "../network/configured-cassettes.ts"
import { indexCassette } from "../network/writing/indexing.ts"
import { memorySaving } from "../network/writing/memory-saving.ts"
import { cassetteWith, local, withNetworkOf } from "../network/testing/cassettes.ts"
import { writeTime } from "../network/writing/write-time.ts"
import { withCorpus, writeFiles } from "./programs/corpus-program.ts"
import { makeLedgerFile, post, withLedger } from "./programs/ledger-program.ts"
import { temporaryFolder } from "./temporary-folder.ts"

/** Writes first into a cassette whose file and folder are not there: a memory, or documents, or a sealed one whole. */
const writeUnborn = (
  root: string,
  what: "save" | "index" | "build"
): Effect.Effect<unknown, { readonly _tag: string }> => {
  const file = join(root, "network.json")
  const mutability = what === "build" ? "immutable" : "mutable"
  const configured = configuredCassette(file, root, {
    type: "local",
    id: "new",
    path: "cassettes/new.db",
    mutability
  })
  return what === "save"
    ? memorySaving(configured)({ text: "a memory", agent_id: "a", metadata: "{}" }, undefined)
    : indexCassette(file, root, configured, { progress: () => Effect.void })
}

const impossible = (millis: number) => withClock(makeManualClock(millis))

describe.each([Number.NaN, Number.POSITIVE_INFINITY, 1e15, -1e15])("at %d ms", (millis) => {
  it.live("no ledger is born, and one that is there is read and not written", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      const born = yield* withLedger({ filename }, Effect.void).pipe(impossible(millis), Effect.flip)
      assert.deepInclude({ ...born }, { _tag: "StorageFailure", code: "InvariantViolation" })
      assert.include(born.message, "the clock is outside the years 0000 to 9999")
      assert.deepStrictEqual(readdirSync(folder), [])
      yield* makeLedgerFile(filename)
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          const posted = yield* Effect.flip(post("r", 1))
          assert.strictEqual(posted._tag, "InvariantViolation")
          assert.isAbove((yield* (yield* Ledger).runs).length, 0)
        })
      ).pipe(impossible(millis))
    })
  )

  it.live("no thought is recorded", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* makeLedgerFile(filename)
      const layer = Thoughts.layerNoDeps.pipe(
        Layer.provideMerge(Ledger.layerWith()),
        Layer.provideMerge(sqliteLedgerLayer({ filename }))
      )
      const thought = { task_id: "t", agent_id: "a", type: "plan", content: "x" } as const
      const error = yield* Thoughts.use((thoughts) => thoughts.createThoughtRecord(thought)).pipe(
        Effect.provide(layer),
        impossible(millis),
        Effect.flip
      )
      assert.strictEqual(error._tag, "InvariantViolation")
    })
  )

  it.live("nothing is expanded, and what was expanded is found", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, { "a.md": "text\n" })
      const resolve = (slice: string) =>
        Corpus.use((corpus) => corpus.resolve({ symbol_id: "@A/a", run_id: "r", slice }))
      yield* withCorpus(
        root,
        Effect.gen(function* () {
          const corpus = yield* Corpus
          yield* corpus.index()
          yield* corpus.addSymbol({ symbol_id: "@A/a", path: "a.md" })
          yield* resolve("head(2)")
          const hit = yield* resolve("head(2)").pipe(impossible(millis))
          assert.strictEqual(hit.cache, "HIT")
          const error = yield* resolve("head(3)").pipe(impossible(millis), Effect.flip)
          assert.strictEqual(error._tag, "InvariantViolation")
        })
      )
    })
  )

  it.live.each(["save", "index", "build"] as const)("no cassette is born to %s in", (what) =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const error = yield* writeUnborn(folder, what).pipe(impossible(millis), Effect.flip)
      assert.strictEqual(error._tag, "InvariantViolation")
      assert.deepStrictEqual(readdirSync(folder), [])
    })
  )

  it.live("a network answers", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const file = cassetteWith(folder, "one", { "a.md": "a text" })
      const answer = yield* Effect.promise(() =>
        withNetworkOf([local("one", file)], (network) => network.query("text").pipe(impossible(millis)))
      )
      assert.strictEqual(answer.hits.length, 1)
    })
  )
})

it.live("what would expire after the year 9999 is not written", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(writeTime(1e15))
    assert.include(error.message, "shorten the cassette's ttl")
  })
)
