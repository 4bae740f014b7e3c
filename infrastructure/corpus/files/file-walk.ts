// Finds the files to index below the root. Links are never followed, so that a file has one path and a walk an end;
// what is left out is reported with the reason. It reads folders and .gitignore files, no other file.
import { type Dirent, readdirSync, realpathSync } from "node:fs"
import { isAbsolute, relative, resolve, sep } from "node:path"
import * as Result from "effect/Result"
import type { Walk, WalkOptions } from "../../../application/corpus/corpus-files.ts"
import { FileUnreadable, NotAFile, PathOutsideRoot } from "../../../domain/foundation/root-files.ts"
import type { Skipped, SkipReason } from "../../../domain/foundation/root-files.ts"
import { isCorpusPath } from "../../../domain/corpus/symbols.ts"
import { invalidAt, InvalidInput } from "../../../domain/foundation/errors.ts"
import { isBelow } from "./file-reading.ts"
import { isGenerated } from "./generated-folders.ts"
import { gitIgnores } from "./git-ignores.ts"
import { type Glob, globs, isNeverIndexed } from "./ignore-rules.ts"

export type WalkError = FileUnreadable | InvalidInput | NotAFile | PathOutsideRoot

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "UNKNOWN"

const corpusPath = (root: string, absolute: string): string => relative(root, absolute).split(sep).join("/")

/** The path of what the caller named, relative to the root, "" for the root; what is gone keeps its name. */
const namedPath = (root: string, name: string): string | WalkError => {
  if (name === "" || name.includes("\0") || !name.isWellFormed()) {
    return invalidAt("/paths", "name files or folders")
  }
  const absolute = isAbsolute(name) ? name : resolve(root, name)
  try {
    const real = realpathSync.native(absolute)
    if (!isBelow(root, real)) return new PathOutsideRoot({ path: name })
    const path = corpusPath(root, real)
    return isNeverIndexed(path)
      ? new NotAFile({ path: name, reason: "CORTEX/ and .git/ are never indexed" })
      : path
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") {
      return new FileUnreadable({ path: name, code: codeOf(error) })
    }
    const lexical = resolve(absolute)
    return isBelow(root, lexical) ? corpusPath(root, lexical) : new PathOutsideRoot({ path: name })
  }
}

interface Rules {
  readonly isIgnored: (path: string) => boolean
  readonly include: Glob | undefined
  readonly exclude: Glob
  /** True for a folder that programs fill and that neither a path nor a glob of the caller names. */
  readonly isLeftOut: (folder: string) => boolean
}

const ruleFault = (rules: Rules, path: string, isFolder: boolean): SkipReason | undefined => {
  if (isNeverIndexed(path) || rules.isIgnored(isFolder ? `${path}/` : path)) return "IGNORED"
  if (rules.exclude(path)) return "EXCLUDED"
  if (isFolder && rules.isLeftOut(path)) return "GENERATED"
  return !isFolder && rules.include !== undefined && !rules.include(path) ? "EXCLUDED" : undefined
}

const linkReason = (root: string, absolute: string): SkipReason => {
  try {
    return isBelow(root, realpathSync.native(absolute)) ? "LINK" : "LINK_OUTSIDE_ROOT"
  } catch {
    // A link that leads nowhere.
    return "LINK"
  }
}

const kindFault = (root: string, path: string, entry: Dirent): SkipReason | undefined => {
  // What is no UTF-8 shows as U+FFFD, and could not be opened by that name.
  if (!isCorpusPath(path) || path.includes("\ufffd")) return "UNREADABLE"
  if (entry.isSymbolicLink()) return linkReason(root, resolve(root, path))
  return entry.isFile() || entry.isDirectory() ? undefined : "NOT_A_FILE"
}

interface WalkFound {
  readonly files: Array<string>
  readonly missing: Array<string>
  readonly skipped: Array<Skipped>
}

/** Judges one entry: a file is taken, a folder is given back to be walked, all else is skipped. */
const take = (
  root: string,
  rules: Rules,
  path: string,
  entry: Dirent,
  found: WalkFound
): string | undefined => {
  const isFolder = entry.isDirectory()
  const reason = ruleFault(rules, path, isFolder) ?? kindFault(root, path, entry)
  if (reason !== undefined) found.skipped.push({ path: isFolder ? `${path}/` : path, reason })
  else if (isFolder) return path
  else found.files.push(path)
  return undefined
}

const walkFolder = (root: string, rules: Rules, folder: string, found: WalkFound): void => {
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const prefix = next === "" ? "" : `${next}/`
    try {
      for (const entry of readdirSync(resolve(root, next), { withFileTypes: true })) {
        const below = take(root, rules, `${prefix}${entry.name}`, entry, found)
        if (below !== undefined) waiting.push(below)
      }
    } catch {
      found.skipped.push({ path: next === "" ? "./" : prefix, reason: "UNREADABLE" })
    }
  }
}

/** The first folder on the way to a path that the rules leave out, or the path itself. */
const ruledOut = (rules: Rules, path: string, entry: Dirent): Skipped | undefined => {
  const parts = path.split("/")
  for (let length = 1; length <= parts.length; length++) {
    const part = parts.slice(0, length).join("/")
    const isFolder = length < parts.length || entry.isDirectory()
    const reason = ruleFault(rules, part, isFolder)
    if (reason !== undefined) return { path: isFolder ? `${part}/` : part, reason }
  }
  return undefined
}

/** Walks from one named path; what is gone has nothing below it. */
const walkNamed = (root: string, rules: Rules, path: string, found: WalkFound): void => {
  if (path === "") return walkFolder(root, rules, path, found)
  const name = path.slice(path.lastIndexOf("/") + 1)
  const parent = path.slice(0, Math.max(0, path.length - name.length - 1))
  let entry: Dirent | undefined
  try {
    entry = readdirSync(resolve(root, parent), { withFileTypes: true }).find((each) => each.name === name)
  } catch {
    entry = undefined
  }
  if (entry === undefined) {
    found.missing.push(path)
    return undefined
  }
  let folder: string | undefined
  try {
    const out = ruledOut(rules, path, entry)
    if (out === undefined) folder = take(root, rules, path, entry, found)
    else found.skipped.push(out)
  } catch {
    // A .gitignore on the way cannot be read: it is unknown whether this path is left out.
    found.skipped.push({ path: entry.isDirectory() ? `${path}/` : path, reason: "UNREADABLE" })
  }
  return folder === undefined ? undefined : walkFolder(root, rules, folder, found)
}

/** The named paths without those that lie below others. */
const outermost = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(paths)].filter(
    (path) => !paths.some((other) => other !== path && (other === "" || path.startsWith(`${other}/`)))
  )

/** True for a folder that a start is or lies in, or whose name is a part of an include glob. */
const namedFolders = (starts: ReadonlyArray<string>, include: ReadonlyArray<string>): Glob => {
  const names = new Set(include.flatMap((glob) => glob.split("/")))
  return (folder) =>
    starts.some((start) => start === folder || start.startsWith(`${folder}/`)) ||
    names.has(folder.slice(folder.lastIndexOf("/") + 1))
}

const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

/** Finds the files that the options ask for; the root's own path must be real. */
export const walkFiles = (root: string, options: WalkOptions): Result.Result<Walk, WalkError> => {
  const include = globs("/include", options.include)
  const exclude = globs("/exclude", options.exclude)
  if (include instanceof InvalidInput) return Result.fail(include)
  if (exclude instanceof InvalidInput) return Result.fail(exclude)
  const named = options.paths.map((name) => namedPath(root, name))
  const fault = named.find((path) => typeof path !== "string")
  if (fault !== undefined) return Result.fail(fault)
  const starts = named.length === 0 ? [""] : outermost(named.filter((path) => typeof path === "string"))
  const isNamed = namedFolders(starts, options.include)
  const rules: Rules = {
    isIgnored: gitIgnores(root),
    include: options.include.length === 0 ? undefined : include,
    exclude,
    isLeftOut: (folder) => !isNamed(folder) && isGenerated(root, folder)
  }
  const found: WalkFound = { files: [], missing: [], skipped: [] }
  for (const start of starts) walkNamed(root, rules, start, found)
  return Result.succeed({
    files: found.files.sort(byText),
    skipped: found.skipped.sort((left, right) => byText(left.path, right.path)),
    starts,
    missing: found.missing
  })
}
