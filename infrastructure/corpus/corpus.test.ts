/**
 * The corpus service on real files: what is indexed and what is not, names that are resolved to what they mean now,
 * and every way in which a file or a name can be refused.
 */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync
} from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Corpus } from "../../application/corpus/corpus.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import { age, corpusLayer, withCorpus, writeFiles } from "../testing/programs/corpus-program.ts"
import { folderState, temporaryFolder } from "../testing/temporary-folder.ts"

const corpus = Corpus.use((service) => Effect.succeed(service))

const indexAll = Corpus.use(({ index }) => index())

const pathsOf = Corpus.use(({ sections }) => sections({ limit: 10_000 })).pipe(
  Effect.map((sections) => [...new Set(sections.map(({ path }) => path))])
)

const guide = "# Guide\n\nintro\n\n## Install\n\n### Linux\n\napt\n\n## Use\n\nrun\n"

describe("indexing", () => {
  it.live("takes texts, cuts Markdown at its headings, and shows both", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, {
        "docs/guide.md": guide,
        "src/a.ts": "# no heading\n",
        "b.MARKDOWN": "Setext\n===\n"
      })
      const report = yield* withCorpus(root, indexAll)
      assert.deepStrictEqual(report, {
        files: 3,
        added: 3,
        changed: 0,
        repaired: 0,
        unchanged: 0,
        removed: 0,
        skipped: [{ path: "CORTEX/", reason: "IGNORED" }],
        skipped_left_off: 0,
        skipped_counts: { IGNORED: 1 },
        headings_left_out: []
      })
      const sections = yield* withCorpus(
        root,
        Corpus.use(({ sections }) => sections({ limit: 10_000 }))
      )
      assert.deepStrictEqual(
        sections.map(({ headings, line_end, line_start, path }) => [
          path,
          line_start,
          line_end,
          headings.map(({ heading }) => heading)
        ]),
        [
          ["b.MARKDOWN", 0, 2, ["Setext"]],
          ["docs/guide.md", 0, 13, ["Guide"]],
          ["docs/guide.md", 4, 10, ["Guide/Install"]],
          ["docs/guide.md", 6, 10, ["Guide/Install/Linux"]],
          ["docs/guide.md", 10, 13, ["Guide/Use"]],
          ["src/a.ts", 0, 1, []]
        ]
      )
      const hash = sha256("### Linux\n\napt\n\n")
      assert.deepInclude(sections[3], {
        content_hash: hash,
        section_id: sha256(`docs/guide.md:6:10:${hash}`)
      })
    })
  )

  it.live("passes over what is unchanged, follows edits, drops what vanished, and keeps symbols", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, { "a.md": "# A\n", "b.md": "# B\n", "c.md": "# C\n" })
      yield* Effect.gen(function* () {
        const { addSymbol, index, symbols } = yield* corpus
        yield* index()
        yield* addSymbol({ symbol_id: "@DOCS/c", path: "c.md" })
        writeFiles(root, { "b.md": "# B2\n", "d/e.md": "# E\n" })
        rmSync(join(root, "c.md"))
        const report = yield* index()
        assert.deepInclude(report, { files: 3, added: 1, changed: 1, unchanged: 1, removed: 1 })
        assert.deepStrictEqual(yield* pathsOf, ["a.md", "b.md", "d/e.md"])
        assert.strictEqual((yield* symbols()).length, 1)
        assert.deepInclude(yield* index(), { files: 3, added: 0, changed: 0, unchanged: 3, removed: 0 })
      }).pipe(Effect.provide(corpusLayer({ root })))
    })
  )

  it.live("of some paths leaves the rest of the index alone", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, { "a/x.md": "x", "a/y.md": "y", "ab/z.md": "z", "c.md": "c" })
      yield* Effect.gen(function* () {
        const { index } = yield* corpus
        yield* index()
        rmSync(join(root, "a"), { recursive: true })
        rmSync(join(root, "c.md"))
        assert.deepInclude(yield* index({ paths: ["a", join(root, "ab"), "ab/z.md"] }), {
          files: 1,
          removed: 2
        })
        assert.deepStrictEqual(yield* pathsOf, ["ab/z.md", "c.md"])
        assert.deepInclude(yield* index({ paths: ["c.md"] }), { files: 0, removed: 1 })
        const slip = yield* Effect.flip(index({ paths: ["c.md"] }))
        assert.strictEqual(slip._tag, "InvalidInput")
        assert.include(slip.message, "there is no c.md")
      }).pipe(Effect.provide(corpusLayer({ root })))
    })
  )

  it.live("respects .gitignore files as git does, in every folder, and never enters .git and CORTEX", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, {
        ".gitignore": "*.log\n/build\nnode_modules/\n!keep.log\nCase.md\n",
        "a.log": "x",
        "keep.log": "x",
        "case.md": "x",
        "build/x.md": "x",
        "sub/build/x.md": "x",
        "sub/.gitignore": "!a.log\n/*.txt\n",
        "sub/a.log": "x",
        "sub/b.txt": "x",
        "sub/deep/b.txt": "x",
        "sub/node_modules/p/readme.md": "x",
        "node_modules/p/readme.md": "x",
        "nested/.git/config": "x",
        "CORTEX/notes.md": "x"
      })
      yield* withCorpus(root, indexAll)
      const paths = yield* withCorpus(root, pathsOf)
      execFileSync("git", ["init", "-q"], { cwd: root })
      const listed = execFileSync("git", ["ls-files", "--others", "--exclude-standard"], {
        cwd: root,
        encoding: "utf8"
      })
        .split("\n")
        .filter((path) => path !== "" && !path.startsWith("CORTEX/") && !path.startsWith("nested/"))
      assert.deepStrictEqual(paths, listed.sort())
      assert.include(paths, "sub/a.log")
      const within = yield* withCorpus(
        root,
        Corpus.use(({ index }) => index({ paths: ["sub/node_modules/p"] }))
      )
      assert.deepInclude(within, { files: 0, skipped: [{ path: "sub/node_modules/", reason: "IGNORED" }] })
    })
  )

  it.live("leaves out folders that programs fill, counts them, and takes those that are named", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, {
        "a.md": "x",
        "ui/node_modules/p/readme.md": "x",
        "node_modules/p/readme.md": "x",
        "env/pyvenv.cfg": "home = /usr/bin\n",
        "env/b.md": "x",
        "venv/own.md": "x",
        "py/__pycache__/c.md": "x",
        "made/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
        "made/d.md": "x",
        "kept/CACHEDIR.TAG": "a text of this name\n",
        "target/e.md": "x"
      })
      const index = (options: { paths?: Array<string>; include?: Array<string> }) =>
        withCorpus(
          root,
          Corpus.use((corpus) => corpus.index({ exclude: ["CORTEX"], ...options }))
        )
      const report = yield* index({})
      assert.deepInclude(report, { files: 4, skipped_counts: { IGNORED: 1, GENERATED: 5 } })
      assert.deepStrictEqual(
        report.skipped.filter(({ reason }) => reason === "GENERATED").map(({ path }) => path),
        ["env/", "made/", "node_modules/", "py/__pycache__/", "ui/node_modules/"]
      )
      assert.deepStrictEqual(yield* withCorpus(root, pathsOf), [
        "a.md",
        "kept/CACHEDIR.TAG",
        "target/e.md",
        "venv/own.md"
      ])
      for (const path of ["node_modules", "node_modules/p", "node_modules/p/readme.md", "env/b.md", "made"]) {
        const named = yield* index({ paths: [path] })
        assert.strictEqual(named.skipped_counts["GENERATED"], undefined, path)
        assert.isAtLeast(named.files, 1, path)
      }
      const globbed = yield* index({ include: ["node_modules/p/*.md", "made/**"] })
      assert.include(yield* withCorpus(root, pathsOf), "node_modules/p/readme.md")
      assert.include(yield* withCorpus(root, pathsOf), "made/d.md")
      assert.deepInclude(globbed.skipped_counts, { GENERATED: 2 })
    })
  )

  it.live("leaves out, and says so, what lies beside a .gitignore that cannot be read", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, { "a.md": "x", ".gitignore": "" })
      truncateSync(join(root, ".gitignore"), 1_048_577)
      for (const [paths, path] of [
        [["a.md"], "a.md"],
        [[], "./"]
      ] as const) {
        const report = yield* withCorpus(
          root,
          Corpus.use(({ index }) => index({ paths }))
        )
        assert.deepInclude(report, { files: 0, skipped: [{ path, reason: "UNREADABLE" }] })
      }
    })
  )

  it.live("pages sections in the order of the bytes of their paths", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      // U+FB00 comes after U+1F600 in UTF-16, and before it in UTF-8.
      writeFiles(root, { "\ufb00.md": "x", "\u{1f600}.md": "x" })
      yield* Effect.gen(function* () {
        const { index, sections } = yield* corpus
        yield* index()
        const [first, last] = yield* sections()
        assert.deepStrictEqual([first?.path, last?.path], ["\ufb00.md", "\u{1f600}.md"])
        const page = (path: string, after: string | undefined) =>
          Effect.map(sections({ path, after }), (rows) => rows.length)
        assert.strictEqual(yield* page("\u{1f600}.md", first?.section_id), 1)
        assert.strictEqual(yield* page("\ufb00.md", last?.section_id), 0)
      }).pipe(Effect.provide(corpusLayer({ root })))
    })
  )

  it.live("takes and leaves what globs say", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, {
        "a.md": "x",
        "docs/b.md": "x",
        "docs/c.txt": "x",
        "docs/old/d.md": "x",
        ".hidden/e.md": "x"
      })
      const taken = (options: { readonly include?: Array<string>; readonly exclude?: Array<string> }) =>
        Effect.gen(function* () {
          const { index } = yield* corpus
          yield* index(options)
          return yield* pathsOf
        }).pipe(Effect.provide(corpusLayer({ root })))
      assert.deepStrictEqual(yield* taken({ include: ["*.md"] }), [
        ".hidden/e.md",
        "a.md",
        "docs/b.md",
        "docs/old/d.md"
      ])
      assert.deepStrictEqual(yield* taken({ include: ["docs/**"], exclude: ["old"] }), [
        "docs/b.md",
        "docs/c.txt"
      ])
      assert.deepStrictEqual(yield* taken({ include: ["docs/*.{md,txt}"] }), ["docs/b.md", "docs/c.txt"])
      assert.deepStrictEqual(yield* taken({ include: ["./docs/"] }), [
        "docs/b.md",
        "docs/c.txt",
        "docs/old/d.md"
      ])
      assert.deepStrictEqual(yield* taken({ include: ["old"] }), ["docs/old/d.md"])
      assert.deepStrictEqual(
        yield* taken({ exclude: ["docs/", "/"] }).pipe(
          Effect.flip,
          Effect.map(({ _tag }) => _tag)
        ),
        "InvalidInput"
      )
      assert.deepStrictEqual(yield* taken({ exclude: ["docs/**", ".hidden"] }), ["a.md"])
      for (const option of ["include", "exclude"] as const) {
        const error = yield* Effect.flip(taken({ [option]: [""] }))
        assert.strictEqual(error._tag, "InvalidInput")
      }
    })
  )

  it.live("reports what is no text, too large, a link or a device, and indexes the others", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      const outside = temporaryFolder()
      writeFiles(outside, { "secret.md": "secret" })
      writeFiles(root, {
        "good.md": "good",
        "binary.md": "a\u0000b",
        "late.bin": Buffer.concat([Buffer.alloc(100_000, 97), Buffer.from([0])]),
        "latin1.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9]),
        "surrogate.txt": Buffer.from([0xed, 0xa0, 0x80]),
        "large.txt": "",
        "dir/inner.md": "inner"
      })
      truncateSync(join(root, "large.txt"), 256 * 1_048_576 + 1)
      symlinkSync(join(outside, "secret.md"), join(root, "out.md"))
      symlinkSync(outside, join(root, "outdir"))
      symlinkSync("good.md", join(root, "alias.md"))
      symlinkSync("..", join(root, "dir", "loop"))
      symlinkSync("nowhere", join(root, "dangling"))
      execFileSync("mkfifo", [join(root, "pipe")])
      const report = yield* withCorpus(
        root,
        Corpus.use(({ index }) => index({ exclude: ["CORTEX"] }))
      )
      assert.deepStrictEqual(
        report.skipped.map(({ path, reason }) => `${path} ${reason}`),
        [
          "CORTEX/ IGNORED",
          "alias.md LINK",
          "binary.md BINARY",
          "dangling LINK",
          "dir/loop LINK",
          "large.txt TOO_LARGE",
          "late.bin BINARY",
          "latin1.txt NOT_UTF8",
          "out.md LINK_OUTSIDE_ROOT",
          "outdir LINK_OUTSIDE_ROOT",
          "pipe NOT_A_FILE",
          "surrogate.txt NOT_UTF8"
        ]
      )
      assert.deepInclude(report, { files: 2, added: 2 })
      assert.deepStrictEqual(yield* withCorpus(root, pathsOf), ["dir/inner.md", "good.md"])
    })
  )

  it.live(
    "refuses to begin outside the root, directly or through a link, and where nothing may be indexed",
    () =>
      Effect.gen(function* () {
        const root = temporaryFolder()
        const outside = temporaryFolder()
        writeFiles(root, { "a/b.md": "b" })
        symlinkSync(outside, join(root, "out"))
        symlinkSync("a", join(root, "within"))
        yield* Effect.gen(function* () {
          const { index } = yield* corpus
          for (const path of ["..", outside, "out", "../elsewhere", "a/../.."]) {
            assert.strictEqual((yield* Effect.flip(index({ paths: [path] })))._tag, "PathOutsideRoot", path)
          }
          assert.strictEqual((yield* Effect.flip(index({ paths: ["CORTEX"] })))._tag, "NotAFile")
          assert.strictEqual((yield* Effect.flip(index({ paths: [""] })))._tag, "InvalidInput")
          yield* index({ paths: ["within"] })
          assert.deepStrictEqual(yield* pathsOf, ["a/b.md"])
        }).pipe(Effect.provide(corpusLayer({ root })))
      })
  )

  it.live("leaves the headings of a huge Markdown file out, and says so", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, { "huge.md": `# H\n${"text\n".repeat(900_000)}`, "small.md": "# S\n\n# T\n" })
      for (const _ of [1, 2]) {
        assert.deepStrictEqual((yield* withCorpus(root, indexAll)).headings_left_out, ["huge.md"])
        age(root, "huge.md")
      }
      const sections = yield* withCorpus(
        root,
        Corpus.use(({ sections }) => sections({ path: "huge.md" }))
      )
      assert.deepStrictEqual(
        sections.map(({ headings }) => headings.length),
        [0]
      )
    })
  )

  it.live("tells how far it is", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, Object.fromEntries(Array.from({ length: 450 }, (_, n) => [`f${n}.txt`, `${n}`])))
      const seen: Array<unknown> = []
      const onProgress = (progress: object) => Effect.sync(() => void seen.push(progress))
      yield* withCorpus(
        root,
        Corpus.use(({ index }) => index({ onProgress }))
      )
      assert.deepStrictEqual(seen, [
        { done: 200, total: 450 },
        { done: 400, total: 450 }
      ])
    })
  )

  it.live("is listed in pages that leave nothing out and repeat nothing", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, { "a.md": "# A\n## B\n# C\n", "b.md": "text\n# D\n", "c.txt": "x", "d/e.md": "# E\n" })
      yield* Effect.gen(function* () {
        const { addSymbol, index, sections, symbols } = yield* corpus
        yield* index()
        const all = yield* sections()
        assert.strictEqual(all.length, 8)
        for (const path of [undefined, "a.md", "b.md"]) {
          for (const limit of [1, 2, 3]) {
            const paged: Array<(typeof all)[number]> = []
            for (let isMore = true; isMore;) {
              const page = yield* sections({ path, limit, after: paged.at(-1)?.section_id })
              paged.push(...page)
              isMore = page.length > 0
            }
            assert.deepStrictEqual(
              paged,
              all.filter((each) => path === undefined || each.path === path)
            )
          }
        }
        // A place in another file lies before or behind all of this one.
        const ids = all.map(({ section_id }) => section_id)
        assert.strictEqual((yield* sections({ path: "b.md", after: ids[0] })).length, 2)
        assert.strictEqual((yield* sections({ path: "a.md", after: ids.at(-1) })).length, 0)
        const none = yield* Effect.flip(sections({ after: "0".repeat(64) }))
        assert.strictEqual(none._tag, "SectionNotFound")
        for (const limit of [0, 10_001, 1.5]) {
          assert.strictEqual((yield* Effect.flip(sections({ limit })))._tag, "InvalidInput")
          assert.strictEqual((yield* Effect.flip(symbols({ limit })))._tag, "InvalidInput")
        }
        for (const name of ["a", "b", "c"]) yield* addSymbol({ symbol_id: `@D/${name}`, path: "c.txt" })
        const names = (page: { readonly limit?: number; readonly after?: string }) =>
          Effect.map(symbols(page), (rows) => rows.map(({ symbol_id }) => symbol_id))
        assert.deepStrictEqual(yield* names({ limit: 2 }), ["@D/a", "@D/b"])
        assert.deepStrictEqual(yield* names({ after: "@D/b" }), ["@D/c"])
      }).pipe(Effect.provide(corpusLayer({ root })))
    })
  )

  it.live("takes the documentation inside the effect package whole", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      const effect = dirname(fileURLToPath(import.meta.resolve("effect/package.json")))
      for (const name of ["AGENTS.md", "README.md", "ai-docs"]) {
        cpSync(join(effect, name), join(root, name), { recursive: true })
      }
      const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile()
      )
      const report = yield* withCorpus(root, indexAll)
      assert.deepInclude(report, { files: files.length, added: files.length, skipped_counts: { IGNORED: 1 } })
      const sections = yield* withCorpus(
        root,
        Corpus.use(({ sections }) => sections({ limit: 10_000 }))
      )
      assert.isAbove(sections.filter(({ headings }) => headings.length > 0).length, 50)
      yield* Effect.gen(function* () {
        const { section, sectionText } = yield* corpus
        for (const each of sections) {
          assert.strictEqual(sha256(yield* sectionText(yield* section(each.section_id))), each.content_hash)
        }
      }).pipe(Effect.provide(corpusLayer({ root })))
    })
  )
})

describe("symbols", () => {
  const indexed = (root: string, files: { readonly [path: string]: string }) => {
    writeFiles(root, files)
    return withCorpus(root, indexAll)
  }

  it.live("name a file or a heading, with a default slice in its canonical spelling", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      yield* indexed(root, { "guide.md": guide })
      yield* Effect.gen(function* () {
        const { addSymbol, currentSection, removeSymbol, sectionText, symbol, symbols } = yield* corpus
        const whole = { symbol_id: "@DOCS/guide", path: "guide.md" }
        const linux = { symbol_id: "@DOCS/linux", path: "guide.md", heading: "Guide/Install/Linux" }
        assert.deepStrictEqual(yield* addSymbol({ ...whole, slice: " lines[0:2]\n" }), {
          ...whole,
          heading: null,
          slice: "lines[0:2]"
        })
        yield* addSymbol(linux)
        assert.deepStrictEqual(yield* addSymbol(linux), { ...linux, slice: null })
        const exists = yield* Effect.flip(addSymbol({ ...linux, heading: "Guide/Use" }))
        assert.deepInclude({ ...exists }, { _tag: "SymbolExists", heading: linux.heading })
        assert.deepStrictEqual(
          (yield* symbols()).map(({ symbol_id }) => symbol_id),
          ["@DOCS/guide", "@DOCS/linux"]
        )
        const section = yield* currentSection("@DOCS/linux")
        assert.deepInclude(section, { line_start: 6, line_end: 10, heading: linux.heading, slice: null })
        assert.strictEqual(yield* sectionText(section), "### Linux\n\napt\n\n")
        assert.deepInclude(yield* currentSection(section.section_id), {
          line_start: 6,
          heading: null,
          slice: null
        })
        assert.deepInclude(yield* currentSection("@DOCS/guide"), { line_end: 13, slice: "lines[0:2]" })
        yield* removeSymbol("@DOCS/linux")
        for (const gone of [symbol, removeSymbol, currentSection]) {
          assert.strictEqual((yield* Effect.flip(gone("@DOCS/linux")))._tag, "SymbolNotFound")
        }
      }).pipe(Effect.provide(corpusLayer({ root })))
    })
  )

  it.live("are refused when they or their target are not right", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      yield* indexed(root, { "a.md": "# A\n# B\n# B\n" })
      writeFiles(root, { "later.md": "x" })
      yield* Effect.gen(function* () {
        const { addSymbol, symbols } = yield* corpus
        const refused = (change: object) =>
          Effect.flip(addSymbol({ symbol_id: "@D/a", path: "a.md", ...change }))
        for (const symbol_id of ["D/a", "@d/a", "@D", "@D/a..b", "@C:x"]) {
          assert.strictEqual((yield* refused({ symbol_id }))._tag, "InvalidInput", symbol_id)
        }
        for (const path of ["../a.md", "/a.md", "", "x/../a.md"]) {
          assert.strictEqual((yield* refused({ path }))._tag, "InvalidInput", path)
        }
        assert.strictEqual((yield* refused({ other: 1 }))._tag, "InvalidInput")
        assert.strictEqual((yield* refused({ path: "none.md" }))._tag, "FileNotIndexed")
        assert.strictEqual((yield* refused({ path: "later.md" }))._tag, "FileNotIndexed")
        assert.strictEqual((yield* refused({ heading: "C" }))._tag, "HeadingNotFound")
        assert.deepInclude(
          { ...(yield* refused({ heading: "B" })) },
          { _tag: "AmbiguousHeading", lines: [2, 3], lines_left_off: 0 }
        )
        writeFiles(root, { "a.md": "# B\n".repeat(1_000) })
        const many = yield* refused({ heading: "B" })
        assert.deepInclude(
          { ...many },
          { lines: Array.from({ length: 100 }, (_, line) => line + 1), lines_left_off: 900 }
        )
        assert.include(many.message, "99, 100 and 900 more)")
        for (const slice of ["ALL", "lines[0:]", "", "head(0)"]) {
          assert.strictEqual((yield* refused({ slice }))._tag, "InvalidSlice", slice)
        }
        assert.deepStrictEqual(yield* symbols(), [])
      }).pipe(Effect.provide(corpusLayer({ root })))
    })
  )

  it.live("follow their heading when lines move, and show an edit without indexing", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      yield* indexed(root, { "guide.md": guide })
      yield* Effect.gen(function* () {
        const { addSymbol, currentSection, section, sections } = yield* corpus
        yield* addSymbol({ symbol_id: "@D/use", path: "guide.md", heading: "Guide/Use" })
        const before = yield* currentSection("@D/use")
        writeFiles(root, { "guide.md": guide.replace("intro\n", "intro\nmore\n") })
        const moved = yield* currentSection("@D/use")
        assert.deepInclude(moved, { line_start: 11, line_end: 14, content_hash: before.content_hash })
        assert.notStrictEqual(moved.section_id, before.section_id)
        assert.strictEqual((yield* Effect.flip(currentSection(before.section_id)))._tag, "SectionNotFound")
        assert.strictEqual((yield* section(moved.section_id)).section_id, moved.section_id)
        writeFiles(root, { "guide.md": guide.replace("run", "walk") })
        assert.notStrictEqual((yield* currentSection("@D/use")).content_hash, before.content_hash)
        assert.deepStrictEqual((yield* sections({ path: "guide.md" })).length, 4)
      }).pipe(Effect.provide(corpusLayer({ root })))
    })
  )

  it.live(
    "mean the same at once for who asked before, and something else after any change, by whomever",
    () =>
      Effect.gen(function* () {
        const root = temporaryFolder()
        yield* indexed(root, { "a.md": "# A\n", "b.md": "# B\n" })
        yield* Effect.sleep("2100 millis")
        yield* Effect.gen(function* () {
          const { addSymbol, currentSection, index, removeSymbol } = yield* corpus
          // The files' own creation is old enough by now that their stat proves them unchanged.
          yield* index()
          yield* addSymbol({ symbol_id: "@D/x", path: "a.md" })
          const before = yield* currentSection("@D/x")
          assert.strictEqual(yield* currentSection("@D/x"), before)
          assert.strictEqual(yield* currentSection("@D/x"), before)
          // Another connection gives the name another meaning.
          yield* withCorpus(
            root,
            Corpus.use((other) =>
              Effect.andThen(other.removeSymbol("@D/x"), other.addSymbol({ symbol_id: "@D/x", path: "b.md" }))
            )
          )
          assert.strictEqual((yield* currentSection("@D/x")).path, "b.md")
          yield* currentSection("@D/x")
          yield* removeSymbol("@D/x")
          assert.strictEqual((yield* Effect.flip(currentSection("@D/x")))._tag, "SymbolNotFound")
          const { section_id } = before
          assert.deepInclude(yield* currentSection(section_id), { path: "a.md" })
          assert.strictEqual(yield* currentSection(section_id), yield* currentSection(section_id))
          writeFiles(root, { "a.md": "# X\n" })
          assert.strictEqual((yield* Effect.flip(currentSection(section_id)))._tag, "SectionNotFound")
        }).pipe(Effect.provide(corpusLayer({ root })))
      })
  )

  it.live("are checked: vanished, ambiguous, unreadable and escaped targets are found by name", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      const outside = temporaryFolder()
      writeFiles(outside, { "secret.md": "secret" })
      const names = ["gone", "twice", "renamed", "binary", "link", "outside", "moved", "good"]
      yield* indexed(root, Object.fromEntries(names.map((name) => [`${name}.md`, "# H\n"])))
      yield* Effect.gen(function* () {
        const { addSymbol, checkSymbols, currentSection } = yield* corpus
        for (const name of names) {
          yield* addSymbol({ symbol_id: `@D/${name}`, path: `${name}.md`, heading: "H" })
        }
        assert.deepStrictEqual(yield* checkSymbols(), {
          verdict: "PASS",
          findings: [],
          findings_left_off: 0,
          warnings: [],
          counts: { symbols: 8 }
        })
        rmSync(join(root, "gone.md"))
        writeFiles(root, { "twice.md": "# H\n# H\n", "renamed.md": "# G\n", "binary.md": "\u0000" })
        for (const [name, target] of Object.entries({
          link: "good.md",
          outside: join(outside, "secret.md")
        })) {
          rmSync(join(root, `${name}.md`))
          symlinkSync(target, join(root, `${name}.md`))
        }
        rmSync(join(root, "moved.md"))
        mkdirSync(join(root, "moved.md"))
        const report = yield* checkSymbols()
        assert.strictEqual(report.verdict, "FAIL")
        assert.deepStrictEqual(
          report.findings.map(({ code, where }) => `${where} ${code}`),
          [
            "@D/binary NOT_TEXT",
            "@D/gone TARGET_VANISHED",
            "@D/link NOT_A_FILE",
            "@D/moved NOT_A_FILE",
            "@D/outside NOT_A_FILE",
            "@D/renamed HEADING_NOT_FOUND",
            "@D/twice AMBIGUOUS_HEADING"
          ]
        )
        assert.deepInclude(yield* checkSymbols(["@D/good"]), { verdict: "PASS", counts: { symbols: 1 } })
        assert.strictEqual((yield* Effect.flip(currentSection("@D/none")))._tag, "SymbolNotFound")
        assert.strictEqual((yield* Effect.flip(currentSection("nonsense")))._tag, "InvalidInput")
      }).pipe(Effect.provide(corpusLayer({ root })))
    })
  )

  it.live("do not lead out of the root through a folder that became a link", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      const outside = temporaryFolder()
      writeFiles(outside, { "a.md": "secret" })
      yield* indexed(root, { "d/a.md": "open" })
      renameSync(join(root, "d"), join(root, "e"))
      symlinkSync(outside, join(root, "d"))
      yield* Effect.gen(function* () {
        const { addSymbol } = yield* corpus
        const error = yield* Effect.flip(addSymbol({ symbol_id: "@D/a", path: "d/a.md" }))
        assert.strictEqual(error._tag, "PathOutsideRoot")
      }).pipe(Effect.provide(corpusLayer({ root })))
    })
  )

  it.live(
    "are read, not written, where nothing can be written: a current section is found all the same",
    () =>
      Effect.gen(function* () {
        const root = temporaryFolder()
        yield* indexed(root, { "a.md": "# A\n" })
        yield* withCorpus(
          root,
          Corpus.use(({ addSymbol }) => addSymbol({ symbol_id: "@D/a", path: "a.md" }))
        )
        writeFiles(root, { "a.md": "# A\nmore\n" })
        const database = join(root, "CORTEX", "_generated")
        const before = folderState(database)
        yield* Effect.gen(function* () {
          const { addSymbol, currentSection, index, removeSymbol } = yield* corpus
          assert.deepInclude(yield* currentSection("@D/a"), {
            line_end: 2,
            content_hash: sha256("# A\nmore\n")
          })
          for (const write of [
            index(),
            removeSymbol("@D/a"),
            addSymbol({ symbol_id: "@D/b", path: "a.md" })
          ]) {
            assert.strictEqual((yield* Effect.flip(write))._tag, "ReadOnlyStore")
          }
        }).pipe(Effect.provide(corpusLayer({ root, mode: "read" })))
        assert.deepStrictEqual(folderState(database), before)
      })
  )

  it.live("need a root that is a folder", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, { file: "x" })
      for (const wrong of [join(root, "none"), join(root, "file")]) {
        assert.strictEqual((yield* Effect.flip(withCorpus(wrong, indexAll)))._tag, "InvalidInput")
      }
      assert.strictEqual(
        (yield* Effect.flip(indexAll.pipe(Effect.provide(corpusLayer({ root, mode: "append" })))))._tag,
        "CorpusMissing"
      )
      chmodSync(join(root, "file"), 0o644)
    })
  )
})

describe("reading", () => {
  it.live("an unchanged file is not read for its section, and a text that changed since is refused", () =>
    Effect.gen(function* () {
      const root = temporaryFolder()
      writeFiles(root, { "a.md": "# A\n" })
      yield* Effect.gen(function* () {
        const { addSymbol, currentSection, index, sectionText } = yield* corpus
        yield* index()
        yield* addSymbol({ symbol_id: "@D/a", path: "a.md" })
        const section = yield* currentSection("@D/a")
        writeFiles(root, { "a.md": "# B\n" })
        assert.strictEqual((yield* Effect.flip(sectionText(section)))._tag, "FileChanged")
      }).pipe(Effect.provide(corpusLayer({ root })))
    })
  )
})
