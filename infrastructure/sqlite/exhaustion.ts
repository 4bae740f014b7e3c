// The failure of a database's file for want of open files or memory; want of room has an error of its own.
import { StorageFailure } from "../../domain/ledger/errors.ts"
import { adviceOn, wantOf } from "./want.ts"

/** The failure of a file by the code of SQLite or of the operating system; undefined where it tells no want. */
export const exhaustedFailure = (file: string, code: string): StorageFailure | undefined => {
  const want = wantOf(code)
  if (want === undefined || want === "disk") return undefined
  // What SQLite calls a file that it cannot open is not the cause.
  const cause = want === "open files" && code !== "ENFILE" ? "EMFILE" : code
  return new StorageFailure({ file, code: cause, reason: adviceOn[want] })
}
