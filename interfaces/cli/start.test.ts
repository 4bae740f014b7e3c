// What a command loads: parsers, grammars, globs and YAML belong to the commands that read texts or a network, and nothing else
// pays for them.
import { join } from "node:path"
import { writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { loadedPackages } from "../../infrastructure/testing/programs/loaded-packages.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"

const program = join(import.meta.dirname, "bin.ts")

const packagesOf = (folder: string, ...command: ReadonlyArray<string>): ReadonlyArray<string> =>
  loadedPackages([program, ...command], folder)

it("help loads no package but effect", () => {
  expect(packagesOf(temporaryFolder(), "--help")).toEqual(["effect"])
})

it("a post and a claim load the driver beside it", () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "message.json"), '{"intent":"greet"}')
  const post = ["cassette", "post", "--json", "message.json", "--run-id", "r", "--source", "USER"]
  expect(packagesOf(folder, ...post)).toEqual(["better-sqlite3", "effect"])
  expect(packagesOf(folder, "cassette", "claim", "--run-id", "r", "--worker", "w")).toEqual([
    "better-sqlite3",
    "effect"
  ])
})

it("a command that reads texts brings the parsers, and so the list would show them", () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "guide.md"), "# Guide\n\nText.\n")
  expect(packagesOf(folder, "index", "--include", "guide.md")).toEqual(
    expect.arrayContaining(["effect", "markdown-it", "picomatch"])
  )
})
