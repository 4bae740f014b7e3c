// What the package would hold if it were packed now, beside what a build makes: documents whose links lead to files of the
// package, and nothing that is not kept in the repository.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { relativeLinksOf } from "../docs/testing/links.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** What a command prints in the repository. */
const printed = (command: string, ...given: ReadonlyArray<string>): string =>
  execFileSync(command, given, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })

const [{ files }] = JSON.parse(
  printed("npm", "pack", "--dry-run", "--json", "--ignore-scripts")
) as readonly [{ readonly files: ReadonlyArray<{ readonly path: string }> }]
const packed = files.map(({ path }) => path).filter((path) => !path.startsWith("dist/"))

/** Leads those who change the program through its sources, which are not in the package. */
const FOR_CONTRIBUTORS = "ARCHITECTURE.md"

const isPacked = (path: string): boolean =>
  packed.some((each) => each === path || each.startsWith(path.replace(/\/?$/, "/")))

/** The links of a document to files that are not packed. */
const lostLinks = (document: string, text: string): ReadonlyArray<string> =>
  relativeLinksOf(text).filter((link) => {
    const [path = ""] = link.split("#")
    return path !== "" && !isPacked(join(dirname(document), path))
  })

it.each(packed.filter((path) => path.endsWith(".md") && path !== FOR_CONTRIBUTORS))(
  "the links of %s lead to files of the package",
  (document) => {
    expect(lostLinks(document, readFileSync(join(root, document), "utf8"))).toEqual([])
  }
)

it("a link to what is not packed would be found", () => {
  const text = "[a](../testing/links.ts) [b](package.md#c) [d](../spec) [e](#f) ![g](../images/none.png)"
  expect(lostLinks("docs/guides/program.md", text)).toEqual(["../testing/links.ts", "../images/none.png"])
})

it("the documents, the formats and the examples are packed", () => {
  const wanted = ["LICENSE", "README.md", "CHANGELOG.md", "docs/guides", "docs/spec", "docs/cli.md"]
  expect([...wanted, "docs/spec/vectors", "examples/embedding.ts"].filter((path) => !isPacked(path))).toEqual(
    []
  )
})

/** The one file of tests that is an example itself. */
const EXAMPLE = "examples/own-ports.test.ts"

it("tests are not packed, nor what only serves them", () => {
  const tests = packed.filter((path) => /\.(test|prop)\.ts$|(^|\/)testing\//.test(path))
  expect(tests).toEqual([EXAMPLE])
})

it("examples import the package by its name, so that a copy of them runs", () => {
  const examples = packed.filter((path) => /^examples\/.*\.ts$/.test(path))
  expect(examples.length).toBeGreaterThan(5)
  const leaving = examples.filter((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(/from "(\.[^"]*)"/g)].some(
      ([, name = ""]) => !isPacked(join(dirname(path), name))
    )
  )
  expect(leaving).toEqual([])
})

// A copy without its history has nothing to compare with.
it.skipIf(!existsSync(join(root, ".git")))("only files that are kept in the repository are packed", () => {
  const kept = new Set(printed("git", "ls-files").split("\n"))
  const added = printed("git", "ls-files", "--others", "--exclude-standard").split("\n")
  expect(packed.filter((path) => !kept.has(path) && !added.includes(path))).toEqual([])
})
