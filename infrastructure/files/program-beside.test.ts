// Where a program of a process or a thread is found: beside the module that starts it, also where a bundler gave the two different
// names of ES modules.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, it } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { programBeside } from "./program-beside.ts"

const folderWith = (...files: ReadonlyArray<string>): string => {
  const folder = temporaryFolder()
  for (const file of files) writeFileSync(join(folder, file), "")
  return folder
}

it.each([
  ["starter.ts", ["child.ts"], "child.ts"],
  ["chunk.js", ["child.mjs"], "child.mjs"],
  ["bundle.mjs", ["child.js"], "child.js"],
  ["bundle.mjs", ["child.js", "child.mjs"], "child.mjs"],
  ["bundle.mjs", ["child.ts", "child.cjs"], undefined],
  ["bundle.mjs", [], undefined]
])("%s with %j beside it starts %s", (module, files, found) => {
  const folder = folderWith(...files)
  const program = programBeside("child", pathToFileURL(join(folder, module)).href)
  expect(program).toBe(found === undefined ? undefined : join(folder, found))
})

it("a module that does not know where it is finds none", () => {
  expect(programBeside("child", undefined)).toBeUndefined()
})
