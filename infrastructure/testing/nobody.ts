/**
 * Giving up root in a child process of a test, since root may write everywhere and so sees no permission. What must be
 * read from this checkout is read before, because the checkout may be closed to others.
 */
import { statSync } from "node:fs"
import { tmpdir } from "node:os"
import { openScratch } from "../sqlite/connection/better-sqlite3-host.ts"

/** The user and group that own nothing. */
export const NOBODY = 65_534

/** True when the tests run as root. */
export const isRoot = process.getuid?.() === 0

/** False when a child that gives up root could not reach the folders of the tests. */
export const nobodyReaches = !isRoot || (statSync(tmpdir()).mode & 0o007) === 0o007

/** Becomes the user who owns nothing; anyone who is not root stays who they are. */
export const becomeNobody = (): void => {
  openScratch().close()
  if (!isRoot) return
  process.setgroups?.([])
  process.setgid?.(NOBODY)
  process.setuid?.(NOBODY)
}
