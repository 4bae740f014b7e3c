/** Folders that are made with those above them: they appear, stay as they are, or are refused at once. */
import { existsSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { makeFolders } from "./new-folders.ts"

describe("makeFolders", () => {
  it("makes what is missing, and leaves what is there", () => {
    const folder = join(temporaryFolder(), "a", "b", "c")
    makeFolders(folder)
    makeFolders(folder)
    expect(statSync(folder).isDirectory()).toBe(true)
  })

  it("says what the operating system says where a file is in the way", () => {
    const file = join(temporaryFolder(), "file")
    writeFileSync(file, "")
    expect(() => makeFolders(file)).toThrow(/EEXIST/)
    expect(() => makeFolders(join(file, "below"))).toThrow(/ENOTDIR|EEXIST/)
  })

  it.skipIf(!existsSync("/proc/self"))("ends where no folder can ever be made", () => {
    expect(() => makeFolders("/proc/no-such-thing/CORTEX")).toThrow(/ENOENT/)
  })
})
