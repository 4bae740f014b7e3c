/**
 * The verification of a corpus database: every column that anything is concluded from is damaged behind the guards, and is
 * found, called damage where it is read, and mended by indexing where the documents can make it again.
 */
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { Corpus } from "../../application/corpus/corpus.ts"
import type { CheckReport } from "../../domain/corpus/check-report.ts"
import type { Expansion } from "../../domain/corpus/expansion.ts"
import { expansionHash, indexHash } from "../../domain/corpus/row-hashes.ts"
import type { FileRow, SectionRow } from "../../domain/corpus/rows.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import { age, corpusLayer, withCorpus, writeFiles } from "../testing/programs/corpus-program.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"

const indexAll = Corpus.use(({ index }) => index())
const resolve = Corpus.use((corpus) =>
  corpus.resolve({ run_id: "r1", symbol_id: "@DOCS/use", slice: "lines[0:2]" })
)

const databaseOf = (root: string) => join(root, "CORTEX", "_generated", "system1.db")

const verify = (root: string, cache: "sqlite" | "jsonl" = "sqlite") =>
  Corpus.use((corpus) => corpus.verify()).pipe(
    Effect.provide(corpusLayer({ root, cache, mode: "read", asFound: true }))
  )

/** A corpus with two documents, a symbol and an expansion. */
const made = Effect.gen(function* () {
  const root = temporaryFolder()
  writeFiles(root, {
    "guide.md": "# Guide\n\nintro\n\n## Install\n\napt\n\n## Use\n\nrun\n",
    "plain.txt": "one\ntwo\n"
  })
  age(root, "guide.md", "plain.txt")
  yield* withCorpus(root, indexAll)
  yield* withCorpus(
    root,
    Corpus.use(({ addSymbol }) =>
      addSymbol({ symbol_id: "@DOCS/use", path: "guide.md", heading: "Guide/Use" })
    )
  )
  yield* withCorpus(root, resolve)
  assert.deepStrictEqual(yield* verify(root), {
    verdict: "PASS",
    findings: [],
    findings_left_off: 0,
    warnings: [],
    counts: { files: 2, sections: 4, headings: 3, symbols: 1, expansions: 1 }
  })
  return root
})

/** Runs statements behind the guards, which stand again afterwards. */
const behindGuards = (root: string, ...statements: ReadonlyArray<string>) => {
  const raw = new Database(databaseOf(root))
  raw.pragma("foreign_keys = OFF")
  const guards = raw
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
  for (const { name } of guards) raw.exec(`DROP TRIGGER ${name}`)
  for (const statement of statements) {
    assert.isAbove(raw.prepare(statement).run().changes, 0, statement)
  }
  for (const { sql } of guards) raw.exec(sql)
  raw.close()
}

const codesOf = ({ findings }: CheckReport) => [...new Set(findings.map(({ code }) => code))].sort()

const hash = "ab".repeat(32)

const ofIndex: ReadonlyArray<readonly [statement: string, ...codes: ReadonlyArray<string>]> = [
  ["UPDATE files SET size = size + 1 WHERE path = 'guide.md'", "INDEX_CHANGED"],
  ["UPDATE files SET mtime_ns = '1' WHERE path = 'guide.md'", "INDEX_CHANGED"],
  ["UPDATE files SET ctime_ns = '1' WHERE path = 'guide.md'", "INDEX_CHANGED"],
  ["UPDATE files SET inode = '1' WHERE path = 'guide.md'", "INDEX_CHANGED"],
  ["UPDATE files SET hashed_at_ms = hashed_at_ms + 1048576 WHERE path = 'guide.md'", "INDEX_CHANGED"],
  [`UPDATE files SET content_hash = '${hash}' WHERE path = 'guide.md'`, "INDEX_CHANGED"],
  ["UPDATE files SET line_count = 7 WHERE path = 'guide.md'", "INDEX_CHANGED"],
  [`UPDATE files SET index_hash = '${hash}' WHERE path = 'guide.md'`, "INDEX_CHANGED"],
  [
    "UPDATE files SET path = 'gvide.md' WHERE path = 'guide.md'",
    "FOREIGN_KEY",
    "INDEX_CHANGED",
    "SECTION_INVALID"
  ],
  ["UPDATE sections SET line_end = line_end - 1 WHERE line_start = 8", "INDEX_CHANGED", "SECTION_INVALID"],
  [
    "UPDATE sections SET line_start = line_start + 1 WHERE line_start = 8",
    "HEADING_INVALID",
    "INDEX_CHANGED",
    "SECTION_INVALID"
  ],
  [`UPDATE sections SET content_hash = '${hash}' WHERE line_start = 8`, "INDEX_CHANGED", "SECTION_INVALID"],
  [
    "UPDATE sections SET path = 'plain.txt' WHERE line_start = 8",
    "HEADING_INVALID",
    "INDEX_CHANGED",
    "SECTION_INVALID"
  ],
  [
    "UPDATE sections SET path = 'gone.md' WHERE line_start = 8",
    "FOREIGN_KEY",
    "HEADING_INVALID",
    "INDEX_CHANGED",
    "SECTION_INVALID"
  ],
  [
    `UPDATE sections SET section_id = '${hash}' WHERE line_start = 8`,
    "FOREIGN_KEY",
    "HEADING_INVALID",
    "INDEX_CHANGED",
    "SECTION_INVALID"
  ],
  ["DELETE FROM sections WHERE line_start = 8", "FOREIGN_KEY", "HEADING_INVALID", "INDEX_CHANGED"],
  [
    "UPDATE headings SET section_id = (SELECT section_id FROM headings WHERE line = 4) WHERE line = 8",
    "HEADING_INVALID",
    "INDEX_CHANGED"
  ],
  ["UPDATE headings SET heading = 'Guide/Misuse' WHERE line = 8", "INDEX_CHANGED"],
  ["UPDATE headings SET level = 3 WHERE line = 8", "INDEX_CHANGED"],
  ["UPDATE headings SET line = 9 WHERE line = 8", "HEADING_INVALID", "INDEX_CHANGED"],
  ["UPDATE headings SET path = 'plain.txt' WHERE line = 8", "HEADING_INVALID", "INDEX_CHANGED"],
  ["DELETE FROM headings WHERE line = 8", "INDEX_CHANGED"]
]

describe("damage of what is indexed", () => {
  for (const [statement, ...codes] of ofIndex) {
    it.live(`${statement}: is found, is no answer, and indexing makes it again`, () =>
      Effect.gen(function* () {
        const root = yield* made
        behindGuards(root, statement)
        const report = yield* verify(root)
        assert.strictEqual(report.verdict, "FAIL")
        assert.deepStrictEqual(codesOf(report), codes)
        const error = yield* Effect.flip(withCorpus(root, resolve))
        if (!statement.includes("SET path = 'gvide.md'")) assert.strictEqual(error._tag, "CorpusCorrupt")

        const { repaired } = yield* withCorpus(root, indexAll)
        assert.isAbove(repaired + (statement.includes("gvide") ? 1 : 0), 0)
        assert.strictEqual((yield* verify(root)).verdict, "PASS")
        assert.strictEqual((yield* withCorpus(root, resolve)).payload, "## Use\n")
        const again = yield* withCorpus(root, indexAll)
        assert.deepStrictEqual([again.repaired, again.unchanged], [0, 2])
      })
    )
  }
})

describe("damage of what no document can make again", () => {
  for (const column of ["path", "heading", "slice"]) {
    it.live(`a symbol's ${column}: is found and refused, and mended by adding the symbol again`, () =>
      Effect.gen(function* () {
        const root = yield* made
        behindGuards(root, `UPDATE symbols SET ${column} = 'other'`)
        assert.deepStrictEqual(codesOf(yield* verify(root)), ["SYMBOL_CHANGED"])
        const error = yield* Effect.flip(withCorpus(root, resolve))
        assert.strictEqual(error._tag, "CorpusCorrupt")
        assert.include(error.message, "cortex symbol remove")
        yield* withCorpus(
          root,
          Corpus.use(({ removeSymbol }) => removeSymbol("@DOCS/use"))
        )
        assert.strictEqual((yield* verify(root)).verdict, "PASS")
      })
    )
  }

  for (const [column, value, code] of [
    ["run_id", "'r2'", "EXPANSION_CHANGED"],
    ["symbol_id", "'@DOCS/usd'", "EXPANSION_CHANGED"],
    ["slice", "'lines[0:1]'", "EXPANSION_CHANGED"],
    ["section_id", `'${hash}'`, "EXPANSION_CHANGED"],
    ["section_content_hash", `'${hash}'`, "EXPANSION_CHANGED"],
    ["payload", "'## Uss' || char(10)", "PAYLOAD_CHANGED"],
    ["payload_hash", `'${hash}'`, "PAYLOAD_CHANGED"],
    ["bytes_expanded", "9", "PAYLOAD_CHANGED"],
    ["created_at", "'2026-01-01T00:00:00.000Z'", "EXPANSION_CHANGED"],
    ["expansion_hash", `'${hash}'`, "EXPANSION_CHANGED"]
  ] as const) {
    it.live(`an expansion's ${column}: is found`, () =>
      Effect.gen(function* () {
        const root = yield* made
        behindGuards(root, `UPDATE expansions SET ${column} = ${value}`)
        assert.deepStrictEqual(codesOf(yield* verify(root)), [code])
      })
    )
  }
})

describe("verification", () => {
  it.live("compares a file that counts as unchanged with its text", () =>
    Effect.gen(function* () {
      const root = yield* made
      const file = join(root, "plain.txt")
      writeFileSync(file, "one\ntwp\n")
      age(root, "plain.txt")
      assert.strictEqual((yield* verify(root)).verdict, "PASS")
      // Every figure by which a change is known is that of the file, and the index is under its hash.
      const raw = new Database(databaseOf(root))
      const row = raw.prepare("SELECT * FROM files WHERE path = 'plain.txt'").get() as FileRow
      const stat = statSync(file, { bigint: true })
      const stated = { ...row, ctime_ns: `${stat.ctimeNs}`, inode: `${stat.ino}`, hashed_at_ms: 4e12 }
      const sections = raw
        .prepare("SELECT * FROM sections WHERE path = 'plain.txt'")
        .all() as ReadonlyArray<SectionRow>
      raw
        .prepare(
          "UPDATE files SET ctime_ns = ?, inode = ?, hashed_at_ms = ?, index_hash = ? WHERE path = 'plain.txt'"
        )
        .run(
          stated.ctime_ns,
          stated.inode,
          stated.hashed_at_ms,
          indexHash(sha256, { file: stated, sections, headings: [] })
        )
      raw.close()
      assert.deepStrictEqual(codesOf(yield* verify(root)), ["DOCUMENT_DIFFERS"])
    })
  )

  it.live("compares an expansion under its hashes with what its section gives", () =>
    Effect.gen(function* () {
      const root = yield* made
      const raw = new Database(databaseOf(root))
      const stored = raw.prepare("SELECT * FROM expansions").get() as Expansion
      raw.close()
      const payload = "## Abuse\n"
      const changed = { ...stored, payload, payload_hash: sha256(payload), bytes_expanded: payload.length }
      behindGuards(
        root,
        `UPDATE expansions SET payload = '${payload}', payload_hash = '${changed.payload_hash}', bytes_expanded = ${payload.length}, expansion_hash = '${expansionHash(sha256, changed)}'`
      )
      assert.deepStrictEqual(codesOf(yield* verify(root)), ["EXPANSION_DIFFERS"])
      writeFiles(root, { "guide.md": "# Guide\n\n## Use\n\nrun\n" })
      assert.strictEqual((yield* verify(root)).verdict, "PASS")
    })
  )

  it.live("judges the lines of expansions as well as the database", () =>
    Effect.gen(function* () {
      const root = yield* made
      writeFiles(root, { "CORTEX/_cache/expansions.jsonl": "{}\n" })
      assert.deepStrictEqual(codesOf(yield* verify(root, "jsonl")), ["EXPANSION_INVALID"])
      behindGuards(root, "UPDATE symbols SET path = 'other'")
      assert.deepStrictEqual(codesOf(yield* verify(root, "jsonl")), ["EXPANSION_INVALID", "SYMBOL_CHANGED"])
    })
  )

  it.live("ends with findings wherever a page is overwritten", () =>
    Effect.gen(function* () {
      const root = yield* made
      const file = databaseOf(root)
      const bytes = readFileSync(file)
      const pages = bytes.length / 4_096
      for (let page = 2; page <= pages; page++) {
        const damaged = Buffer.from(bytes)
        damaged.fill(0xff, (page - 1) * 4_096, page * 4_096)
        writeFileSync(file, damaged)
        assert.strictEqual((yield* verify(root)).verdict, "FAIL", `page ${page}`)
      }
      writeFileSync(file, bytes)
      assert.strictEqual((yield* verify(root)).verdict, "PASS")
    })
  )
})
