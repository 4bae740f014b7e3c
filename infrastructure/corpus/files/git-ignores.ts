// What git leaves out of a work tree, told by the files that a repository shares or keeps: .gitignore in every folder from the
// top of the work tree down, then info/exclude. What is tracked is never left out. Settings of a person or a machine
// (core.excludesFile, core.ignoreCase) are not read: an index must not depend on who makes it.
import { lstatSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { type IgnoreRule, ignoreRulesOf, ignoreVerdict } from "../../../domain/corpus/ignore-pattern.ts"
import { repositoryOf, trackedIn } from "./git-repository.ts"

/** The largest file of rules that is read (bytes). */
const MAX_RULES_BYTES = 1_048_576

/** A path with one unit for each byte of its UTF-8. */
const bytesOf = (path: string): string => Buffer.from(path, "utf8").toString("latin1")

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/** The rules of a file; throws when there are some that cannot be read, since then it is not known what they leave out. */
const rulesIn = (file: string): ReadonlyArray<IgnoreRule> => {
  // git does not follow a link here either.
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true) return []
  if (stats.size > MAX_RULES_BYTES) throw new Error(`${file} is over ${MAX_RULES_BYTES} bytes`)
  return ignoreRulesOf(readFileSync(file, "latin1"))
}

/** What an expensive answer was for a text. */
const remembering = <A>(answer: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    if (!known.has(text)) known.set(text, answer(text))
    return known.get(text) as A
  }
}

/** Says of a path below the top of a tree whether rules leave it out: by itself, or as a part of a folder. */
const excludes = (top: string, last: ReadonlyArray<IgnoreRule>) => {
  const rulesOf = remembering((folder) => rulesIn(join(top, folder, ".gitignore")))
  const isLeftOut = (path: string, isFolder: boolean): boolean => {
    if (path === "") return false
    if (isFolderLeftOut(parentOf(path))) return true
    // The nearest file that says anything about a path decides.
    for (let folder = parentOf(path); ; folder = parentOf(folder)) {
      const within = folder === "" ? path : path.slice(folder.length + 1)
      const verdict = ignoreVerdict(rulesOf(folder), bytesOf(within), isFolder)
      if (verdict !== undefined) return verdict
      if (folder === "") return ignoreVerdict(last, bytesOf(path), isFolder) ?? false
    }
  }
  const isFolderLeftOut = remembering((folder): boolean => isLeftOut(folder, true))
  return isLeftOut
}

/** The tracked paths and the folders that hold any, as strings with one unit for each byte. */
const withFolders = (paths: ReadonlyArray<string>): ReadonlySet<string> => {
  const all = new Set(paths)
  for (const path of paths) {
    for (let folder = parentOf(path); folder !== "" && !all.has(folder); folder = parentOf(folder)) {
      all.add(folder)
    }
  }
  return all
}

type Judge = (path: string) => boolean

const judgeOf = (root: string): Judge => {
  const repository = repositoryOf(root)
  if (repository === undefined) {
    const isLeftOut = excludes(root, [])
    return (path) => isLeftOut(path.replace(/\/$/, ""), path.endsWith("/"))
  }
  const { shared, top } = repository
  const last = rulesIn(join(shared, "info", "exclude"))
  const above = relative(top, root).split(sep).join("/")
  const isRootLeftOut = excludes(top, last)(above, true)
  const isLeftOut = isRootLeftOut ? excludes(root, []) : excludes(top, last)
  const before = above === "" ? "" : `${above}/`
  const tracked = withFolders(trackedIn(repository))
  return (path) => {
    const plain = path.replace(/\/$/, "")
    if (!isLeftOut(isRootLeftOut ? plain : before + plain, path.endsWith("/"))) return false
    return !tracked.has(bytesOf(before + plain))
  }
}

/**
 * Says of paths below the root whether git leaves them out; a folder's path ends in `/`. Rules above the root count when
 * they do not leave out the root itself, which was named. What says so is read when it is asked for, and the question throws
 * when it cannot be read.
 */
export const gitIgnores = (root: string): Judge => {
  let judge: Judge | undefined
  return (path) => {
    judge ??= judgeOf(root)
    return judge(path)
  }
}
