// The git repository that a folder lies in: where its work tree begins, where it keeps what belongs to it, and what it tracks.
// It reads git's own files and runs nothing.
import { lstatSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { trackedPaths } from "./git-index.ts"

export interface GitRepository {
  /** The folder at the top of the work tree. */
  readonly top: string
  /** The folder with the index of this work tree. */
  readonly own: string
  /** The folder that all work trees share, with the settings and `info/exclude`. */
  readonly shared: string
}

const SHA1_BYTES = 20
const SHA256_BYTES = 32

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Where the `.git` of a folder leads; undefined when there is none, or when it is no repository. */
const gitFolder = (folder: string): string | undefined => {
  const path = join(folder, ".git")
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  const [, target = undefined] = stats.isFile()
    ? (/^gitdir: (.+?)\r?\n?$/s.exec(readFileSync(path, "utf8")) ?? [])
    : [undefined, path]
  const found = target === undefined ? undefined : resolve(folder, target)
  return found !== undefined && isFile(join(found, "HEAD")) ? found : undefined
}

/** The repository that a folder lies in. */
export const repositoryOf = (folder: string): GitRepository | undefined => {
  for (let top = folder; ; top = dirname(top)) {
    const own = gitFolder(top)
    if (own !== undefined) {
      const pointer = join(own, "commondir")
      const shared = isFile(pointer) ? resolve(own, readFileSync(pointer, "utf8").trimEnd()) : own
      return { top, own, shared }
    }
    if (dirname(top) === top) return undefined
  }
}

/** The paths that a repository tracks, relative to its top, as strings with one unit for each byte. */
export const trackedIn = ({ own, shared }: GitRepository): ReadonlyArray<string> => {
  const index = join(own, "index")
  if (!isFile(index)) return []
  const settings = join(shared, "config")
  const isSha256 =
    isFile(settings) && /^\s*objectformat\s*=\s*sha256\s*$/im.test(readFileSync(settings, "utf8"))
  return trackedPaths(readFileSync(index), isSha256 ? SHA256_BYTES : SHA1_BYTES, (name) =>
    readFileSync(join(own, name))
  )
}
