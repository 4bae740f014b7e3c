/** How open a copy is: others may do no more with it than with its source, also where the two are of different groups. */
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { closeLike, permissionsLike, takeAfter } from "./file-access.ts"
import { reserveSuccessor } from "./file-system.ts"

const FOREIGN_GROUP = 54_321
const isRoot = process.getuid?.() === 0

/** A file with this mode, of another group where `foreign`. */
const fileWith = (folder: string, name: string, mode: number, foreign = false): string => {
  const file = join(folder, name)
  writeFileSync(file, "")
  chownSync(file, process.getuid!(), foreign ? FOREIGN_GROUP : process.getegid!())
  chmodSync(file, mode)
  return file
}

const modeOf = (file: string): number => statSync(file).mode & 0o777

describe.skipIf(process.platform === "win32")("a copy", () => {
  it("in a group of the same name is as open as its source, and its owner may write it", () => {
    const folder = temporaryFolder()
    for (const [mode, copy] of [
      [0o640, 0o640],
      [0o664, 0o664],
      [0o444, 0o644],
      [0o755, 0o644]
    ] as const) {
      const source = fileWith(folder, mode.toString(8), mode)
      assert.strictEqual(permissionsLike(source, folder).file, copy)
    }
    const asked = permissionsLike(join(folder, "none"), folder)
    assert.deepStrictEqual(asked, { file: 0o666, folder: 0o777 })
  })

  it.skipIf(!isRoot)("in another group gives it no more than everybody has", () => {
    const folder = temporaryFolder()
    for (const [mode, copy] of [
      [0o660, 0o600],
      [0o664, 0o644],
      [0o640, 0o600]
    ] as const) {
      const source = fileWith(folder, mode.toString(8), mode, true)
      assert.strictEqual(permissionsLike(source, folder).file, copy)
      const made = fileWith(folder, `copy-${mode}`, 0o664)
      closeLike(made, statSync(source))
      assert.strictEqual(modeOf(made), copy)
    }
  })

  it.skipIf(!isRoot || process.platform !== "linux")(
    "in a folder that gives its group is of that group",
    () => {
      const folder = temporaryFolder()
      const shared = join(folder, "shared")
      mkdirSync(shared)
      chownSync(shared, 0, FOREIGN_GROUP)
      chmodSync(shared, 0o2770)
      const source = fileWith(folder, "own", 0o640)
      assert.strictEqual(permissionsLike(source, shared).file, 0o600)
      assert.strictEqual(permissionsLike(fileWith(folder, "foreign", 0o640, true), shared).file, 0o640)
    }
  )

  it.skipIf(!isRoot)(
    "that takes a file's place has its group, and is never more open than the other source",
    () => {
      const folder = temporaryFolder()
      const standing = fileWith(folder, "standing", 0o660, true)
      const after = fileWith(folder, "after", 0o660)
      takeAfter(after, statSync(standing), statSync(fileWith(folder, "other", 0o640)))
      assert.deepInclude(statSync(after), { gid: FOREIGN_GROUP })
      assert.strictEqual(modeOf(after), 0o600)
      const draft = join(folder, "draft")
      reserveSuccessor(draft, standing)
      assert.deepInclude(statSync(draft), { gid: FOREIGN_GROUP })
      assert.strictEqual(modeOf(draft), 0o660)
    }
  )
})
