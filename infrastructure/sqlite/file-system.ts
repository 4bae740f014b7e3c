// What must be known about a path before SQLite may touch it: that it is no folder, that a file is there when one
// is expected, and that it lies on no network file system, where locks cannot be trusted. It looks with stat
// alone and never opens a database file.
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { FileMissing, NetworkFileSystem, NotALedger, ReadOnlyStore } from "../../domain/ledger/errors.ts"

/** Magic numbers of network file systems as statfs(2) gives them. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"]
])

/** The kind of network file system with this statfs(2) type, or undefined for a local or unknown one. */
export const kindOfType = (type: number): string | undefined => networkFileSystems.get(type >>> 0)

/** The kind of network file system that `path` lies on, or undefined for a local or unknown one. */
export const networkKind = (path: string): string | undefined => kindOfType(Number(statfsSync(path).type))

/** True when this process may write the file or into the folder at `path`. */
export const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** `write` creates a missing file, `append` writes to one that is there, `read` changes nothing. */
export type AccessMode = "write" | "append" | "read"

export interface PathExpectations {
  /** Reading and appending need the file, creating its folder; all but reading may write both. */
  readonly mode: AccessMode
  readonly allowNetworkFs: boolean
  /** How to find the kind of file system; replaced in tests. */
  readonly networkKind?: typeof networkKind
}

/** The error that forbids to open `file`, or undefined. */
export const pathFault = (
  file: string,
  expected: PathExpectations
): FileMissing | NotALedger | ReadOnlyStore | NetworkFileSystem | undefined => {
  const folder = dirname(file)
  const exists = existsSync(file)
  if (!exists && expected.mode !== "write") return new FileMissing({ file })
  if (!exists && !existsSync(folder)) return new FileMissing({ file: folder })
  if (exists && !statSync(file).isFile())
    return new NotALedger({ file, reason: "it is a folder or a device" })
  if (expected.mode !== "read" && !(isWritable(folder) && (!exists || isWritable(file)))) {
    return new ReadOnlyStore({ file })
  }
  if (expected.allowNetworkFs) return undefined
  const kind = (expected.networkKind ?? networkKind)(exists ? file : folder)
  return kind === undefined ? undefined : new NetworkFileSystem({ file, kind })
}
