/** A database's file beside a log of its own past: what is in that log was moved into the file long ago, and more was written. */
import { cpSync, mkdirSync, utimesSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { temporaryFolder } from "./temporary-folder.ts"

/** Puts a file beside a log that was written long before, and gives the file's new path. */
export const beside = (folder: string, file: string, log: string): string => {
  mkdirSync(join(folder, "there"), { recursive: true })
  const filename = join(folder, "there", "l.db")
  cpSync(log, `${filename}-wal`)
  utimesSync(`${filename}-wal`, 1, 1)
  cpSync(file, filename)
  return filename
}

/** `write` opens a file, writes something new to it and closes it. */
export const besideOlderLog = async (
  write: (file: string, round: number) => Promise<void>
): Promise<{ readonly filename: string; readonly newer: string }> => {
  const folder = temporaryFolder()
  const busy = join(folder, "busy.db")
  await write(busy, 0)
  // A reader keeps the log from being moved into the file.
  const reader = new Database(busy)
  reader.exec("BEGIN; SELECT count(*) FROM sqlite_schema")
  await write(busy, 1)
  const newer = join(folder, "newer.db")
  for (const part of ["", "-wal"]) cpSync(`${busy}${part}`, `${newer}${part}`)
  for (const round of [2, 3, 4, 5, 6]) await write(newer, round)
  const filename = beside(folder, newer, `${busy}-wal`)
  reader.close()
  return { filename, newer }
}
