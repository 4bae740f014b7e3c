// A dossier or a bundle on this machine as a page shows it; no database is loaded.
import { existsSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { bundleSeen, dossierSeen, type ReadText } from "../../application/inspection/evidence.ts"
import type { TrustFile } from "../../domain/evidence/trust.ts"
import { MANIFEST_NAME } from "../../domain/bundles/manifest.ts"
import { dossierFilesLayer } from "./dossier-files.ts"

/** The folder of a bundle, if the path names one or its manifest. */
const bundleFolder = (path: string): string | undefined => {
  if (basename(path) === MANIFEST_NAME) return dirname(path)
  return existsSync(join(path, MANIFEST_NAME)) ? path : undefined
}

/** The text of a file of a verified bundle: of the size that was verified, or none. */
const readIn =
  (folder: string): ReadText =>
  (path, bytes) => {
    const file = join(folder, path)
    return statSync(file, { throwIfNoEntry: false })?.size === bytes ? readFileSync(file, "utf8") : undefined
  }

/** What is seen of the dossier or the bundle at an absolute path. */
export const inspectedEvidence = (path: string, trust: TrustFile | undefined) => {
  const folder = bundleFolder(path)
  return folder === undefined
    ? Effect.provide(dossierSeen(path, trust), dossierFilesLayer)
    : Effect.provide(bundleSeen(folder, readIn(folder)), dossierFilesLayer)
}
