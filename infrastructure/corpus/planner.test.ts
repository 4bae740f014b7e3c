/**
 * Planning over a real corpus and a real ledger: what a request becomes, what is refused and leaves nothing, and that
 * the same request is one message however often it is planned.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Corpus } from "../../application/corpus/corpus.ts"
import { ExpansionCache } from "../../application/corpus/expansion-cache.ts"
import { planRequest, preparePlan } from "../../application/corpus/planner.ts"
import { Ledger } from "../../application/ledger/ledger.ts"
import type { PlanRequest } from "../../domain/corpus/plan-request.ts"
import { sqliteLedgerLayer } from "../ledger/sqlite-ledger.ts"
import { corpusLayer, writeFiles } from "../testing/programs/corpus-program.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"

const guide = "# Guide\n\nintro\n\n## Install\n\nrün\n"

const ledgerLayer = Ledger.layerNoDeps.pipe(Layer.provide(sqliteLedgerLayer({ filename: ":memory:" })))

/** Runs a program on a root with a guide, two symbols and an empty ledger. */
const onRoot = <A, E>(
  program: (root: string, section: string) => Effect.Effect<A, E, Corpus | ExpansionCache | Ledger>
) =>
  Effect.gen(function* () {
    const root = temporaryFolder()
    writeFiles(root, { "guide.md": guide })
    return yield* Effect.gen(function* () {
      const corpus = yield* Corpus
      yield* corpus.index()
      yield* corpus.addSymbol({ symbol_id: "@DOCS/guide", path: "guide.md", slice: "lines[0:3]" })
      yield* corpus.addSymbol({ symbol_id: "@DOCS/install", path: "guide.md", heading: "Guide/Install" })
      const { section_id } = yield* corpus.currentSection("@DOCS/install")
      return yield* program(root, section_id)
    }).pipe(Effect.provide(Layer.merge(corpusLayer({ root }), ledgerLayer)))
  })

const request = (section: string): PlanRequest => ({
  run_id: "r1",
  request_id: "q1",
  intent: "read the guide",
  inputs: {
    sections: [{ section_id: section, slice: " head(4) ", constraints: { note: "once" } }],
    symbols: [
      "@DOCS/guide",
      { symbol_id: "@DOCS/install", slice: "lines[2:3]", expected_outputs: { lines: 1 } },
      "@DOCS/guide"
    ]
  }
})

describe("planning", () => {
  it.live("posts one job with a step for each reference, and reads no text", () =>
    onRoot(
      Effect.fnUntraced(function* (_, section) {
        const { plan, posted } = yield* planRequest(request(section))
        assert.isTrue(posted.created)
        assert.deepStrictEqual(plan.cost, {
          steps: 4,
          bytes: 2 * "# Guide\n\nintro".length + "rün".length + 1 + "## I".length,
          symbols: 2
        })
        const ledger = yield* Ledger
        const steps = yield* ledger.steps({ job_id: posted.job_id })
        const read = (op: string, refs: object, slice: string, more: object = {}, expected: object = {}) => ({
          op,
          refs,
          constraints: { ...more, slice },
          expected_outputs: expected
        })
        const guideStep = read("READ_SYMBOL", { symbol_id: "@DOCS/guide" }, "lines[0:3]")
        assert.deepStrictEqual(
          steps.map(({ payload_json }) => JSON.parse(payload_json) as unknown),
          [
            guideStep,
            read("READ_SYMBOL", { symbol_id: "@DOCS/install" }, "lines[2:3]", {}, { lines: 1 }),
            guideStep,
            read("READ_SECTION", { section_id: section }, "head(4)", { note: "once" })
          ]
        )
        const [message] = yield* ledger.messages("r1")
        assert.strictEqual(message?.source, "PLANNER")
        assert.strictEqual(message?.idempotency_key, "q1")
        assert.deepStrictEqual(JSON.parse(message?.payload_json ?? ""), request(section))
        assert.strictEqual((yield* ledger.jobStatus(posted.job_id))?.job.intent, "read the guide")
        assert.strictEqual((yield* ExpansionCache.use(({ stats }) => stats)).expansions, 0)
      })
    )
  )

  it.live("is idempotent by request_id: the same again posts nothing, something else is a conflict", () =>
    onRoot(
      Effect.fnUntraced(function* (_, section) {
        const first = yield* planRequest(request(section))
        const second = yield* planRequest(request(section))
        assert.deepStrictEqual(second, { plan: first.plan, posted: { ...first.posted, created: false } })
        const conflict = yield* Effect.flip(planRequest({ ...request(section), intent: "something else" }))
        assert.strictEqual(conflict._tag, "IdempotencyConflict")
        const { position } = yield* Ledger.use(({ head }) => head)
        assert.strictEqual(position, 2)
      })
    )
  )

  it.live("takes texts as they are when it plans", () =>
    onRoot(
      Effect.fnUntraced(function* (root) {
        const whole: PlanRequest = {
          run_id: "r1",
          request_id: "q1",
          intent: "",
          inputs: { symbols: [{ symbol_id: "@DOCS/guide", slice: "head(1000)" }] }
        }
        const before = yield* preparePlan(whole)
        writeFileSync(join(root, "guide.md"), `${guide}more\n`)
        const after = yield* preparePlan(whole)
        assert.strictEqual(after.plan.cost.bytes, before.plan.cost.bytes + 5)
      })
    )
  )
})

describe("refusals of planning", () => {
  const base: PlanRequest = {
    run_id: "r1",
    request_id: "q1",
    intent: "",
    inputs: { symbols: ["@DOCS/guide"] }
  }
  const symbol = (symbol_id: string, slice?: string): PlanRequest => ({
    ...base,
    // A good reference first: what is refused later must leave nothing either.
    inputs: { symbols: ["@DOCS/guide", slice === undefined ? symbol_id : { symbol_id, slice }] }
  })
  const section = (section_id: string, slice?: string): PlanRequest => ({
    ...base,
    inputs: { sections: [slice === undefined ? section_id : { section_id, slice }] }
  })
  const cases: ReadonlyArray<readonly [name: string, tag: string, request: (section: string) => unknown]> = [
    ["a symbol without any slice", "UnboundedSlice", () => symbol("@DOCS/install")],
    ["a section without a slice", "UnboundedSlice", section],
    ["slice ALL", "InvalidSlice", () => symbol("@DOCS/guide", "ALL")],
    ["an empty slice", "InvalidSlice", () => symbol("@DOCS/guide", "")],
    ["a slice past the end", "SliceOutOfRange", () => symbol("@DOCS/guide", "lines[0:1000]")],
    ["an unknown symbol", "SymbolNotFound", () => symbol("@DOCS/none", "head(1)")],
    ["an unknown section", "SectionNotFound", () => section("0".repeat(64), "head(1)")],
    ["a section's id as a symbol", "InvalidInput", (id) => symbol(id, "head(1)")],
    ["a symbol as a section", "InvalidInput", () => section("@DOCS/guide", "head(1)")],
    ["an unknown field", "InvalidInput", () => ({ ...base, urgent: true })],
    ["no request at all", "InvalidInput", () => null],
    ["too few bytes", "BudgetExceeded", () => ({ ...base, budgets: { max_bytes: 13 } })],
    [
      "a float in what is expected",
      "InvalidInput",
      () => ({ ...base, inputs: { symbols: [{ symbol_id: "@DOCS/guide", expected_outputs: { n: 0.5 } }] } })
    ],
    [
      "U+0000 in constraints, which the ledger refuses",
      "InvalidInput",
      () => ({ ...base, inputs: { symbols: [{ symbol_id: "@DOCS/guide", constraints: { a: "\u0000" } }] } })
    ],
    [
      "more steps than a message may have",
      "InvalidInput",
      () => ({ ...base, inputs: { symbols: Array.from({ length: 10_001 }, () => "@DOCS/guide") } })
    ]
  ]
  for (const [name, tag, make] of cases) {
    it.live(name, () =>
      onRoot(
        Effect.fnUntraced(function* (_, id) {
          const error = yield* Effect.flip(planRequest(make(id) as PlanRequest))
          assert.strictEqual(error._tag, tag)
          assert.strictEqual((yield* Ledger.use(({ head }) => head)).position, 1)
          assert.strictEqual((yield* ExpansionCache.use(({ stats }) => stats)).expansions, 0)
        })
      )
    )
  }
})
