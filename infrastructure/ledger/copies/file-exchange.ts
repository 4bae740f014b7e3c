// The exchange of a ledger's file for a finished draft, one step after the other, so that the old file or the new one stands
// at every moment and neither with the other's log. The old file gets a second name under which it is kept, its log and the
// log's index are taken away, and the draft is renamed onto it. An exchange that was killed is taken up where it ended.
import { linkSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { takeAfter } from "../../files/file-access.ts"
import { flush, hasNoLinks } from "../../files/file-system.ts"
import { copyKeepingLocks } from "../../sqlite/files/locked-copy.ts"
import { KEPT_INFIX, keptNames } from "../../sqlite/files/lone-file.ts"

export interface Exchange {
  readonly file: string
  /** What takes its place: a finished file on the same file system, which is moved there. */
  readonly draft: string
  /** When it is done, as part of the name under which the old file is kept. */
  readonly time: string
  /** True when the file has all that its log holds, so that the log is not kept (default false). */
  readonly isLogMoved?: boolean
}

/** What holds a transaction of a database beside its file. */
const LOGS = ["-wal", "-journal"] as const

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const stands = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/** A second name for the old file; where there are none, a copy of it, which has its name when it is whole. */
const keep = ({ draft, file }: Exchange, kept: string): void => {
  try {
    linkSync(file, kept)
  } catch (error) {
    if (!hasNoLinks(error)) throw error
    const copy = `${draft}.kept`
    copyKeepingLocks(file, copy)
    takeAfter(copy, statSync(file))
    flush(copy)
    renameSync(copy, kept)
  }
}

/** A name that an exchange which was killed gave the file already, and under which no log would be written over. */
const leftName = (file: string): string | undefined =>
  keptNames(file).find((name) =>
    LOGS.every((log) => sizeOf(`${file}${log}`) === 0 || !stands(`${name}${log}`))
  )

const newName = (file: string, time: string): string => {
  const first = `${file}${KEPT_INFIX}${time}`
  const isTaken = (name: string) => ["", ...LOGS].some((part) => stands(`${name}${part}`))
  let name = first
  for (let count = 2; isTaken(name); count++) name = `${first}-${count}`
  return name
}

/**
 * Puts the draft in the file's place and gives the names of what is kept: the file, and its log if that had content. Locks
 * that this process has on the file stay in force.
 */
export const exchangeFile = (exchange: Exchange): ReadonlyArray<string> => {
  const { draft, file, isLogMoved = false, time } = exchange
  const left = leftName(file)
  const kept = left ?? newName(file, time)
  if (left === undefined && stands(file)) keep(exchange, kept)
  for (const log of LOGS) {
    if (isLogMoved || sizeOf(`${file}${log}`) === 0) rmSync(`${file}${log}`, { force: true })
    else renameSync(`${file}${log}`, `${kept}${log}`)
  }
  rmSync(`${file}-shm`, { force: true })
  flush(dirname(file))
  renameSync(draft, file)
  return ["", ...LOGS].map((part) => `${kept}${part}`).filter(stands)
}
