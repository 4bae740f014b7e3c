// Ignore rules against git itself: of any tree with any rules they leave what git lists, tracked or not. It needs git
// on the machine.

import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { gitIgnores } from "../infrastructure/corpus/files/git-ignores.ts"
import { propParameters } from "./support/configuration.ts"

const hasGit = spawnSync("git", ["--version"]).status === 0

const name = fc.constantFrom(
  "a",
  "b",
  "ab",
  "foo",
  "bar",
  "a.md",
  "b.log",
  ".c",
  "é",
  "日本",
  "x y",
  "z ",
  "#h",
  "!n",
  "[q]",
  "n\nl",
  "-"
)
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))

const piece = fc.oneof(
  { weight: 6, arbitrary: name },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      "*",
      "**",
      "***",
      "/",
      "//",
      "/**/",
      "**/",
      "/**",
      "?",
      "??",
      "\\",
      "\\*",
      "\\/",
      "\\ ",
      "[a-z]",
      "[!a]",
      "[^a]",
      "[]a]",
      "[!]a]",
      "[[:alpha:]]",
      "[[:space:]]",
      "[[:punct:]x]",
      "[[:nope:]]",
      "[[:",
      "[[:]",
      "[a",
      "[a-]",
      "[-a]",
      "[\\]]",
      "[z-a]",
      "[a-\\c]",
      "[/]",
      "é",
      "\u00c3",
      "A",
      ".",
      ".*",
      "*.md",
      "o"
    )
  }
)
const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""))
const rule = fc
  .tuple(
    fc.constantFrom("", "", "", "!", "\\!", "#", "\\#", "/", "!/", " "),
    fc.oneof(
      { weight: 3, arbitrary: pattern },
      { weight: 2, arbitrary: path },
      { weight: 2, arbitrary: name }
    ),
    fc.constantFrom("", "", "", "/", " ", "  ", "\\ ", "\t", "/*", "/**", "\\")
  )
  .map((parts) => parts.join("").replaceAll("\n", "?"))
const rules = fc
  .tuple(
    fc.constantFrom("", "", "\ufeff"),
    fc.array(rule, { maxLength: 5 }),
    fc.constantFrom("\n", "\n", "\r\n", "\r\r\n"),
    fc.boolean()
  )
  .map(([mark, lines, end, isEnded]) => mark + lines.join(end) + (isEnded ? end : ""))

const tree = fc.record({
  /** Trees beside each other, so that one call of git judges many. */
  parts: fc.array(
    fc.record({
      files: fc.array(path, { minLength: 1, maxLength: 10 }),
      ignores: fc.array(fc.tuple(fc.oneof(fc.constant(""), path), rules), { minLength: 1, maxLength: 4 })
    }),
    { minLength: 1, maxLength: 20 }
  ),
  above: fc.option(rules, { nil: "" }),
  exclude: fc.option(rules, { nil: "" }),
  /** Which files are tracked, by their order; and in which form the index is kept. */
  tracked: fc.array(fc.nat(60), { maxLength: 3 }),
  version: fc.constantFrom("2", "3", "4"),
  isSplit: fc.boolean()
})

/** Writes a file unless another one stands in the way. */
const write = (root: string, file: string, text: string): void => {
  try {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  } catch (error) {
    if (!["EEXIST", "ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error
  }
}

const git = (root: string, ...words: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", root, "-c", "core.excludesFile=", "-c", "core.ignoreCase=false", ...words], {
    encoding: "utf8",
    env: { ...process.env, GIT_CONFIG_NOSYSTEM: "1", HOME: root }
  })

/** Takes away everything but the repository, and what it tracks. */
const clear = (root: string): void => {
  for (const entry of readdirSync(root)) {
    if (entry !== ".git") rmSync(join(root, entry), { recursive: true, force: true })
  }
  rmSync(join(root, ".git/index"), { force: true })
}

describe.skipIf(!hasGit)("what git leaves out", () => {
  it("is what ignore rules leave out, and nothing else", () => {
    const root = mkdtempSync(join(tmpdir(), "ignore-prop-"))
    git(root, "init", "-q")
    fc.assert(
      fc.property(tree, ({ above, exclude, isSplit, parts, tracked, version }) => {
        clear(root)
        write(root, ".gitignore", above)
        for (const [number, { files, ignores }] of parts.entries()) {
          for (const file of files) write(root, join(`${number}`, file), "x")
          for (const [folder, text] of ignores) write(root, join(`${number}`, folder, ".gitignore"), text)
        }
        writeFileSync(join(root, ".git/info/exclude"), exclude)
        const all = readdirSync(root, { recursive: true, withFileTypes: true, encoding: "utf8" })
          .filter((entry) => entry.isFile())
          .map((entry) => relative(root, join(entry.parentPath, entry.name)))
          .filter((file) => !file.startsWith(".git/"))
        const added = tracked.flatMap((place) => (all[place] === undefined ? [] : [all[place]]))
        if (added.length > 0) {
          git(
            root,
            "-c",
            `index.version=${version}`,
            "add",
            "-f",
            "--",
            ...added.map((file) => `:(literal)${file}`)
          )
        }
        if (isSplit && added[0] !== undefined) {
          git(root, "update-index", "--split-index")
          git(root, "rm", "-q", "--cached", "--", `:(literal)${added[0]}`)
        }
        const listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
          .split("\0")
          .filter((file) => file !== "")
        const isLeftOut = gitIgnores(root)
        expect(all.filter((file) => !isLeftOut(file)).toSorted()).toEqual(listed.toSorted())
      }),
      propParameters(0.25)
    )
    rmSync(root, { recursive: true, force: true })
  })
})
