// The private folder in which a copy of a ledger is made before it gets its name. Its owner holds a lock in it for as long as it
// lives, and the kernel gives that back when it dies: the next copy that is made beside takes away what dead owners left.
import { lstatSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Connection, openForWriting } from "../../sqlite/connection/better-sqlite3-host.ts"
import { networkKind } from "../../files/file-system.ts"
import { DRAFT_FOLDER } from "../../sqlite/files/lone-file.ts"

/** The empty database that the owner of a folder has locked. */
const OWNER = "owner"

/** What stands beside it once it is locked: before that, no other process may ask for the lock. */
const LOCKED = "locked"

const PRIVATE = 0o700

/** Locks an empty database; throws what SQLite says when another process has it. */
const lock = (file: string): Connection => {
  const connection = openForWriting(file)
  try {
    connection.pragma("journal_mode = MEMORY")
    connection.run("BEGIN EXCLUSIVE")
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** True for a folder that is this user's alone, so that no other user has put anything into it. */
const isOwn = (folder: string): boolean => {
  const facts = lstatSync(folder, { throwIfNoEntry: false })
  return facts?.isDirectory() === true && facts.uid === process.getuid?.() && (facts.mode & 0o777) === PRIVATE
}

/** Takes a folder away if the process that made it is dead. */
const removeLeft = (folder: string): void => {
  if (!isOwn(folder) || statSync(join(folder, LOCKED), { throwIfNoEntry: false }) === undefined) return
  let dead: Connection
  try {
    dead = lock(join(folder, OWNER))
  } catch {
    // It is alive, or whether it is cannot be told: the folder stays.
    return
  }
  try {
    rmSync(folder, { recursive: true, force: true })
  } finally {
    dead.close()
  }
}

/** Takes away what dead owners left in a folder; where locks cannot be trusted, nothing. */
const removeAllLeft = (place: string): void => {
  if (process.getuid === undefined || networkKind(place) !== undefined) return
  for (const name of readdirSync(place)) {
    if (name.startsWith(DRAFT_FOLDER)) removeLeft(join(place, name))
  }
}

export interface DraftFolder {
  readonly path: string
  /** Takes the folder away with all that is in it. */
  readonly remove: () => void
}

/** Makes a folder of our own on the target's file system; what the system says is thrown. */
export const makeDraftFolder = (target: string): DraftFolder => {
  const place = dirname(target)
  const path = mkdtempSync(join(place, DRAFT_FOLDER))
  try {
    const held = lock(join(path, OWNER))
    writeFileSync(join(path, LOCKED), "")
    removeAllLeft(place)
    const remove = () => {
      held.close()
      rmSync(path, { recursive: true, force: true })
    }
    return { path, remove }
  } catch (error) {
    rmSync(path, { recursive: true, force: true })
    throw error
  }
}
