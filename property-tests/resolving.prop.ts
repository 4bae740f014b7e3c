// Cached is computed: with any text written to files, read by any slice and read again, in any order and with the cache in
// either place, every answer is what a naive reading of the file as it is now gives; and it is a hit exactly when the
// same run has had the same reference, slice and text before.

import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Corpus } from "../application/corpus/corpus.ts"
import { CACHE_SUBSTRATES } from "../application/corpus/expansion-cache.ts"
import { textArbitrary } from "../domain/canonical/testing/json-arbitrary.ts"
import { sha256 } from "../infrastructure/hashing/node-hashing.ts"
import { corpusLayer } from "../infrastructure/testing/programs/corpus-program.ts"
import { propParameters } from "./support/configuration.ts"

type Operation =
  | { readonly do: "write"; readonly file: number; readonly text: string }
  | { readonly do: "index" }
  | { readonly do: "resolve"; readonly file: number; readonly slice: string; readonly run_id: string }

const file = fc.nat({ max: 1 })

const content = fc
  .array(fc.oneof(textArbitrary, fc.constantFrom("\n", "\r\n", "\r", "😀", "# a\n")), { maxLength: 6 })
  .map((parts) => parts.join("").replaceAll("\u0000", ""))

const slice = fc.oneof(
  fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 3 })).map(([a, n]) => `lines[${a}:${a + n}]`),
  fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 3 })).map(([a, n]) => `chars[${a}:${a + n}]`),
  fc.integer({ min: 1, max: 4 }).map((n) => `head(${n})`),
  fc.integer({ min: 1, max: 4 }).map((n) => `tail(${n})`)
)

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("write" as const), file, text: content }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("index" as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("resolve" as const),
      file,
      slice,
      run_id: fc.constantFrom("r1", "r2")
    })
  }
)

const normal = (text: string): string => text.replace(/^\ufeff/, "").replaceAll(/\r\n?/g, "\n")

/** The piece, or undefined where the text ends before it. */
const naive = (text: string, spelled: string): string | undefined => {
  const [unit = "", first = 0, second = 0] = spelled
    .split(/[[\](:)]/)
    .map((part, index) => (index === 0 ? part : Number(part))) as [string, number, number]
  const parts = unit === "lines" ? text.split("\n") : [...text]
  if (unit === "head") return parts.slice(0, first).join("")
  if (unit === "tail") return parts.slice(-first).join("")
  return second <= parts.length ? parts.slice(first, second).join(unit === "lines" ? "\n" : "") : undefined
}

const path = (number: number): string => `f${number}.md`

const check = (root: string, operations: ReadonlyArray<Operation>) =>
  Effect.gen(function* () {
    const corpus = yield* Corpus
    const texts = ["", ""]
    const seen = new Set<string>()
    const write = (number: number, text: string) => {
      texts[number] = normal(text)
      const file = join(root, path(number))
      const before = statSync(file, { bigint: true, throwIfNoEntry: false })?.ctimeNs
      // Two changes within one tick of the file system's clock look like one to everybody.
      do writeFileSync(file, text)
      while (statSync(file, { bigint: true }).ctimeNs === before)
    }
    write(0, "first\n")
    write(1, "")
    yield* corpus.index()
    for (const number of [0, 1]) {
      yield* corpus.addSymbol({ symbol_id: `@F/${number}`, path: path(number) })
    }
    for (const wanted of operations) {
      if (wanted.do === "write") write(wanted.file, wanted.text)
      if (wanted.do === "index") yield* corpus.index()
      if (wanted.do !== "resolve") continue
      const text = texts[wanted.file]!
      const request = { symbol_id: `@F/${wanted.file}`, slice: wanted.slice, run_id: wanted.run_id }
      const result = yield* Effect.result(corpus.resolve(request))
      const expected = naive(text, wanted.slice)
      if (expected === undefined) {
        expect(Result.isFailure(result) && result.failure._tag).toBe("SliceOutOfRange")
        continue
      }
      const key = JSON.stringify([request, text])
      expect(Result.getOrThrow(result)).toMatchObject({
        payload: expected,
        section_content_hash: sha256(text),
        cache: seen.has(key) ? "HIT" : "MISS"
      })
      seen.add(key)
    }
    expect((yield* corpus.cacheStats).expansions).toBe(seen.size)
    expect((yield* corpus.verifyCache).verdict).toBe("PASS")
  })

/** A clock far ahead of the files, so that an unchanged stat counts as proof: the hard case for an edit. */
const farAhead = <A, E>(program: Effect.Effect<A, E>) =>
  Effect.andThen(TestClock.setTime(Date.UTC(2100, 0, 1)), program).pipe(Effect.provide(TestClock.layer()))

describe("resolving", () => {
  for (const cache of CACHE_SUBSTRATES) {
    for (const trusting of [true, false]) {
      it(`gives what the file says now (${cache}, ${trusting ? "stat alone" : "hashed again"})`, async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
            const root = mkdtempSync(join(tmpdir(), "cassette-resolving-"))
            try {
              const program = check(root, operations).pipe(Effect.provide(corpusLayer({ root, cache })))
              await Effect.runPromise(trusting ? farAhead(program) : program)
            } finally {
              rmSync(root, { recursive: true, force: true })
            }
          }),
          propParameters(0.4)
        )
      })
    }
  }
})
