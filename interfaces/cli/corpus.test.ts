// `cortex index`, `section` and `symbol` on real folders, in the test's own process: what they answer in both formats,
// what they refuse, and with which exit code.
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { runCli, type RunOptions, runJson, temporaryFolder } from "./testing/in-process.ts"
import { secondsPass } from "./testing/test-host.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

let count = 0
let root = ""
beforeEach(() => {
  root = join(folder, `${(count += 1)}`)
  mkdirSync(root)
})

const cortex = (args: ReadonlyArray<string>, options: Partial<RunOptions> = {}) =>
  runCli(args, { cwd: root, ...options })
const json = (...args: ReadonlyArray<string>) => runJson(args, { cwd: root })

const write = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

const guide = "# Guide\n\n## C#\n\nsharp\n\n## Install\n\nrun\n"

/** An index with one guide in it. */
const indexed = async () => {
  write("docs/guide.md", guide)
  expect(await cortex(["index"])).toMatchObject({ code: 0, stderr: "" })
}

const added = async (...args: ReadonlyArray<string>) => {
  const { code, document } = await json("symbol", "add", ...args)
  expect(code).toBe(0)
  return document.data
}

describe("index", () => {
  it("answers what it did, in both formats", async () => {
    write("a.md", "# A\n")
    write("old/b.md", "x")
    expect((await cortex(["index", "--exclude", "old"])).stdout).toMatch(/^files +1\nadded +1\n/)
    const { code, document } = await json("index")
    expect(code).toBe(0)
    expect(document.data).toEqual({
      files: 2,
      added: 1,
      changed: 0,
      repaired: 0,
      unchanged: 1,
      removed: 0,
      skipped: [{ path: "CORTEX/", reason: "IGNORED" }],
      skipped_left_off: 0,
      skipped_counts: { IGNORED: 1 },
      headings_left_out: []
    })
    expect((await json("index", "old", "--include", "*.txt")).document.data).toMatchObject({ removed: 1 })
  })

  it("names what it could not take, ends with 1, and has indexed the others", async () => {
    write("good.md", "good")
    write("bad.txt", Uint8Array.of(0xff))
    write("bin", "\u0000")
    symlinkSync("/", join(root, "out"))
    const people = await cortex(["index"])
    expect(people.code).toBe(1)
    expect(people.stdout).toMatch(/^files +1\n/)
    expect(people.stderr).toMatch(/^LINK_OUTSIDE_ROOT out\nerror: 1 file\(s\) /)
    const programs = await json("index")
    expect(programs.code).toBe(1)
    expect(programs.document).toMatchObject({
      ok: false,
      error: { code: "FILES_REFUSED", details: { files: 1, skipped_counts: { NOT_UTF8: 1, BINARY: 1 } } }
    })
    expect((await json("section", "list")).document.data).toMatchObject({ sections: [{ path: "good.md" }] })
  })

  it("passes over binary files, counts them, and ends with 0", async () => {
    write("good.md", "good")
    write("latin.txt", Uint8Array.of(0xff))
    write("picture.png", "\u0089PNG\u0000")
    const people = await cortex(["index"])
    expect(people.code).toBe(0)
    expect(people.stdout).toMatch(/^skipped BINARY +1\nskipped NOT_UTF8 +1\n/m)
    expect((await json("index")).document).toMatchObject({
      ok: true,
      data: { files: 1, skipped_counts: { NOT_UTF8: 1, BINARY: 1 } }
    })
  })

  it("names the escape when a heading with a slash is not found", async () => {
    write("a.md", "# Client/Server\n")
    await cortex(["index"])
    const failed = await cortex(["symbol", "add", "@A/x", "a.md#Client/Server"])
    expect(failed.code).not.toBe(0)
    expect(failed.stderr).toContain("/ is written ~1")
    expect((await cortex(["symbol", "add", "@A/x", "a.md#Client~1Server"])).code).toBe(0)
  })

  it("lists the headings of MDX, and none of front matter", async () => {
    write("a.mdx", "---\ntitle: T\n---\nimport A from 'a'\n\n# Real\n\n<A />\n")
    await cortex(["index"])
    expect((await json("section", "list")).document.data).toMatchObject({
      sections: [{ headings: [] }, { headings: [{ heading: "Real" }] }]
    })
  })

  it.each([
    ["a path out of the root", ["..", "--format", "json"], "PATH_OUTSIDE_ROOT", 2],
    ["a path that is not there", ["nope", "--format", "json"], "INVALID_PARAMS", 2],
    ["an empty glob", ["--include", "", "--format", "json"], "INVALID_PARAMS", 2],
    ["the program's own folder", ["CORTEX", "--format", "json"], "NOT_A_FILE", 1],
    ["a root that is not there", ["--root", "nope", "--format", "json"], "INVALID_PARAMS", 2]
  ])("refuses %s", async (_, args, code, exit) => {
    const ran = await cortex(["index", ...args])
    expect(ran.code).toBe(exit)
    expect(JSON.parse(ran.stdout)).toMatchObject({ ok: false, error: { code } })
    expect(ran.stderr).toBe("")
    expect(existsSync(join(root, "nope"))).toBe(false)
  })

  it("shows progress on a terminal, and leaves nothing of it there", async () => {
    for (let n = 0; n < 250; n++) write(`f${n}.txt`, `${n}`)
    const isTerminal = (stream: string) => stream === "stderr"
    const { stderr } = await cortex(["index"], { host: { isTerminal, elapsedMillis: secondsPass() } })
    expect(stderr).toBe("\r\u001b[Kindexing 200 of 250 files\r\u001b[K")
  })
})

describe("section", () => {
  it("lists and shows sections without their text", async () => {
    await indexed()
    const { document } = await json("section", "list", "--path", "docs/guide.md")
    const sections = document.data?.["sections"] as ReadonlyArray<Record<string, unknown>>
    expect(sections.map(({ line_end, line_start }) => [line_start, line_end])).toEqual([
      [0, 9],
      [2, 6],
      [6, 9]
    ])
    const { section_id } = sections[2] ?? {}
    expect((await json("section", "show", String(section_id))).document.data).toEqual(sections[2])
    const beginning = String(section_id).slice(0, 12)
    expect((await json("section", "show", beginning)).document.data).toEqual(sections[2])
    expect((await json("section", "show", `${beginning}x`)).document.error?.code).toBe("SECTION_NOT_FOUND")
    const shown = await cortex(["section", "show", String(section_id)])
    expect(shown.stdout).toMatch(/\npath +docs\/guide.md\nlines +6:9\n.*\nheading +Guide\/Install\n$/)
    expect(shown.stdout + JSON.stringify(document)).not.toContain("run")
    expect((await cortex(["section", "list", "--path", "none.md"])).stderr).toContain("not indexed")
    const second = await json(
      "section",
      "list",
      "--limit",
      "1",
      "--after",
      String(sections[0]?.["section_id"])
    )
    expect(second.document.data).toEqual({ sections: [sections[1]] })
  })

  it.each([
    ["show", [""], 2, "INVALID_PARAMS"],
    ["show", ["typo"], 1, "SECTION_NOT_FOUND"],
    ["show", ["0".repeat(64)], 1, "SECTION_NOT_FOUND"],
    ["list", ["--path", "../x"], 2, "INVALID_PARAMS"],
    ["list", ["--limit", "10001"], 2, "INVALID_PARAMS"],
    ["list", ["--after", "0".repeat(64)], 1, "SECTION_NOT_FOUND"]
  ])("%s refuses %j", async (command, args, exit, code) => {
    await indexed()
    const ran = await json("section", command, ...args)
    expect(ran.code).toBe(exit)
    expect(ran.document.error?.code).toBe(code)
  })
})

describe("symbol", () => {
  it("is added, listed, shown, resolved and removed", async () => {
    await indexed()
    const install = {
      symbol_id: "@D/install",
      path: "docs/guide.md",
      heading: "Guide/Install",
      slice: "head(3)"
    }
    expect(await added("@D/install", "docs/guide.md#Guide/Install", "--slice", " head(3) ")).toEqual(install)
    expect(await added("@D/guide", "docs/guide.md")).toMatchObject({ heading: null, slice: null })
    expect((await json("symbol", "list")).document.data).toMatchObject({
      symbols: [{ symbol_id: "@D/guide" }, install]
    })
    expect((await json("symbol", "show", "@D/install")).document.data).toEqual(install)
    const { document } = await json("symbol", "resolve", "@D/install")
    expect(document.data).toEqual({
      symbol_id: "@D/install",
      path: "docs/guide.md",
      heading: "Guide/Install",
      section_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      line_start: 6,
      line_end: 9,
      section_content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      default_slice: "head(3)"
    })
    expect((await cortex(["symbol", "resolve", "@D/guide"])).stdout).toMatch(
      /^path +docs\/guide.md\nheading +none, the whole file\n/
    )
    expect((await cortex(["symbol", "remove", "@D/install"])).stdout).toBe("removed @D/install\n")
    expect((await json("symbol", "show", "@D/install")).document.error?.code).toBe("SYMBOL_NOT_FOUND")
  })

  it("takes a # in a path and in a heading for what it is", async () => {
    await indexed()
    write("a#b.md", "# One # two\n")
    await cortex(["index"])
    expect(await added("@D/sharp", "docs/guide.md#Guide/C#")).toMatchObject({ heading: "Guide/C#" })
    expect(await added("@D/file", "a#b.md")).toMatchObject({ path: "a#b.md", heading: null })
    expect(await added("@D/both", "a#b.md#One # two")).toMatchObject({ path: "a#b.md", heading: "One # two" })
  })

  it.each([
    [["add", "D/x", "docs/guide.md"], 2, "INVALID_PARAMS"],
    [["add", "@D/x..y", "docs/guide.md"], 2, "INVALID_PARAMS"],
    [["add", "@D/x", "../guide.md"], 2, "INVALID_PARAMS"],
    [["add", "@D/x", "docs/guide.md#"], 2, "INVALID_PARAMS"],
    [["add", "@D/x", "none.md#A"], 1, "FILE_NOT_INDEXED"],
    [["add", "@D/x", "docs/guide.md#Guide/None"], 1, "HEADING_NOT_FOUND"],
    [["add", "@D/x", "docs/guide.md", "--slice", "ALL"], 2, "INVALID_SLICE"],
    [["show", "@D/x"], 1, "SYMBOL_NOT_FOUND"],
    [["remove", "@D/x"], 1, "SYMBOL_NOT_FOUND"],
    [["resolve", "@D/x"], 1, "SYMBOL_NOT_FOUND"],
    [["resolve", "@C:abc"], 2, "INVALID_NETWORK_SYMBOL"],
    [["resolve", "0".repeat(64)], 2, "INVALID_PARAMS"],
    [["check", "@D/x"], 1, "VERIFICATION_FAILED"],
    [["check", "x"], 2, "INVALID_PARAMS"]
  ])("%j is refused", async (args, exit, code) => {
    await indexed()
    const ran = await json("symbol", ...args)
    expect(ran.document.error?.code).toBe(code)
    expect(ran.code).toBe(exit)
    expect((await cortex(["symbol", ...args])).stdout).toBe("")
    expect((await json("symbol", "list")).document.data).toEqual({ symbols: [] })
  })

  it("is refused another meaning, and keeps its own", async () => {
    await indexed()
    await added("@D/x", "docs/guide.md")
    const { code, document } = await json("symbol", "add", "@D/x", "docs/guide.md#Guide")
    expect(code).toBe(1)
    expect(document.error).toMatchObject({ code: "SYMBOL_EXISTS", details: { path: "docs/guide.md" } })
    expect(await added("@D/x", "docs/guide.md")).toMatchObject({ heading: null })
  })

  it("check tells what is broken, and that all is well", async () => {
    await indexed()
    await added("@D/c", "docs/guide.md#Guide/C#")
    const well = await cortex(["symbol", "check"])
    expect(well).toEqual({ code: 0, stdout: "symbols  1\n", stderr: "PASS: All invariants verified\n" })
    write("docs/guide.md", "# Guide\n## C#\n## C#\n")
    const { code, document } = await json("symbol", "check")
    expect(code).toBe(1)
    expect(document.error).toMatchObject({
      code: "VERIFICATION_FAILED",
      details: {
        verdict: "FAIL",
        findings: [{ code: "AMBIGUOUS_HEADING", where: "@D/c" }],
        counts: { symbols: 1 }
      }
    })
    expect((await cortex(["symbol", "check"])).stderr).toMatch(
      /^FAIL: 1 issue\(s\) found\nAMBIGUOUS_HEADING @D\/c: .*lines 2, 3/
    )
    rmSync(join(root, "docs"), { recursive: true })
    expect((await json("symbol", "resolve", "@D/c")).document.error?.code).toBe("TARGET_VANISHED")
  })

  it("needs a database, which only indexing makes", async () => {
    for (const args of [
      ["symbol", "list"],
      ["symbol", "add", "@D/x", "a.md"],
      ["section", "list"]
    ]) {
      const { code, document } = await json(...args)
      expect(code).toBe(2)
      expect(document.error?.code).toBe("CORPUS_MISSING")
    }
    expect(existsSync(join(root, "CORTEX"))).toBe(false)
  })
})
