// Files that a cassette could hold: what is there and cannot be taken is named, not passed over.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { sourceFiles } from "./sources.ts"

it("a file whose name cannot be written as a path is named", () => {
  const root = temporaryFolder()
  writeFileSync(join(root, "a.md"), "text")
  writeFileSync(join(root, "tab\t.md"), "text")
  expect(sourceFiles(root, ["**"])).toEqual({
    files: ["a.md"],
    unreadable: [{ path: "tab\t.md", reason: "UNREADABLE" }]
  })
})
