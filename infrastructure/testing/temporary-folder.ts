/**
 * A folder for one test, and a picture of a folder that shows any touch of it. Outside tests nothing may import it.
 */
import { hash } from "node:crypto"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** A new folder that is removed when the running test ends. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cassette-test-"))
  onTestFinished(() => {
    chmodSync(folder, 0o755)
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** A new folder for a whole file of tests, with what removes it. */
export const keptFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "cassette-test-"))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Names, modes, times and hashes of a folder's files: equal before and after means that nothing was touched. */
export const folderState = (folder: string): ReadonlyArray<readonly [string, number, number, string]> =>
  readdirSync(folder)
    .sort()
    .map((name) => {
      const { mode, mtimeMs } = statSync(join(folder, name))
      return [name, mode, mtimeMs, hash("sha256", readFileSync(join(folder, name)))] as const
    })
