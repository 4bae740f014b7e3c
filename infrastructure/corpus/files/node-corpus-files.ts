// The files below a root folder under the application's port. The root is taken by its real path once; everything that
// is read later must lie below it.
import { realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CorpusFiles } from "../../../application/corpus/corpus-files.ts"
import { invalidAt, type InvalidInput } from "../../../domain/foundation/errors.ts"
import { readText, statOf } from "./file-reading.ts"
import { walkFiles } from "./file-walk.ts"

const noRoot = (root: string): InvalidInput => invalidAt("/root", `there is no folder ${root}`)

/** The real path of a folder that is there. */
export const realRoot = (root: string): Effect.Effect<string, InvalidInput> =>
  Effect.try({
    try: () => {
      const real = realpathSync.native(root)
      if (!statSync(real).isDirectory()) throw noRoot(root)
      return real
    },
    catch: () => noRoot(root)
  })

/** The files below a root, which must be its real path. */
export const corpusFilesLayer = (root: string): Layer.Layer<CorpusFiles> =>
  Layer.succeed(CorpusFiles, {
    walk: (options) => Effect.suspend(() => Effect.fromResult(walkFiles(root, options))),
    stat: (path) => statOf(join(root, path)),
    read: (path) => Effect.suspend(() => Effect.fromResult(readText(root, path)))
  })
