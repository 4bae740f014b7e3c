// Folders that programs fill and people do not write in: installed packages, virtual environments, caches, and what other
// version control systems keep. Only what is surely no one's own text is listed: `target`, `dist` and `vendor` are not.
import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"

const NAMES: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  "jspm_packages",
  ".venv",
  ".tox",
  ".nox",
  "__pycache__",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  ".hg",
  ".svn",
  ".jj"
])

/** What a CACHEDIR.TAG begins with (https://bford.info/cachedir/). */
const CACHE_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55"

const isFile = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    // The walk itself says when a folder cannot be read.
    return false
  }
}

const isTagged = (tag: string): boolean => {
  if (!isFile(tag)) return false
  try {
    const descriptor = openSync(tag, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const bytes = Buffer.alloc(CACHE_SIGNATURE.length)
      return bytes.toString("latin1", 0, readSync(descriptor, bytes)) === CACHE_SIGNATURE
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return false
  }
}

/** True for a folder below the root that is left out unless it is named: by its name, `pyvenv.cfg`, or `CACHEDIR.TAG`. */
export const isGenerated = (root: string, folder: string): boolean =>
  NAMES.has(folder.slice(folder.lastIndexOf("/") + 1)) ||
  isFile(join(root, folder, "pyvenv.cfg")) ||
  isTagged(join(root, folder, "CACHEDIR.TAG"))
