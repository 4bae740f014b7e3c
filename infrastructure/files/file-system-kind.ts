// What kind of file system a path lies on, for people: its name, whether it is on a disk at all, and how much room is left.
// It looks with statfs alone; a kind that is not in the table is told by its number.
import { statfsSync } from "node:fs"
import { kindOfType } from "./file-system.ts"

/** Magic numbers of local file systems as statfs(2) gives them on Linux. */
const localFileSystems: ReadonlyMap<number, string> = new Map([
  [0xef53, "ext4"],
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0xf2f52010, "f2fs"],
  [0x2fc12fc1, "zfs"],
  [0x794c7630, "overlay"],
  [0x65735546, "fuse"],
  [0x01021997, "9p"],
  [0x4d44, "fat"],
  [0x2011bab0, "exfat"]
])

const inMemory = new Set(["tmpfs", "ramfs"])

export interface FileSystemKind {
  /** Its name, or its number where it has none here. */
  readonly name: string
  /** NFS, SMB and CIFS: locks cannot be trusted there. */
  readonly isNetwork: boolean
  /** Nothing on it survives the machine's end. */
  readonly isMemory: boolean
  /** Bytes that this user may still write. */
  readonly freeBytes: number
}

/** The kind of file system with this statfs(2) type. */
const fileSystemName = (type: number): string =>
  kindOfType(type) ?? localFileSystems.get(type >>> 0) ?? `0x${(type >>> 0).toString(16)}`

/** The file system that an existing path lies on. */
export const fileSystemKind = (path: string): FileSystemKind => {
  const { bavail, bsize, type } = statfsSync(path)
  const name = fileSystemName(type)
  return {
    name,
    isNetwork: kindOfType(type) !== undefined,
    isMemory: inMemory.has(name),
    freeBytes: bavail * bsize
  }
}
