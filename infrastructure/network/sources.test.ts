// Files that a cassette could hold: what is there and cannot be taken is named, not passed over.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { isOutOfSight, sourceFiles } from "./sources.ts"

it("a file whose name cannot be written as a path is named", () => {
  const root = temporaryFolder()
  writeFileSync(join(root, "a.md"), "text")
  writeFileSync(join(root, "tab\t.md"), "text")
  expect(sourceFiles(root, ["**"])).toMatchObject({
    files: ["a.md"],
    unreadable: [{ path: "tab\t.md", reason: "UNREADABLE" }],
    unmatched: []
  })
})

it("what lies below a folder that cannot be read may still be there, and is not taken for gone", () => {
  const unreadable = [
    { path: "notes/", reason: "UNREADABLE" as const },
    { path: "a.md", reason: "UNREADABLE" as const }
  ]
  for (const path of ["notes/b.md", "notes/deep/c.md", "a.md"]) {
    expect(isOutOfSight(unreadable, path), path).toBe(true)
  }
  for (const path of ["notes.md", "other/notes/b.md", "a.md.txt", "b.md"]) {
    expect(isOutOfSight(unreadable, path), path).toBe(false)
  }
  expect(isOutOfSight([{ path: "./", reason: "UNREADABLE" }], "b.md")).toBe(true)
})
