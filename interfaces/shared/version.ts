// The program's version, read from the package's own manifest, which lies above this file both in the sources and in
// the build. It is never written down a second time.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Result from "effect/Result"
import { isJsonObject } from "../../domain/canonical/json.ts"
import { readJsonBytes } from "../../domain/canonical/strict-reader.ts"

const manifestAbove = (folder: string): string => {
  const manifest = join(folder, "package.json")
  return existsSync(manifest) || dirname(folder) === folder ? manifest : manifestAbove(dirname(folder))
}

/** The version in package.json; throws when the package is damaged. */
export const packageVersion = (): string => {
  const manifest = Result.getOrThrow(readJsonBytes(readFileSync(manifestAbove(import.meta.dirname)), "jcs/1"))
  return isJsonObject(manifest) ? String(manifest["version"]) : ""
}
