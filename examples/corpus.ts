// A host program that reads a folder in bounded pieces: it indexes the folder, names a heading, and resolves the name
// twice. The second time nothing is read. Run it with `node examples/corpus.ts` after `pnpm build`.
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { Corpus } from "cortex-cassette"

const handbook = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "handbook-"))
  writeFileSync(join(folder, "guide.md"), "# Guide\n\n## Install\n\nnpm install cortex-cassette\n\n## Use\n")
  return folder
}

const program = Effect.gen(function* () {
  const corpus = yield* Corpus
  const report = yield* corpus.index({ include: ["*.md"] })
  yield* Console.log(`${report.files} file(s) indexed`)
  yield* corpus.addSymbol({ symbol_id: "@GUIDE/install", path: "guide.md", heading: "Guide/Install" })
  for (const _ of ["first", "again"]) {
    const { cache, payload } = yield* corpus.resolve({
      symbol_id: "@GUIDE/install",
      slice: "lines[2:3]",
      run_id: "reading"
    })
    yield* Console.log(payload)
    yield* Console.log(cache)
  }
})

Effect.runPromise(Effect.provide(program, Corpus.layer({ root: handbook() })))
