// A plan is a function of the request and the texts: each request, in any order of keys, at any place and any
// number of times, gives the steps that a naive reading of the request gives, or the one refusal that it deserves; and
// what is planned is read by any number of workers, each step once, to the same receipts.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Corpus } from "../application/corpus/corpus.ts"
import { type PreparedPlan, planRequest, preparePlan } from "../application/corpus/planner.ts"
import { Ledger } from "../application/ledger/ledger.ts"
import { jcsText } from "../domain/canonical/jcs.ts"
import type { PlanRequest } from "../domain/corpus/plan-request.ts"
import { sha256 } from "../infrastructure/hashing/node-hashing.ts"
import { sqliteLedgerLayer } from "../infrastructure/ledger/sqlite-ledger.ts"
import { corpusLayer } from "../infrastructure/testing/programs/corpus-program.ts"
import { work } from "../application/corpus/read-worker.ts"
import { propParameters } from "./support/configuration.ts"

/** The texts, and the default slices of the symbols that name them. */
const texts = ["one\ntwo\nthree\n", "😀 é\n", ""] as const
const defaults = ["lines[0:2]", undefined, "head(3)"] as const
const lines = texts.map((text) => text.split("\n"))
const characters = texts.map((text) => [...text])

interface Wanted {
  readonly text: number
  readonly unit: "lines" | "chars" | "head" | "tail" | undefined
  readonly start: number
  readonly length: number
  readonly note: string | undefined
}

const wanted: fc.Arbitrary<Wanted> = fc.record({
  text: fc.nat({ max: texts.length - 1 }),
  unit: fc.constantFrom("lines", "chars", "head", "tail", undefined),
  start: fc.nat({ max: 2 }),
  length: fc.integer({ min: 1, max: 3 }),
  note: fc
    .option(fc.string(), { nil: undefined })
    .map((note) => note?.replaceAll("\u0000", "").toWellFormed())
})

const budget = fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined })

const asked = fc.record({
  symbols: fc.array(wanted, { maxLength: 5 }),
  sections: fc.array(wanted, { maxLength: 4 }),
  budgets: fc.record({ max_steps: budget, max_bytes: budget, max_symbols: budget })
})
type Asked = typeof asked extends fc.Arbitrary<infer A> ? A : never

const spelled = ({ length, start, unit }: Wanted): string | undefined => {
  if (unit === undefined) return undefined
  return unit === "head" || unit === "tail" ? `${unit}(${length})` : `${unit}[${start}:${start + length}]`
}

/** The piece of text, or undefined where the text ends before it. */
const piece = (text: number, slice: string): string | undefined => {
  const [unit = "", first = "0", second = "0"] = slice.split(/[[\](:)]/)
  const parts = (unit === "lines" ? lines : characters)[text] ?? []
  if (unit === "head") return parts.slice(0, Number(first)).join("")
  if (unit === "tail") return parts.slice(-Number(first)).join("")
  return Number(second) <= parts.length
    ? parts.slice(Number(first), Number(second)).join(unit === "lines" ? "\n" : "")
    : undefined
}

/** Every member in the opposite order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)])
  )
}

const defined = (record: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

const requestOf = ({ budgets, sections, symbols }: Asked, ids: ReadonlyArray<string>) => {
  const reference = (name: string, id: string, each: Wanted) =>
    defined({
      [name]: id,
      slice: spelled(each),
      constraints: each.note === undefined ? undefined : { note: each.note }
    })
  return {
    run_id: "r",
    request_id: "q",
    intent: "read",
    inputs: {
      symbols: symbols.map((each) =>
        each.unit === undefined && each.note === undefined
          ? `@T/${each.text}`
          : reference("symbol_id", `@T/${each.text}`, each)
      ),
      sections: sections.map((each) => reference("section_id", ids[each.text] ?? "", each))
    },
    budgets: defined(budgets)
  } as unknown as PlanRequest
}

/** What must come of it: the steps with what they read, or the name of the refusal. */
const expectedOf = ({ budgets, sections, symbols }: Asked, ids: ReadonlyArray<string>) => {
  const all = [
    ...symbols.map((each) => ({ each, symbol: true, slice: spelled(each) ?? defaults[each.text] })),
    ...sections.map((each) => ({ each, symbol: false, slice: spelled(each) }))
  ]
  if (all.length === 0) return "InvalidInput"
  if (all.some(({ slice }) => slice === undefined)) return "UnboundedSlice"
  const steps = all.map(({ each, slice = "", symbol }) => ({
    payload: {
      op: symbol ? "READ_SYMBOL" : "READ_SECTION",
      refs: symbol ? { symbol_id: `@T/${each.text}` } : { section_id: ids[each.text] },
      constraints: { ...(each.note === undefined ? {} : { note: each.note }), slice },
      expected_outputs: {}
    },
    text: piece(each.text, slice)
  }))
  if (steps.some(({ text }) => text === undefined)) return "SliceOutOfRange"
  const bytes = steps.reduce((sum, { text = "" }) => sum + Buffer.byteLength(text), 0)
  const { max_bytes = Infinity, max_steps = Infinity, max_symbols = Infinity } = budgets
  const different = new Set(symbols.map(({ text }) => text)).size
  return steps.length > max_steps || bytes > max_bytes || different > max_symbols ? "BudgetExceeded" : steps
}

/** Runs a program on a root with the texts, their symbols, and an empty ledger. */
const onTexts = async <A, E>(
  program: (ids: ReadonlyArray<string>) => Effect.Effect<A, E, Corpus | Ledger>
): Promise<A> => {
  const root = mkdtempSync(join(tmpdir(), "cassette-planning-"))
  try {
    mkdirSync(join(root, "t"))
    for (const [index, text] of texts.entries()) writeFileSync(join(root, "t", `${index}.txt`), text)
    const ledger = Ledger.layerNoDeps.pipe(Layer.provide(sqliteLedgerLayer({ filename: ":memory:" })))
    return await Effect.runPromise(
      Effect.gen(function* () {
        const corpus = yield* Corpus
        yield* corpus.index({ paths: ["t"] })
        const ids: Array<string> = []
        for (const [index, slice] of defaults.entries()) {
          yield* corpus.addSymbol({ symbol_id: `@T/${index}`, path: `t/${index}.txt`, slice })
          ids.push((yield* corpus.currentSection(`@T/${index}`)).section_id)
        }
        return yield* program(ids)
      }).pipe(Effect.provide(Layer.merge(corpusLayer({ root }), ledger)))
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const outcomeOf = (prepared: Result.Result<PreparedPlan, { readonly _tag: string }>): string =>
  Result.isSuccess(prepared) ? jcsText(prepared.success.message as never) : prepared.failure._tag

describe("planning", () => {
  it("gives the steps that the request names, or the refusal that it deserves, everywhere the same", async () => {
    const plan = (given: Asked) =>
      onTexts((ids) =>
        Effect.gen(function* () {
          const request = requestOf(given, ids)
          const prepared = yield* Effect.result(preparePlan(request))
          const mirrored = yield* Effect.result(preparePlan(reversed(request) as PlanRequest))
          expect(outcomeOf(mirrored)).toBe(outcomeOf(prepared))
          const expected = expectedOf(given, ids)
          if (typeof expected === "string") expect(outcomeOf(prepared)).toBe(expected)
          else {
            expect(Result.getOrThrow(prepared).plan.steps).toEqual(expected.map(({ payload }) => payload))
          }
          return outcomeOf(prepared)
        })
      )
    await fc.assert(
      fc.asyncProperty(asked, async (given) => {
        expect(await plan(given)).toBe(await plan(given))
      }),
      propParameters(0.4)
    )
  })

  it("is read by any number of workers, each step once, to the receipts of what the texts say", async () => {
    await fc.assert(
      fc.asyncProperty(asked, fc.integer({ min: 1, max: 4 }), (given, workers) =>
        onTexts((ids) =>
          Effect.gen(function* () {
            const expected = expectedOf({ ...given, budgets: {} as Asked["budgets"] }, ids)
            fc.pre(typeof expected !== "string")
            const request = requestOf({ ...given, budgets: {} as Asked["budgets"] }, ids)
            const { posted } = yield* planRequest(request)
            yield* Effect.forEach(
              Array.from({ length: workers }, (_, index) => `w${index}`),
              (worker_id) => work({ run_id: "r", worker_id }),
              { concurrency: "unbounded" }
            )
            const ledger = yield* Ledger
            const receipts = yield* ledger.receipts({ job_id: posted.job_id })
            expect(receipts.map(({ outcome }) => outcome)).toEqual(expected.map(() => "SUCCESS"))
            expect(
              receipts.map(({ receipt_json }) => {
                const { bytes_read, payload_hash, slice } = JSON.parse(receipt_json) as Record<
                  string,
                  unknown
                >
                return { slice, payload_hash, bytes_read }
              })
            ).toEqual(
              expected.map(({ payload, text = "" }) => ({
                slice: payload.constraints.slice,
                payload_hash: sha256(text),
                bytes_read: Buffer.byteLength(text)
              }))
            )
            expect((yield* ledger.verifyCassette()).verdict).toBe("PASS")
          })
        )
      ),
      propParameters(0.2)
    )
  })
})
