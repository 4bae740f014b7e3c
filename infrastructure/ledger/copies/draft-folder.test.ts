/** The folders in which copies are made: those of dead owners go with the next copy, those of living ones stay. */
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { DRAFT_FOLDER } from "../../sqlite/files/lone-file.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { makeDraftFolder } from "./draft-folder.ts"

/** A folder as a killed process leaves it. */
const left = (path: string, files: ReadonlyArray<string>, mode = 0o700): string => {
  mkdirSync(path)
  chmodSync(path, mode)
  for (const name of files) writeFileSync(join(path, name), "")
  return path
}

describe("a folder for a copy", () => {
  it("takes away what a dead owner left, with all that is in it", () => {
    const folder = temporaryFolder()
    left(join(folder, `${DRAFT_FOLDER}dead`), ["owner", "locked", "ledger.db", "ledger.db.kept"])
    const { path, remove } = makeDraftFolder(join(folder, "copy.db"))
    assert.deepStrictEqual(
      readdirSync(folder).map((name) => join(folder, name)),
      [path]
    )
    remove()
    assert.deepStrictEqual(readdirSync(folder), [])
  })

  it("leaves the folder of a living owner, also of this process", () => {
    const folder = temporaryFolder()
    const first = makeDraftFolder(join(folder, "one.db"))
    const second = makeDraftFolder(join(folder, "two.db"))
    assert.isTrue(existsSync(first.path))
    second.remove()
    assert.deepStrictEqual(readdirSync(first.path).sort(), ["locked", "owner"])
    first.remove()
  })

  it("leaves what it cannot judge: not locked yet, open to others, a link, a file", () => {
    const folder = temporaryFolder()
    const elsewhere = left(join(temporaryFolder(), "elsewhere"), ["owner", "locked"])
    left(join(folder, `${DRAFT_FOLDER}young`), ["owner"])
    left(join(folder, `${DRAFT_FOLDER}open`), ["owner", "locked"], 0o755)
    symlinkSync(elsewhere, join(folder, `${DRAFT_FOLDER}link`))
    writeFileSync(join(folder, `${DRAFT_FOLDER}file`), "")
    const before = readdirSync(folder)
    makeDraftFolder(join(folder, "copy.db")).remove()
    assert.deepStrictEqual(readdirSync(folder), before)
    assert.isTrue(existsSync(join(elsewhere, "locked")))
  })
})
