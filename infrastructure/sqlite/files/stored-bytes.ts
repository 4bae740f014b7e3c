// The bytes of a database's file as they stand on the disk, read beside SQLite, for what no statement shows: the header and
// the list of free pages. On POSIX systems, closing any descriptor of a file drops this process's locks on it, so the file
// is neither opened nor closed here: the read goes through a descriptor that SQLite itself holds on the same file.
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import type { Connection } from "../connection/better-sqlite3-host.ts"

export interface StoredBytes {
  /** How long the file is (bytes). */
  readonly length: number
  /** True when a log with content stands beside it, in which pages may be newer. */
  readonly logged: boolean
  /** The bytes from a place on; fewer at the end of the file. */
  readonly read: (offset: number, length: number) => Uint8Array
}

/** Where a process finds its own descriptors, on Linux and on macOS. */
const DESCRIPTORS = "/dev/fd"

const logLength = (file: string): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0

/** The bytes that a descriptor's file has from a place on. */
export const readAt = (descriptor: number, offset: number, length: number): Uint8Array => {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset))
}

/** True when a descriptor is open on the file and may be read. */
const isOn = (descriptor: number, file: { readonly dev: bigint; readonly ino: bigint }): boolean => {
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true })
    if (dev !== file.dev || ino !== file.ino) return false
    readAt(descriptor, 0, 1)
    return true
  } catch {
    return false
  }
}

/** A descriptor of the file that this process holds already; undefined where there is none to be found. */
export const heldDescriptor = (file: string): number | undefined => {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return undefined
  let names: ReadonlyArray<string>
  try {
    names = readdirSync(DESCRIPTORS)
  } catch {
    return undefined
  }
  return names.map(Number).find((descriptor) => isOn(descriptor, found))
}

const throughDescriptor = (file: string, descriptor: number): StoredBytes => ({
  length: fstatSync(descriptor).size,
  logged: logLength(file) > 0,
  read: (offset, length) => readAt(descriptor, offset, length)
})

/** Where locks belong to the handle and not to the process, the file is opened for the read. */
const throughHandle = <A>(file: string, read: (bytes: StoredBytes) => A): A => {
  const descriptor = openSync(file, "r")
  try {
    return read(throughDescriptor(file, descriptor))
  } finally {
    closeSync(descriptor)
  }
}

const ofMemory = (connection: Connection): StoredBytes => {
  const bytes = connection.serialize()
  return {
    length: bytes.length,
    logged: false,
    read: (offset, length) => bytes.subarray(offset, offset + length)
  }
}

/**
 * Reads the bytes of an open connection's database, or gives `read` nothing where the process cannot reach them. What
 * belongs together must be read inside one of the connection's transactions.
 */
export const readStored = <A>(connection: Connection, read: (bytes: StoredBytes | undefined) => A): A => {
  const { file } = connection
  if (file === undefined) return read(ofMemory(connection))
  if (process.platform === "win32") return throughHandle(file, read)
  const descriptor = heldDescriptor(file)
  return read(descriptor === undefined ? undefined : throughDescriptor(file, descriptor))
}
