/**
 * A corpus in a folder of its own for tests: files are written, the service is used, and what the database holds is
 * read as plain rows. It uses the same layers as a host.
 */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Corpus } from "../../../application/corpus/corpus.ts"
import { sqliteCorpusLayer, type SqliteCorpusOptions } from "../../corpus/sqlite-corpus.ts"

/** The corpus of a root, as a host gets it. */
export const corpusLayer = (options: SqliteCorpusOptions) =>
  Corpus.layerNoDeps.pipe(Layer.provideMerge(sqliteCorpusLayer(options)))

/** Runs a program on the corpus of a root, opened for it alone. */
export const withCorpus = <A, E>(root: string, program: Effect.Effect<A, E, Corpus>) =>
  program.pipe(Effect.provide(corpusLayer({ root })))

/** Writes files below a root; missing folders are made. */
export const writeFiles = (root: string, files: { readonly [path: string]: string | Uint8Array }): void => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

/** Makes files look as if they had been written long ago, so that their stat alone proves them unchanged. */
export const age = (root: string, ...paths: ReadonlyArray<string>): void => {
  for (const path of paths) utimesSync(join(root, path), 1_000_000_000, 1_000_000_000)
}
