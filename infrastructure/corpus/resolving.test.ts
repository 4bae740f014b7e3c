/**
 * Resolving on real files, over both substrates: what was expanded is given out again without a look at the text, an
 * edit is seen by itself, and a symbol that cannot be resolved is refused before anything is stored.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { CorpusFiles } from "../../application/corpus/corpus-files.ts"
import { Corpus } from "../../application/corpus/corpus.ts"
import {
  CACHE_SUBSTRATES,
  type CacheSubstrate,
  ExpansionCache
} from "../../application/corpus/expansion-cache.ts"
import type { Resolved, ResolveRequest } from "../../application/corpus/resolving.ts"
import { MAX_SLICE_BYTES } from "../../domain/corpus/limits.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import { startChild } from "../testing/programs/child-process.ts"
import { corpusLayer, withCorpus, writeFiles } from "../testing/programs/corpus-program.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { sqliteCorpusLayer } from "./sqlite-corpus.ts"
import { sample } from "./testing/expansion-caches.ts"

/** How many processes miss together; a property, expansion-cache, has more of them. */
const PROCESSES = 3

const guide = "# Guide\n\nintro\n\n## Install\n\n### Linux\n\napt\n\n## Use\n\nrun\n"

/** A root with a guide and symbols, a corpus on it whose readings of files are counted, and a clock far ahead. */
const prepare = Effect.fnUntraced(function* (substrate: CacheSubstrate) {
  const root = temporaryFolder()
  // Far ahead of every file's times, so that an unchanged stat is proof at once.
  yield* TestClock.setTime(Date.UTC(2100, 0, 1))
  const read: Array<string> = []
  const counted = Layer.effect(
    CorpusFiles,
    CorpusFiles.use((files) =>
      Effect.succeed({
        ...files,
        read: (path: string) =>
          Effect.andThen(
            Effect.sync(() => read.push(path)),
            files.read(path)
          )
      })
    )
  )
  const ports = sqliteCorpusLayer({ root, cache: substrate })
  const layer = Corpus.layerNoDeps.pipe(Layer.provideMerge(Layer.provideMerge(counted, ports)))
  const context = yield* Layer.build(layer)
  const within = <A, E>(program: Effect.Effect<A, E, Corpus | ExpansionCache>) =>
    Effect.provideContext(program, context)
  const write = (files: { readonly [path: string]: string | Uint8Array }) =>
    Effect.sync(() => writeFiles(root, files))
  yield* write({ "guide.md": guide, "plain.txt": "a\nb\nc\n" })
  yield* within(
    Corpus.use((corpus) =>
      Effect.gen(function* () {
        yield* corpus.index()
        yield* corpus.addSymbol({ symbol_id: "@DOCS/guide", path: "guide.md", slice: " lines[0:3] " })
        yield* corpus.addSymbol({ symbol_id: "@DOCS/use", path: "guide.md", heading: "Guide/Use" })
        yield* corpus.addSymbol({ symbol_id: "@DOCS/plain", path: "plain.txt" })
      })
    )
  )
  read.length = 0
  const resolve = (symbol_id: string, slice?: string, run_id = "r1") => {
    const request: ResolveRequest = { symbol_id, run_id, slice }
    return within(Corpus.use((corpus) => corpus.resolve(request)))
  }
  const stats = within(Corpus.use((corpus) => corpus.cacheStats))
  return {
    root,
    context,
    read,
    within,
    write,
    resolve,
    stats,
    refused: (...args: Parameters<typeof resolve>) => Effect.flip(resolve(...args))
  }
})

for (const substrate of CACHE_SUBSTRATES) {
  describe(`resolving with the cache in ${substrate}`, () => {
    it.effect("expands once in a run and reads nothing ever after", () =>
      Effect.gen(function* () {
        const { read, resolve, stats, within } = yield* prepare(substrate)
        const first = yield* resolve("@DOCS/use", "lines[0:3]")
        assert.deepStrictEqual(first, {
          run_id: "r1",
          symbol_id: "@DOCS/use",
          slice: "lines[0:3]",
          section_id: sha256(`guide.md:10:13:${sha256("## Use\n\nrun\n")}`),
          section_content_hash: sha256("## Use\n\nrun\n"),
          payload: "## Use\n\nrun",
          payload_hash: sha256("## Use\n\nrun"),
          bytes_expanded: 11,
          created_at: "2100-01-01T00:00:00.000Z",
          cache: "MISS"
        })
        assert.deepStrictEqual(read, ["guide.md"])
        yield* TestClock.adjust("1 day")
        for (const spelling of ["lines[0:3]", "  lines[0:3]\n"]) {
          assert.deepStrictEqual(yield* resolve("@DOCS/use", spelling), { ...first, cache: "HIT" })
        }
        assert.deepStrictEqual(read, ["guide.md"])
        assert.deepInclude(yield* stats, { substrate, expansions: 1, bytes_expanded: 11 })
        assert.strictEqual((yield* within(Corpus.use(({ verifyCache }) => verifyCache))).verdict, "PASS")
      })
    )

    it.effect("misses in another run, for another slice and by another reference, with the same bytes", () =>
      Effect.gen(function* () {
        const { resolve, stats } = yield* prepare(substrate)
        const { payload, section_id } = yield* resolve("@DOCS/plain", "head(4)")
        for (const again of [
          yield* resolve("@DOCS/plain", "head(4)", "r2"),
          yield* resolve("@DOCS/plain", "lines[0:3]"),
          yield* resolve(section_id, "head(4)")
        ]) {
          assert.strictEqual(again.cache, "MISS")
          assert.strictEqual(again.section_id, section_id)
        }
        const bySection = yield* resolve(section_id, "head(4)")
        assert.deepInclude(bySection, { cache: "HIT", symbol_id: section_id, payload })
        assert.strictEqual((yield* stats).expansions, 4)
      })
    )

    it.effect("sees an edit by itself, and the old text again when it comes back", () =>
      Effect.gen(function* () {
        const { resolve, stats, write } = yield* prepare(substrate)
        yield* resolve("@DOCS/plain", "head(1)")
        yield* write({ "plain.txt": "z\n" })
        const edited = yield* resolve("@DOCS/plain", "head(1)")
        assert.deepInclude(edited, { payload: "z", cache: "MISS" })
        yield* write({ "plain.txt": "a\nb\nc\n" })
        assert.deepInclude(yield* resolve("@DOCS/plain", "head(1)"), { payload: "a", cache: "HIT" })
        assert.strictEqual((yield* stats).expansions, 2)
      })
    )

    it.effect("hits when lines have moved, with the section as it is now", () =>
      Effect.gen(function* () {
        const { resolve, within, write } = yield* prepare(substrate)
        const before = yield* resolve("@DOCS/use", "tail(4)")
        yield* write({ "guide.md": guide.replace("intro\n", "intro\nand more\nlines\n") })
        const after = yield* resolve("@DOCS/use", "tail(4)")
        const moved = sha256(`guide.md:12:15:${before.section_content_hash}`)
        assert.deepStrictEqual(after, { ...before, cache: "HIT", section_id: moved })
        const stored = yield* within(ExpansionCache.use((cache) => cache.lookup(after)))
        assert.strictEqual(stored?.section_id, before.section_id)
      })
    )

    it.effect("takes the symbol's default slice, and refuses to read without bounds", () =>
      Effect.gen(function* () {
        const { refused, resolve } = yield* prepare(substrate)
        const { payload, section_id, slice } = yield* resolve("@DOCS/guide")
        assert.deepStrictEqual([slice, payload], ["lines[0:3]", "# Guide\n\nintro"])
        assert.strictEqual((yield* resolve("@DOCS/guide", "head(1)")).payload, "#")
        for (const reference of ["@DOCS/plain", section_id]) {
          const error = yield* refused(reference)
          assert.deepInclude({ ...error }, { _tag: "UnboundedSlice", symbol_id: reference })
        }
      })
    )

    it.effect("judges the reference, then the slice, then the text, and stores nothing it refuses", () =>
      Effect.gen(function* () {
        const { read, refused, root, stats, write } = yield* prepare(substrate)
        const cases = [
          ["DOCS/plain", "head(1)", "InvalidInput"],
          ["@docs/plain", "ALL", "InvalidInput"],
          ["@DOCS/../plain", "head(1)", "InvalidInput"],
          ["@DOCS/unknown", "ALL", "SymbolNotFound"],
          ["f".repeat(64), "ALL", "SectionNotFound"],
          ["@DOCS/plain", "ALL", "InvalidSlice"],
          ["@DOCS/plain", "", "InvalidSlice"],
          ["@DOCS/plain", "lines[-1:2]", "InvalidSlice"],
          ["@DOCS/plain", "lines[0:]", "InvalidSlice"]
        ] as const
        for (const [reference, slice, tag] of cases) {
          assert.strictEqual((yield* refused(reference, slice))._tag, tag, `${reference} ${slice}`)
        }
        assert.strictEqual((yield* refused("@DOCS/plain", "head(1)", ""))._tag, "InvalidInput")
        assert.strictEqual((yield* refused("@DOCS/plain", "head(1)", "a\nb"))._tag, "InvalidInput")
        assert.deepStrictEqual(read, [])
        const error = yield* refused("@DOCS/plain", "lines[0:9]")
        assert.deepInclude({ ...error }, { _tag: "SliceOutOfRange", available: 4 })
        yield* write({ "guide.md": `${guide}## Use\n`, "plain.txt": Uint8Array.of(0xff) })
        assert.strictEqual((yield* refused("@DOCS/use", "head(1)"))._tag, "AmbiguousHeading")
        assert.strictEqual((yield* refused("@DOCS/plain", "head(1)"))._tag, "NotText")
        yield* write({ "guide.md": "# Other\n" })
        assert.strictEqual((yield* refused("@DOCS/use", "head(1)"))._tag, "HeadingNotFound")
        rmSync(join(root, "guide.md"))
        assert.strictEqual((yield* refused("@DOCS/use", "head(1)"))._tag, "TargetVanished")
        assert.strictEqual((yield* stats).expansions, 0)
      })
    )

    it.effect("refuses a slice that is too large to keep", () =>
      Effect.gen(function* () {
        const { refused, resolve, within, write } = yield* prepare(substrate)
        yield* write({ "plain.txt": Buffer.alloc(MAX_SLICE_BYTES + 1, "x") })
        yield* within(Corpus.use((corpus) => corpus.index()))
        const error = yield* refused("@DOCS/plain", `head(${MAX_SLICE_BYTES + 1})`)
        assert.deepInclude({ ...error }, { _tag: "ExpansionTooLarge", bytes: MAX_SLICE_BYTES + 1 })
        assert.strictEqual((yield* resolve("@DOCS/plain", "tail(3)")).payload, "xxx")
      })
    )

    it.effect("does not give out a stored text that the section does not say", () =>
      Effect.gen(function* () {
        const { context, resolve } = yield* prepare(substrate)
        const { section_content_hash } = yield* resolve("@DOCS/plain", "head(2)")
        const request = { run_id: "r1", symbol_id: "@DOCS/plain", slice: "head(1)" }
        // Another stores a wrong text between this one's look and its own storing.
        const interfering = Layer.effect(
          ExpansionCache,
          ExpansionCache.use((cache) =>
            Effect.succeed({
              ...cache,
              lookup: () =>
                Effect.as(cache.store(sample({ ...request, section_content_hash }, "wrong")), undefined)
            })
          )
        )
        const ports = Layer.provideMerge(interfering, Layer.succeedContext(context))
        const error = yield* Corpus.use((corpus) => corpus.resolve(request)).pipe(
          Effect.provide(Layer.provide(Layer.fresh(Corpus.layerNoDeps), ports)),
          Effect.flip
        )
        assert.deepInclude({ ...error }, { _tag: "ExpansionDiffers", payload_hash: sha256("a") })
      })
    )
  })
}

describe("processes that miss together", () => {
  for (const substrate of CACHE_SUBSTRATES) {
    it.live(`store once in ${substrate} and give the same bytes, and who comes later hits`, () =>
      Effect.gen(function* () {
        const root = temporaryFolder()
        writeFiles(root, { "plain.txt": "a line\n".repeat(1_000) })
        yield* withCorpus(
          root,
          Corpus.use((corpus) =>
            Effect.andThen(corpus.index(), corpus.addSymbol({ symbol_id: "@DOCS/plain", path: "plain.txt" }))
          )
        )
        const args = [root, substrate, "@DOCS/plain", "lines[10:900]"]
        const answers = yield* Effect.promise(async () => {
          const children = Array.from({ length: PROCESSES }, () => startChild(args, { script: "resolver" }))
          await Promise.all(children.map((child) => child.line()))
          for (const child of children) child.send("go")
          return Promise.all(children.map((child) => child.line() as Promise<Resolved>))
        })
        const { payload } = answers[0]!
        assert.strictEqual(payload, Array.from({ length: 890 }, () => "a line").join("\n"))
        for (const answer of answers) {
          assert.deepInclude(answer, {
            payload,
            payload_hash: sha256(payload),
            created_at: answers[0]!.created_at
          })
        }
        assert.isTrue(answers.some(({ cache }) => cache === "MISS"))
        yield* Corpus.use((corpus) =>
          Effect.gen(function* () {
            const [, , symbol_id = "", slice] = args
            const later = yield* corpus.resolve({ run_id: "r1", symbol_id, slice })
            assert.deepInclude(later, { payload, cache: "HIT" })
            assert.strictEqual((yield* corpus.cacheStats).expansions, 1)
          })
        ).pipe(Effect.provide(corpusLayer({ root, cache: substrate })))
      })
    )
  }
})
