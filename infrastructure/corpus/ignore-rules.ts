// What a walk leaves out before it looks: the folders that are never indexed, what .gitignore files say, in every
// folder as git reads them, and the globs that the caller gives. It decides by names alone.
import { lstatSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import ignore, { type Ignore } from "ignore"
import picomatch from "picomatch"
import { InvalidInput } from "../../domain/ledger/errors.ts"

const MAX_GLOB_LENGTH = 4_096

/** True for the program's own folder and for git's: they are never indexed. */
export const isNeverIndexed = (path: string): boolean =>
  path === "CORTEX" || path.startsWith("CORTEX/") || path.split("/").includes(".git")

export type Glob = (path: string) => boolean

const badGlob = (option: string, message: string): InvalidInput =>
  new InvalidInput({ message: `${option}: ${message}`, issues: [{ path: option, message }] })

/** A folder's path with or without a slash at its end, and a path with or without `./` before it, are one. */
const plain = (pattern: string): string => pattern.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "")

/**
 * A matcher of paths for any of the globs: what matches by itself or lies in a folder that does. A glob without a
 * slash matches names in every folder.
 */
export const globs = (option: string, given: ReadonlyArray<string>): Glob | InvalidInput => {
  const patterns = given.map(plain)
  if (patterns.some((pattern) => pattern === "" || pattern.length > MAX_GLOB_LENGTH)) {
    return badGlob(option, `a glob has 1 to ${MAX_GLOB_LENGTH} characters`)
  }
  try {
    const matchers = patterns.map((pattern) =>
      picomatch(pattern, { dot: true, basename: !pattern.includes("/"), nonegate: true })
    )
    const matchesOne: Glob = (path) => matchers.some((matches) => matches(path))
    return (path) => {
      for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
        if (matchesOne(path.slice(0, end))) return true
      }
      return matchesOne(path)
    }
  } catch (error) {
    return badGlob(option, (error as Error).message)
  }
}

/** The largest .gitignore that is read (bytes). */
const MAX_RULES_BYTES = 1_048_576

/** The rules of a folder; throws when there are some that cannot be read, since then nobody can say what they leave out. */
const rulesIn = (folder: string): Ignore | undefined => {
  const file = join(folder, ".gitignore")
  // git does not follow a link here either.
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true) return undefined
  if (stats.size > MAX_RULES_BYTES) throw new Error(`${file} is over ${MAX_RULES_BYTES} bytes`)
  return ignore({ ignorecase: false }).add(readFileSync(file, "utf8"))
}

/** Says of paths below the root whether a .gitignore leaves them out; a folder's path ends in `/`. */
export const gitIgnores = (root: string): ((path: string) => boolean) => {
  const known = new Map<string, Ignore | undefined>()
  const rulesOf = (folder: string): Ignore | undefined => {
    if (!known.has(folder)) known.set(folder, rulesIn(join(root, folder)))
    return known.get(folder)
  }
  return (path) => {
    // The nearest file that says anything about a path decides.
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const within = folder === "." ? path : path.slice(folder.length + 1)
      const verdict = rulesOf(folder)?.test(within)
      if (verdict?.ignored === true) return true
      if (verdict?.unignored === true || folder === ".") return false
    }
  }
}
