// Whether a database file can have its log beside it: SQLite names the log after the path, so that a file with a second
// name, or one that is mounted without its folder, has a log that others never see. Nothing is written to such a file.
// It looks with stat alone and never opens a database file.
import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { UnsafePlace } from "../../../domain/foundation/storage-errors.ts"

/** How many names of a folder are looked through for the other name of a file. */
const MAX_NAMES_LOOKED_AT = 10_000

/** How the private folders are called in which a file is made before it gets its name. */
export const DRAFT_FOLDER = ".cassette-draft-"

/** How an unfinished file is called that is made beside its place. */
const UNFINISHED = /^\..*\.partial-/

const isSame = (path: string, { dev, ino }: Stats): boolean => {
  try {
    const found = statSync(path)
    return found.ino === ino && found.dev === dev
  } catch {
    // It went meanwhile, or may not be looked at: it is not shown as a name.
    return false
  }
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder).slice(0, MAX_NAMES_LOOKED_AT)
  } catch {
    return []
  }
}

/** What stands in the name under which a restored ledger's file is kept, before the time. */
export const KEPT_INFIX = ".replaced-"

/** The names that restoring gave a file to keep it, by its real path: where there are any, it was killed before it was done. */
export const keptNames = (file: string): ReadonlyArray<string> => {
  const facts = statSync(file, { throwIfNoEntry: false })
  if (facts === undefined || facts.nlink < 2) return []
  return namesIn(dirname(file))
    .filter((name) => name.startsWith(`${basename(file)}${KEPT_INFIX}`))
    .map((name) => join(dirname(file), name))
    .filter((path) => isSame(path, facts))
}

/** What our own commands leave when they are killed between giving a file its name and taking the first one away. */
const isDraft = (name: string): boolean => name.startsWith(DRAFT_FOLDER) || UNFINISHED.test(name)

/** The other names of a file as far as they lie in its folder; a draft's is in a folder of its own. */
const otherNames = (
  file: string,
  facts: Stats
): { readonly path: string; readonly draft: boolean } | undefined => {
  const folder = dirname(file)
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    if (path === file) continue
    const found = name.startsWith(DRAFT_FOLDER) ? namesIn(path).map((each) => join(path, each)) : [path]
    const other = found.find((each) => isSame(each, facts))
    if (other !== undefined) return { path: other, draft: isDraft(name) }
  }
  return undefined
}

/** How people find the other name of a file and what they do about it. */
const adviceOnNames = (file: string, facts: Stats): string => {
  const [kept] = keptNames(file)
  if (kept !== undefined) {
    const log = `${kept}-wal`
    const moved =
      statSync(log, { throwIfNoEntry: false }) === undefined ? "" : `, and move ${log} to ${file}-wal`
    return `a restore that was killed left ${kept}: restore again, or remove that name${moved}`
  }
  const other = otherNames(file, facts)
  if (other === undefined) {
    return `find the others (find / -xdev -samefile ${file}), end what writes through them, and remove all but one; or write to a copy (cortex cassette backup COPY)`
  }
  return other.draft
    ? `a command that was killed left ${other.path}: remove that name`
    : `${other.path} is one: end what writes through it, and remove one of the two; or write to a copy (cortex cassette backup COPY)`
}

/** What is said of a file with several names; undefined for a file with one, beside so many that are `known`. */
export const namesFault = (file: string, facts: Stats, known = 0): string | undefined =>
  facts.nlink > 1 + known
    ? `it has ${facts.nlink} names (hard links), and each has a log of its own in which the others' commands are not seen: ${adviceOnNames(file, facts)}`
    : undefined

/** The mounts of this process as Linux tells them; undefined where it does not. */
const readMounts = (): string | undefined => {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8")
  } catch {
    return undefined
  }
}

/** How the table of mounts writes a blank, a tab, a line's end and a backslash. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

/** Where a line of the table says what is mounted on. */
const MOUNT_POINT = 4

/** True when the table of mounts says that something is mounted on exactly this path. */
export const isMountPoint = (mounts: string, path: string): boolean =>
  mounts.split("\n").some((line) => unescaped(line.split(" ")[MOUNT_POINT] ?? "") === path)

/** What tells a mount of a file: the table of mounts, or where there is none, the devices of file and folder. */
export interface MountFacts {
  readonly mounts: string | undefined
  readonly device: number
  readonly folderDevice: number
}

/** What is said of a file that is mounted without its folder, by its real path. */
export const mountFault = (
  real: string,
  { device, folderDevice, mounts }: MountFacts
): string | undefined => {
  // A layered file system may give a file another device than its folder: where there is a table, it alone counts.
  const alone = mounts === undefined ? device !== folderDevice : isMountPoint(mounts, real)
  return alone
    ? `it is mounted by itself, without its folder: its log would lie in ${dirname(real)}, on another file system, and end with it: mount the folder that holds the file, not the file`
    : undefined
}

const mountFactsOf = (real: string, facts: Stats): MountFacts => ({
  mounts: readMounts(),
  device: facts.dev,
  folderDevice: statSync(dirname(real)).dev
})

/**
 * Why nothing may be written to an existing file where it is, or undefined; what the system says is thrown. So many further
 * names as are `known` are no fault.
 */
export const loneFileFault = (file: string, known = 0): UnsafePlace | undefined => {
  const real = realpathSync(file)
  const facts = statSync(real)
  const names = namesFault(real, facts, known)
  if (names !== undefined) return new UnsafePlace({ file, code: "SEVERAL_NAMES", reason: names })
  const mount = mountFault(real, mountFactsOf(real, facts))
  return mount === undefined ? undefined : new UnsafePlace({ file, code: "MOUNTED_ALONE", reason: mount })
}

/** What a reader must know of such a file: what is in another log is not in what it reads. */
export const loneFileWarnings = (file: string): ReadonlyArray<string> => {
  const fault = loneFileFault(file)
  return fault === undefined
    ? []
    : [`${file}: ${fault.reason}; what was written last under another name or mount may not be seen here`]
}
