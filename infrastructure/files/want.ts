// When the machine gives no more of what every program shares: open files, memory, room on a disk. The want shows under many
// codes and in many places, also where a module is loaded; here it gets one name and one sentence that says what to do. It
// loads nothing, since children start with it, and asks for the file system only where there is one.

/** What there is no more of. */
export type Resource = "open files" | "file size" | "memory" | "disk"

const codes: ReadonlyMap<string, Resource> = new Map([
  ["EMFILE", "open files"],
  ["ENFILE", "open files"],
  ["EFBIG", "file size"],
  ["ENOMEM", "memory"],
  ["SQLITE_NOMEM", "memory"],
  ["SQLITE_IOERR_NOMEM", "memory"],
  ["ERR_MEMORY_ALLOCATION_FAILED", "memory"],
  ["ENOSPC", "disk"],
  ["EDQUOT", "disk"]
])

/** What loaders of modules and libraries say without a code of their own. */
const words: ReadonlyArray<readonly [RegExp, Resource]> = [
  [/too many open files/i, "open files"],
  [/file too large/i, "file size"],
  [/cannot allocate memory|array buffer allocation failed/i, "memory"],
  [/no space left on device|disk quota exceeded/i, "disk"]
]

/** What to do about a want. */
export const adviceOn: { readonly [R in Resource]: string } = {
  "open files":
    "no more files can be opened: close other programs or raise the limit (ulimit -n), then run it again",
  "file size": "a file may not grow further: raise the limit of its size (ulimit -f), then run it again",
  memory: "there is no more memory: close other programs or raise the limit, then run it again",
  disk: "there is no more room on a disk: make room, also for temporary files, then run it again"
}

/** The want that a text tells, where a process has passed on nothing but the advice about it. */
export const wantToldIn = (text: string): Resource | undefined =>
  (Object.keys(adviceOn) as ReadonlyArray<Resource>).find((resource) => text.includes(adviceOn[resource]))

/** As many files as SQLite has open for one connection: the database, its logs, shared memory, temporary files. */
const FILES_OF_A_CONNECTION = 8

/** True when this process cannot open as many more files as a connection needs; it opens no database file. */
const isOutOfFiles = (): boolean => {
  const { closeSync, openSync } = process.getBuiltinModule("node:fs")
  const descriptors: Array<number> = []
  try {
    while (descriptors.length < FILES_OF_A_CONNECTION) descriptors.push(openSync(process.execPath, "r"))
    return false
  } catch (error) {
    return codes.get((error as NodeJS.ErrnoException).code ?? "") === "open files"
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}

/** True when this process has a limit for the size of its files. */
const isSizeLimited = (): boolean => {
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly file_size_blocks?: { readonly soft: number | "unlimited" } }
  }
  return typeof userLimits?.file_size_blocks?.soft === "number"
}

/** SQLite's codes that stand for several causes, each with the want that it is when this process has it. */
const manifold: ReadonlyArray<readonly [RegExp, Resource, () => boolean]> = [
  [/^SQLITE_(?:CANTOPEN|IOERR_GETTEMPPATH)/, "open files", isOutOfFiles],
  [/^SQLITE_IOERR_(?:WRITE|TRUNCATE|SHMOPEN|SHMSIZE)/, "file size", isSizeLimited]
]

/** The want that a code of the operating system or of SQLite tells. */
export const wantOf = (code: string): Resource | undefined =>
  codes.get(code) ?? manifold.find(([pattern, , has]) => pattern.test(code) && has())?.[1]

/** The want behind any error, by its own code or words or by those of its causes. */
export const wantBehind = (error: unknown, depth = 0): Resource | undefined => {
  if (typeof error !== "object" || error === null || depth > 4) return undefined
  const { cause, code, message } = error as { cause?: unknown; code?: unknown; message?: unknown }
  const told = typeof code === "string" ? wantOf(code) : undefined
  const said = words.find(([pattern]) => typeof message === "string" && pattern.test(message))?.[1]
  return told ?? said ?? wantBehind(cause, depth + 1)
}
