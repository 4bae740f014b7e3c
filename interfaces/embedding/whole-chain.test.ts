// The whole chain as a host program runs it, on real documentation: the texts that the `effect` package brings are
// indexed, planned, worked, bundled, verified and replayed, and a second host that does the same gets the same bytes.
import { cpSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { utf8ByteLength } from "../../domain/canonical/text.ts"
import { applySlice, parseSlice } from "../../domain/corpus/slice.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { Bundle, Corpus, Ledger, planRequest, type PlanRequest, receiptText, work } from "./index.ts"

const effect = realpathSync(fileURLToPath(new URL("../../node_modules/effect", import.meta.url)))

/** A root with the package's documentation: its README, its guides and their examples. */
const documentation = (): string => {
  const root = temporaryFolder()
  for (const name of ["README.md", "AGENTS.md", "ai-docs"]) {
    cpSync(join(effect, name), join(root, name), { recursive: true, dereference: true })
  }
  return root
}

const slices = ["head(200)", "tail(120)", "lines[0:1]", "chars[0:1]"]

/** Asks for every heading of every guide by a symbol, and for every whole file by its section. */
const requestAll = Effect.gen(function* () {
  const corpus = yield* Corpus
  const report = yield* corpus.index()
  assert.deepStrictEqual(report.skipped_counts, { IGNORED: 1 })
  const symbols: Array<{ symbol_id: string; slice: string }> = []
  const sections: Array<{ section_id: string; slice: string }> = []
  for (const [place, section] of (yield* corpus.sections({ limit: 10_000 })).entries()) {
    const slice = slices[place % slices.length] ?? ""
    if (section.line_start === 0) sections.push({ section_id: section.section_id, slice: "head(500)" })
    for (const { heading, path } of section.headings) {
      const symbol_id = `@DOCS/${place}/${symbols.length}`
      // A heading that stands twice in its file names nothing; its section can still be read by its id.
      const added = yield* Effect.result(corpus.addSymbol({ symbol_id, path, heading }))
      if (Result.isSuccess(added)) symbols.push({ symbol_id, slice })
      else assert.strictEqual(added.failure._tag, "AmbiguousHeading")
    }
  }
  assert.isAbove(symbols.length, 50)
  assert.isAbove(sections.length, 50)
  const request: PlanRequest = {
    run_id: "effect-docs",
    request_id: "all",
    intent: "read the documentation",
    inputs: { symbols, sections }
  }
  return request
})

/** Every file of a folder with its bytes, in order. */
const filesOf = (folder: string): ReadonlyArray<readonly [string, string]> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .sort()
    .map((file) => [file.slice(folder.length), readFileSync(file, "base64")] as const)

/** The chain in a folder of its own, worked by so many workers at once. */
const chain = (workers: ReadonlyArray<string>, cache: "sqlite" | "jsonl") => {
  const root = documentation()
  const layers = Layer.mergeAll(
    Ledger.layer({ filename: join(temporaryFolder(), "ledger.db"), durability: "normal" }),
    Corpus.layer({ root, cache }),
    Bundle.layer
  )
  return Effect.gen(function* () {
    const request = yield* requestAll
    const { plan, posted } = yield* planRequest(request)
    const { run_id } = request
    const tallies = yield* Effect.forEach(workers, (worker_id) => work({ run_id, worker_id }), {
      concurrency: "unbounded"
    })
    const folder = join(root, "out")
    const built = yield* Bundle.build({ run_id, job_id: posted.job_id }, folder)
    const { manifest, report } = yield* Bundle.verify(folder)
    const replayed = yield* Bundle.replay(folder)
    const ledger = yield* Ledger.use((ledger) => ledger.verifyCassette())
    return { root, folder, plan, tallies, built, report, manifest, replayed, ledger }
  }).pipe(Effect.provide(layers))
}

describe("the whole chain on the documentation of effect", () => {
  it.live("gives a bundle that verifies and replays, and the same bytes to anyone who does the same", () =>
    Effect.gen(function* () {
      const one = yield* chain(["w"], "sqlite")
      const { steps } = one.plan
      assert.deepStrictEqual(
        one.tallies.map(({ failed, succeeded }) => [succeeded, failed]),
        [[steps.length, 0]]
      )
      assert.strictEqual(one.tallies[0]?.bytes_read, one.plan.cost.bytes)
      assert.deepInclude(one.report, { verdict: "PASS", findings: [], bundle_id: one.built.bundle_id })
      assert.deepInclude(one.ledger, { verdict: "PASS", findings: [] })
      assert.strictEqual(one.replayed.steps.length, steps.length)
      assert.strictEqual(one.replayed.root_hash, one.built.root_hash)

      const other = yield* chain(["a", "b", "c"], "jsonl")
      assert.deepStrictEqual(filesOf(other.folder), filesOf(one.folder))
      assert.strictEqual(receiptText(other.replayed), receiptText(one.replayed))

      // Whole files are bundled by the ids of their sections: each artifact is what the file says.
      const texts = new Map(
        (one.manifest?.artifacts ?? [])
          .filter(({ kind }) => kind === "SECTION_SLICE")
          .map(({ path, ref }) => [ref, readFileSync(join(one.folder, path), "utf8")])
      )
      const layer = Corpus.layer({ root: one.root, mode: "read" })
      yield* Effect.gen(function* () {
        const corpus = yield* Corpus
        for (const [ref, text] of texts) {
          const { path } = yield* corpus.currentSection(ref)
          const head = yield* Effect.fromResult(parseSlice("head(500)"))
          const file = readFileSync(join(one.root, path), "utf8")
          const piece = yield* Effect.fromResult(applySlice(file, head))
          assert.strictEqual(text, piece.endsWith("\n") ? piece : `${piece}\n`)
          assert.isAtMost(utf8ByteLength(piece), 4 * 500)
        }
      }).pipe(Effect.provide(layer))
      assert.isAbove(texts.size, 50)
    })
  )
})
