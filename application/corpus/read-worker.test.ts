/**
 * The worker over a real ledger and a real corpus: the receipts that it leaves, what is a failure of the step and what is
 * not, and what becomes of the step in hand when it is stopped or its lease is lost.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Corpus } from "./corpus.ts"
import { planRequest } from "./planner.ts"
import { Ledger } from "../ledger/ledger.ts"
import type { JsonObject } from "../../domain/canonical/json.ts"
import { StorageFull } from "../../domain/foundation/storage-errors.ts"
import { sha256 } from "../../infrastructure/hashing/node-hashing.ts"
import { sqliteLedgerLayer } from "../../infrastructure/ledger/sqlite-ledger.ts"
import { corpusLayer, writeFiles } from "../../infrastructure/testing/programs/corpus-program.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { work, workLeft } from "./read-worker.ts"

const guide = "# Guide\n\nintro\n\n## Install\n\nrün\n"
const claim = { run_id: "r1", worker_id: "w" }

const ledgerLayer = Ledger.layerNoDeps.pipe(Layer.provide(sqliteLedgerLayer({ filename: ":memory:" })))

/** Runs a program on a root with a guide and a symbol, over an empty ledger. */
const onRoot = <A, E>(program: (root: string) => Effect.Effect<A, E, Corpus | Ledger>) =>
  Effect.gen(function* () {
    const root = temporaryFolder()
    writeFiles(root, { "guide.md": guide })
    return yield* Effect.gen(function* () {
      const corpus = yield* Corpus
      yield* corpus.index()
      yield* corpus.addSymbol({ symbol_id: "@DOCS/guide", path: "guide.md" })
      return yield* program(root)
    }).pipe(Effect.provide(Layer.merge(corpusLayer({ root }), ledgerLayer)))
  })

const readSymbol = (symbol_id: string, slice: string): JsonObject => ({
  op: "READ_SYMBOL",
  refs: { symbol_id },
  constraints: { slice },
  expected_outputs: {}
})

const post = (first: JsonObject, ...rest: ReadonlyArray<JsonObject>) =>
  Ledger.use((ledger) =>
    ledger.postMessage({
      run_id: "r1",
      source: "USER",
      payload: {},
      jobs: [{ intent: "", steps: [first, ...rest] }]
    })
  )

const receipts = Effect.gen(function* () {
  const rows = yield* Ledger.use((ledger) => ledger.receipts({ run_id: "r1" }))
  return rows.map(({ outcome, receipt_json, step_id }) => ({
    step_id,
    outcome,
    receipt: JSON.parse(receipt_json) as Record<string, unknown>
  }))
})

describe("a worker", () => {
  it.live("leaves a receipt of exactly nine fields for each step, and counts", () =>
    onRoot(
      Effect.fnUntraced(function* () {
        const corpus = yield* Corpus
        const { content_hash, section_id } = yield* corpus.currentSection("@DOCS/guide")
        yield* planRequest({
          run_id: "r1",
          request_id: "q1",
          intent: "",
          inputs: {
            symbols: [
              { symbol_id: "@DOCS/guide", slice: "lines[6:7]" },
              { symbol_id: "@DOCS/guide", slice: "lines[6:7]" }
            ],
            sections: [{ section_id, slice: "head(3)" }]
          }
        })
        const seen: Array<number> = []
        const tally = yield* work({
          ...claim,
          onStep: ({ succeeded }) => Effect.sync(() => seen.push(succeeded))
        })
        assert.deepStrictEqual(tally, {
          worker_id: "w",
          succeeded: 3,
          failed: 0,
          lost: 0,
          hits: 1,
          misses: 2,
          bytes_read: 11
        })
        assert.deepStrictEqual(seen, [1, 2, 3])
        const receipt = (step_id: string, op: string, slice: string, text: string, cache: string) => ({
          step_id,
          op,
          section_id,
          symbol_id: op === "READ_SYMBOL" ? "@DOCS/guide" : null,
          slice,
          section_content_hash: content_hash,
          payload_hash: sha256(text),
          bytes_read: Buffer.byteLength(text),
          cache
        })
        const left = yield* receipts
        const [a = "", b = "", c = ""] = left.map(({ step_id }) => step_id)
        assert.deepStrictEqual(
          left.map(({ receipt }) => receipt),
          [
            receipt(a, "READ_SYMBOL", "lines[6:7]", "rün", "MISS"),
            receipt(b, "READ_SYMBOL", "lines[6:7]", "rün", "HIT"),
            receipt(c, "READ_SECTION", "head(3)", "# G", "MISS")
          ]
        )
        assert.deepStrictEqual(yield* workLeft("r1", undefined), { waiting: 0, leased: 0 })
      })
    )
  )

  it.live("leaves a receipt of failure for what cannot be read, and goes on", () =>
    onRoot(
      Effect.fnUntraced(function* (root) {
        writeFileSync(join(root, "gone.md"), "x")
        const corpus = yield* Corpus
        yield* corpus.index()
        yield* corpus.addSymbol({ symbol_id: "@DOCS/gone", path: "gone.md" })
        yield* post(
          readSymbol("@DOCS/none", "head(1)"),
          readSymbol("@DOCS/guide", "ALL"),
          readSymbol("@DOCS/guide", "lines[0:99]"),
          readSymbol("0".repeat(64), "head(1)"),
          { op: "READ_SECTION", refs: {} },
          readSymbol("@DOCS/gone", "head(1)"),
          readSymbol("@DOCS/guide", "head(1)")
        )
        rmSync(join(root, "gone.md"))
        const tally = yield* work(claim)
        assert.deepStrictEqual([tally.succeeded, tally.failed, tally.bytes_read], [1, 6, 1])
        const left = yield* receipts
        assert.deepStrictEqual(
          left.map(({ outcome, receipt }) => [
            outcome,
            (receipt["error"] as { code?: string } | undefined)?.code
          ]),
          [
            ["FAILURE", "SYMBOL_NOT_FOUND"],
            ["FAILURE", "INVALID_SLICE"],
            ["FAILURE", "SLICE_OUT_OF_RANGE"],
            ["FAILURE", "INVALID_PARAMS"],
            ["FAILURE", "INVALID_PARAMS"],
            ["FAILURE", "TARGET_VANISHED"],
            ["SUCCESS", undefined]
          ]
        )
        const [first, , , , malformed] = left
        assert.deepStrictEqual(first?.receipt, {
          step_id: first?.step_id,
          op: "READ_SYMBOL",
          section_id: null,
          symbol_id: "@DOCS/none",
          slice: "head(1)",
          error: {
            code: "SYMBOL_NOT_FOUND",
            message:
              "There is no symbol @DOCS/none: cortex symbol list shows all, cortex symbol add makes one"
          }
        })
        assert.deepInclude(malformed?.receipt, { section_id: null, symbol_id: null, slice: null })
      })
    )
  )

  it.live("gives back what is no reading, and ends", () =>
    onRoot(
      Effect.fnUntraced(function* () {
        yield* post({ intent: "build" }, readSymbol("@DOCS/guide", "head(1)"))
        const error = yield* Effect.flip(work(claim))
        assert.strictEqual(error._tag, "NotAReadStep")
        assert.deepStrictEqual(yield* workLeft("r1", undefined), { waiting: 2, leased: 0 })
        assert.deepStrictEqual(yield* receipts, [])
      })
    )
  )

  it.live("gives the step back when the cache cannot be written, and ends with that error", () =>
    onRoot(
      Effect.fnUntraced(function* () {
        yield* post(readSymbol("@DOCS/guide", "head(1)"))
        const corpus = yield* Corpus
        const full = { ...corpus, resolve: () => Effect.fail(new StorageFull({ file: "system1.db" })) }
        const error = yield* Effect.flip(work(claim).pipe(Effect.provideService(Corpus, full)))
        assert.strictEqual(error._tag, "StorageFull")
        assert.deepStrictEqual(yield* workLeft("r1", undefined), { waiting: 1, leased: 0 })
      })
    )
  )

  it.live("gives the step back when it is stopped while it reads", () =>
    onRoot(
      Effect.fnUntraced(function* () {
        const { job_id } = yield* post(readSymbol("@DOCS/guide", "head(1)"))
        const corpus = yield* Corpus
        const reading = yield* Deferred.make<void>()
        const stuck = {
          ...corpus,
          resolve: () => Effect.andThen(Deferred.succeed(reading, undefined), Effect.never)
        }
        const worker = yield* Effect.forkChild(work(claim).pipe(Effect.provideService(Corpus, stuck)))
        yield* Deferred.await(reading)
        assert.deepStrictEqual(yield* workLeft("r1", job_id), { waiting: 0, leased: 1 })
        yield* Fiber.interrupt(worker)
        assert.deepStrictEqual(yield* workLeft("r1", job_id), { waiting: 1, leased: 0 })
      })
    )
  )

  it.live("loses a step that was taken from it, and leaves it alone", () =>
    onRoot(
      Effect.fnUntraced(function* () {
        yield* post(readSymbol("@DOCS/guide", "head(1)"), readSymbol("@DOCS/guide", "head(2)"))
        const corpus = yield* Corpus
        const ledger = yield* Ledger
        let taken = false
        const slow: typeof corpus = {
          ...corpus,
          resolve: (request) =>
            Effect.gen(function* () {
              if (!taken) {
                taken = true
                const [step] = yield* Effect.orDie(ledger.steps({ run_id: "r1" }))
                const step_id = step?.step_id ?? ""
                yield* Effect.orDie(
                  ledger.requeueStep({ run_id: "r1", step_id, reason: "slow", force: true })
                )
                yield* Effect.orDie(ledger.claimStep({ run_id: "r1", worker_id: "other" }))
              }
              return yield* corpus.resolve(request)
            })
        }
        const tally = yield* work(claim).pipe(Effect.provideService(Corpus, slow))
        assert.deepStrictEqual([tally.succeeded, tally.lost], [1, 1])
        assert.deepStrictEqual(yield* workLeft("r1", undefined), { waiting: 0, leased: 1 })
      })
    )
  )

  it.live("works one job alone when it is named, and shares a run with others", () =>
    onRoot(
      Effect.fnUntraced(function* () {
        yield* post({ intent: "other work" })
        const steps = Array.from({ length: 20 }, (_, n) => readSymbol("@DOCS/guide", `chars[${n}:${n + 1}]`))
        const { job_id } = yield* post(readSymbol("@DOCS/guide", "head(1)"), ...steps)
        const tallies = yield* Effect.forEach(
          ["a", "b", "c"],
          (worker_id) => work({ run_id: "r1", worker_id, job_id }),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(
          tallies.reduce((sum, { succeeded }) => sum + succeeded, 0),
          21
        )
        assert.deepStrictEqual(yield* workLeft("r1", undefined), { waiting: 1, leased: 0 })
        assert.deepStrictEqual(yield* workLeft("none", undefined), { waiting: 0, leased: 0 })
      })
    )
  )
})
