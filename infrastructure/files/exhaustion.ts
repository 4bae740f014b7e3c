// The failure of a database's file for want of open files, size or memory; want of room has an error of its own.
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import { adviceOn, type Resource, wantOf } from "./want.ts"

const causes: ReadonlyMap<Resource, string> = new Map([
  ["open files", "EMFILE"],
  ["file size", "EFBIG"]
])

/** The failure of a file by the code of SQLite or of the operating system; undefined where it tells no want. */
export const exhaustedFailure = (file: string, code: string): StorageFailure | undefined => {
  const want = wantOf(code)
  if (want === undefined || want === "disk") return undefined
  // What SQLite calls a file that it cannot open, or cannot write, is not the cause.
  const cause = code.startsWith("SQLITE_") ? (causes.get(want) ?? code) : code
  return new StorageFailure({ file, code: cause, reason: adviceOn[want] })
}
