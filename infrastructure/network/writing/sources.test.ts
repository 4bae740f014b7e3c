// Files that a cassette could hold: what is there and cannot be taken is named, not passed over.
import * as Result from "effect/Result"
import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { isOutOfSight, readDocument, sourceFiles } from "./sources.ts"

const found = (root: string, globs: ReadonlyArray<string>) => Result.getOrThrow(sourceFiles(root, globs))

it("a file whose name cannot be written as a path is named", () => {
  const root = temporaryFolder()
  writeFileSync(join(root, "a.md"), "text")
  writeFileSync(join(root, "tab\t.md"), "text")
  expect(found(root, ["**"])).toMatchObject({
    files: ["a.md"],
    leftOut: [{ path: "tab\t.md", reason: "UNREADABLE" }],
    unmatched: []
  })
})

it("what lies below a folder that cannot be read may still be there, and is not taken for gone", () => {
  const leftOut = [
    { path: "notes/", reason: "UNREADABLE" as const },
    { path: "a.md", reason: "UNREADABLE" as const }
  ]
  for (const path of ["notes/b.md", "notes/deep/c.md", "a.md"]) {
    expect(isOutOfSight(leftOut, path), path).toBe(true)
  }
  for (const path of ["notes.md", "other/notes/b.md", "a.md.txt", "b.md"]) {
    expect(isOutOfSight(leftOut, path), path).toBe(false)
  }
  expect(isOutOfSight([{ path: "./", reason: "UNREADABLE" }], "b.md")).toBe(true)
})

it("a folder that programs fill is named and taken for gone, and a source that names it takes it", () => {
  const root = temporaryFolder()
  mkdirSync(join(root, "node_modules/p"), { recursive: true })
  writeFileSync(join(root, "node_modules/p/a.md"), "text")
  writeFileSync(join(root, "b.md"), "text")
  const leftOut = [{ path: "node_modules/", reason: "GENERATED" as const }]
  expect(found(root, ["**"])).toMatchObject({ files: ["b.md"], leftOut })
  expect(isOutOfSight(leftOut, "node_modules/p/a.md")).toBe(false)
  expect(found(root, ["node_modules/p/**"])).toMatchObject({
    files: ["node_modules/p/a.md"],
    leftOut: []
  })
})

it("rules for git are no documents, unless a source names them", () => {
  const root = temporaryFolder()
  mkdirSync(join(root, "sub"))
  for (const path of [".gitignore", "sub/.gitignore", "a.md", "gitignore.md"])
    writeFileSync(join(root, path), "dist\n")
  expect(found(root, ["**"])).toMatchObject({ files: ["a.md", "gitignore.md"] })
  expect(found(root, ["*.md", "sub/.gitignore"])).toMatchObject({
    files: ["a.md", "gitignore.md", "sub/.gitignore"],
    unmatched: []
  })
})

it("a file is read as it is, after any other file: empty, with a byte order mark, short and long", () => {
  const root = realpathSync(temporaryFolder())
  const texts = [
    "long\n".repeat(20_000),
    "\ufeffmarked\n",
    "é".repeat(32_768),
    `${"b".repeat(65_536)}\n`,
    "",
    "short\n"
  ]
  for (const [number, text] of texts.entries()) writeFileSync(join(root, `${number}.md`), text)
  const read = texts.map((_, number) => readDocument(root, `${number}.md`, "notes"))
  expect(read).toEqual(texts.map((text, number) => ({ path: `${number}.md`, type: "notes", text })))
})
