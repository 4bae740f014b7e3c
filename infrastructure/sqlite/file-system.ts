// What must be known about a path before SQLite may touch it: that it is no folder, that a file is there when one
// is expected, and that it lies on no network file system, where locks cannot be trusted. It looks with stat
// alone and never opens a database file.
import { existsSync, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { FileMissing, NetworkFileSystem, NotALedger } from "../../domain/ledger/errors.ts"

/** Magic numbers of network file systems as statfs(2) gives them. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"]
])

/** The kind of network file system that `path` lies on, or undefined for a local or unknown one. */
export const networkKind = (path: string): string | undefined => {
  const type = Number(statfsSync(path).type)
  return networkFileSystems.get(type >>> 0)
}

export interface PathExpectations {
  /** The file must be there already; otherwise its folder must. */
  readonly mustExist: boolean
  readonly allowNetworkFs: boolean
  /** How to find the kind of file system; replaced in tests. */
  readonly networkKind?: typeof networkKind
}

/** The error that forbids to open `file`, or undefined. */
export const pathFault = (
  file: string,
  expected: PathExpectations
): FileMissing | NotALedger | NetworkFileSystem | undefined => {
  const exists = existsSync(file)
  if (!exists && (expected.mustExist || !existsSync(dirname(file)))) {
    return new FileMissing({ file: expected.mustExist ? file : dirname(file) })
  }
  if (exists && !statSync(file).isFile())
    return new NotALedger({ file, reason: "it is a folder or a device" })
  if (expected.allowNetworkFs) return undefined
  const kind = (expected.networkKind ?? networkKind)(exists ? file : dirname(file))
  return kind === undefined ? undefined : new NetworkFileSystem({ file, kind })
}
