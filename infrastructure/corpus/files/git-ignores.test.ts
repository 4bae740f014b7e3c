// Which files of a work tree are left out, held against what git lists: nested rules, rules above the root, a repository's
// own excludes, and what is tracked.
import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { writeFiles } from "../../testing/programs/corpus-program.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { walkFiles } from "./file-walk.ts"

const git = (folder: string, ...words: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", folder, ...words], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" }
  })

const listed = (folder: string): ReadonlyArray<string> =>
  git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    .split("\0")
    .filter((path) => path !== "")
    .toSorted()

const walk = (folder: string) => Result.getOrThrow(walkFiles(folder, { paths: [], include: [], exclude: [] }))

const walked = (folder: string): ReadonlyArray<string> => {
  return walk(folder).files.toSorted()
}

/** A repository with these files. */
const repository = (files: Readonly<Record<string, string>>): string => {
  const root = temporaryFolder()
  git(root, "init", "-q")
  mkdirSync(join(root, ".git/info"), { recursive: true })
  writeFiles(root, files)
  return root
}

describe("what is left out is what git leaves out", () => {
  it.each<[string, Readonly<Record<string, string>>, ReadonlyArray<string>]>([
    [
      "a nearer file takes a folder back",
      { ".gitignore": "dist/\n", "dist/a.md": "", "ui/.gitignore": "!dist/\n", "ui/dist/a.md": "" },
      ["ui/dist/a.md"]
    ],
    [
      "nothing is taken back inside of a folder that is left out",
      { ".gitignore": "out/\n!out/a.md\n", "out/a.md": "", "out/.gitignore": "!a.md\n", "b.md": "" },
      ["b.md"]
    ],
    [
      "but what its content alone is left out of can be",
      { ".gitignore": "out/*\n!out/a.md\n", "out/a.md": "", "out/b.md": "" },
      ["out/a.md"]
    ],
    [
      "the repository's own excludes come last",
      {
        ".git/info/exclude": "*.tmp\n!a.log\n/own\n",
        ".gitignore": "*.log\n!b.tmp\n",
        "a.log": "",
        "a.tmp": "",
        "b.tmp": "",
        "own/a.md": ""
      },
      ["b.tmp"]
    ],
    [
      "names are compared by bytes and by case",
      { ".gitignore": "?.md\n*.LOG\n", "a.md": "", "é.md": "", "a.log": "" },
      ["a.log", "é.md"]
    ]
  ])("%s", (_, files, kept) => {
    const root = repository(files)
    expect(walked(root).filter((path) => !path.endsWith(".gitignore"))).toEqual(kept)
    expect(walked(root)).toEqual(listed(root))
  })

  it.each(["2", "3", "4"])("what is tracked stays, in an index of version %s", (version) => {
    const root = repository({
      ".gitignore": "out/\n*.log\n",
      "out/a/kept.md": "",
      "out/b.md": "",
      "é.log": "",
      "b.log": ""
    })
    git(root, "add", "-f", "out/a/kept.md", "é.log")
    // An entry that is only meant to be added has the longer form of version 3.
    git(root, "add", "-N", ".gitignore")
    git(root, "update-index", "--index-version", version)
    expect(walked(root)).toEqual([".gitignore", "out/a/kept.md", "é.log"])
    expect(walked(root)).toEqual(listed(root))
  })

  it.each([
    ["2", "sha1"],
    ["3", "sha1"],
    ["4", "sha1"],
    ["4", "sha256"]
  ])("what is tracked stays, in a split index of version %s with names of %s", (version, format) => {
    const root = temporaryFolder()
    git(root, "init", "-q", `--object-format=${format}`)
    git(root, "config", "splitIndex.maxPercentChange", "100")
    const names = Array.from({ length: 400 }, (_, place) => `${String(place).padStart(3, "0")}.log`)
    writeFiles(root, { ".gitignore": "*.log\n", ...Object.fromEntries(names.map((name) => [name, name])) })
    git(root, "add", "-f", ".")
    git(root, "update-index", "--index-version", version)
    git(root, "update-index", "--split-index")
    const isSplit = () => readFileSync(join(root, ".git/index")).includes("link")
    expect(isSplit()).toBe(true)
    expect(walked(root)).toEqual(listed(root))
    expect(listed(root)).toHaveLength(401)
    // A run of deleted ones, single ones, replaced ones, and one that is new.
    const isDeleted = (place: number) => (place >= 50 && place < 300) || place === 310 || place === 399
    git(root, "rm", "-q", "--cached", "--", ...names.filter((_, place) => isDeleted(place)))
    writeFiles(root, { "005.log": "other", "320.log": "other", "new.log": "", "out.log": "" })
    git(root, "add", "-f", "005.log", "320.log", "new.log")
    if (version === "3") git(root, "add", "-f", "-N", "out.log")
    expect(isSplit()).toBe(true)
    expect(walked(root)).toEqual(listed(root))
    expect(walked(root)).toContain("320.log")
    git(root, "update-index", "--no-split-index")
    expect(isSplit()).toBe(false)
    expect(walked(root)).toEqual(listed(root))
  })

  it("knows what a repository of long object names tracks", () => {
    const root = temporaryFolder()
    git(root, "init", "-q", "--object-format=sha256")
    writeFiles(root, { ".gitignore": "*.log\n", "a.log": "", "b.log": "" })
    git(root, "add", "-f", "a.log")
    expect(walked(root)).toEqual([".gitignore", "a.log"])
  })

  it("a link to a folder is no folder, and is not followed", () => {
    const root = repository({ ".gitignore": "link/\n", "docs/a.md": "" })
    symlinkSync("docs", join(root, "link"))
    expect(listed(root)).toContain("link")
    expect(walk(root).skipped).toContainEqual({ path: "link", reason: "LINK" })
  })

  it("rules above the root count, unless they leave out the root itself", () => {
    const top = repository({
      ".gitignore": "*.log\n/packages/*/out/\n/build/\n",
      ".git/info/exclude": "/packages/one/own.md\n",
      "packages/.gitignore": "!b.log\n",
      "packages/one/a.log": "",
      "packages/one/a.md": "",
      "packages/one/b.log": "",
      "packages/one/own.md": "",
      "packages/one/out/a.md": "",
      "packages/one/out/kept.md": "",
      "build/.gitignore": "b.md\n",
      "build/a.md": "",
      "build/b.md": ""
    })
    git(top, "add", "-f", "packages/one/out/kept.md")
    const one = join(top, "packages/one")
    expect(walked(one)).toEqual(["a.md", "b.log", "out/kept.md"])
    expect(walked(one)).toEqual(listed(one))
    expect(walked(join(top, "build"))).toEqual([".gitignore", "a.md"])
  })

  it("a second work tree has the excludes of its repository and an index of its own", () => {
    const top = repository({ "a.md": "", "b.log": "" })
    git(top, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first")
    writeFileSync(join(top, ".git/info/exclude"), "*.log\n")
    const second = join(temporaryFolder(), "second")
    git(top, "worktree", "add", "-q", second)
    writeFiles(second, { "a.log": "", "b.log": "", "c.md": "" })
    git(second, "add", "-f", "b.log")
    expect(walked(second).filter((path) => path !== ".git")).toEqual(["b.log", "c.md"])
    expect(walked(second)).toEqual(listed(second))
  })

  it.each<[string, (root: string) => void]>([
    [
      "excludes that are too large",
      (root) => writeFileSync(join(root, ".git/info/exclude"), "a".repeat(1_048_577))
    ],
    [
      "an index that ends too early",
      (root) => {
        git(root, "add", ".")
        truncateSync(join(root, ".git/index"), 100)
      }
    ],
    [
      "an index of more entries than it has",
      (root) => {
        git(root, "add", ".")
        const index = readFileSync(join(root, ".git/index"))
        index.writeUInt32BE(0xff_ff_ff_ff, 8)
        writeFileSync(join(root, ".git/index"), index)
      }
    ],
    [
      "an index of another form",
      (root) => {
        git(root, "add", ".")
        const index = readFileSync(join(root, ".git/index"))
        index.writeUInt32BE(5, 4)
        writeFileSync(join(root, ".git/index"), index)
      }
    ],
    [
      "an index that ends behind its entries",
      (root) => {
        git(root, "add", ".")
        git(root, "update-index", "--split-index")
        const index = readFileSync(join(root, ".git/index"))
        truncateSync(join(root, ".git/index"), index.indexOf("link") + 12)
      }
    ],
    [
      "a split index without the shared one",
      (root) => {
        git(root, "add", ".")
        git(root, "update-index", "--split-index")
        for (const name of readdirSync(join(root, ".git"))) {
          if (name.startsWith("sharedindex.")) rmSync(join(root, ".git", name))
        }
      }
    ]
  ])("nothing is taken, and that is said, beside %s", (_, damage) => {
    const root = repository({ ".gitignore": "*.log\n", "0.log": "", "a.md": "" })
    damage(root)
    const found = walk(root)
    expect(found.files).toEqual([])
    expect(found.skipped).toContainEqual({ path: "./", reason: "UNREADABLE" })
  })

  it("needs no repository", () => {
    const root = temporaryFolder()
    writeFiles(root, { ".gitignore": "*.log\n", "a.log": "", "a.md": "", ".git": "no repository" })
    expect(walked(root)).toEqual([".gitignore", "a.md"])
  })
})
