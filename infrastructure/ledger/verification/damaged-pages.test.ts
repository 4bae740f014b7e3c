/**
 * Damage of pages that one SQLite passes or stumbles over: pages that are used and free, an index that has kept an older
 * page, entries out of order, an empty index of the wrong kind, bits of the header. Verification names it and ends, and
 * no command is answered as done.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { pageSizeIn, withBit, withPage, withUsedPagesFree } from "../../testing/doctored-pages.ts"
import { makeLedgerFile, post, withLedger } from "../../testing/programs/ledger-program.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"

/** A closed ledger, changed byte by byte. */
const damaged = (change: (bytes: Buffer, filename: string) => Buffer) =>
  Effect.gen(function* () {
    const filename = join(temporaryFolder(), "a.db")
    yield* makeLedgerFile(filename)
    writeFileSync(filename, change(readFileSync(filename), filename))
    return filename
  })

const rootOf = (filename: string, name: string): number => {
  const database = new Database(filename, { readonly: true })
  try {
    return Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(name))
  } finally {
    database.close()
  }
}

const pageStart = (bytes: Buffer, page: number): number => (page - 1) * pageSizeIn(bytes)

const verified = (filename: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => ledger.verifyCassette({ pure: true }))
  )

/** What a post is answered; where nothing can be read, the opening itself is refused. */
const posted = (filename: string, verifyOnOpen: "recent" | "full") =>
  withLedger({ filename, verifyOnOpen }, post("r", 99)).pipe(
    Effect.match({ onFailure: (error): string => error._tag, onSuccess: () => "posted" })
  )

const damages: Readonly<Record<string, (bytes: Buffer, filename: string) => Buffer>> = {
  "pages in use stand in the list of free pages": (bytes, filename) =>
    withUsedPagesFree(bytes, [rootOf(filename, "events"), rootOf(filename, "cassette_steps")]),
  "a page belongs to nothing": (bytes) => withPage(bytes),
  "the count of free pages is another": (bytes) => withBit(bytes, 39, 0),
  "the version for writing is another": (bytes) => withBit(bytes, 18, 0),
  "the schema's format is another": (bytes) => withBit(bytes, 47, 0),
  "the magic text is damaged": (bytes) => withBit(bytes, 3, 5),
  "the user version is another": (bytes) => withBit(bytes, 63, 0),
  "the application id is another": (bytes) => withBit(bytes, 71, 0),
  "a partial index has lost its entries": (bytes, filename) => {
    const empty = Buffer.from(bytes)
    const start = pageStart(bytes, rootOf(filename, "ix_steps_claim"))
    empty.fill(0, start, start + pageSizeIn(bytes)).writeUInt8(10, start)
    empty.writeUInt16BE(pageSizeIn(bytes), start + 5)
    return empty
  },
  "an index says that it is an inner page": (bytes, filename) =>
    withBit(bytes, pageStart(bytes, rootOf(filename, "idx_trail_prev")), 3),
  "a row is not found again by its key": (bytes, filename) => {
    const start = pageStart(bytes, rootOf(filename, "cassette_jobs"))
    // The first cell of a leaf is where the first of its pointers says; a row's length begins it.
    return withBit(bytes, start + bytes.readUInt16BE(start + 8), 7)
  }
}

describe.for(Object.entries(damages))("%s", ([, change]) => {
  it.live("is found by verification, and nothing is acknowledged by who asked for it at opening", () =>
    Effect.gen(function* () {
      const filename = yield* damaged(change)
      const before = readFileSync(filename)
      const report = yield* verified(filename)
      assert.strictEqual(report.verdict, "FAIL")
      assert.strictEqual(report.rungs[0]?.name, "structure")
      assert.isAbove(report.rungs[0]?.findings ?? 0, 0)
      assert.strictEqual(yield* posted(filename, "full"), "StoreCorrupt")
      assert.isTrue(readFileSync(filename).subarray(100).equals(before.subarray(100)))
    })
  )
})

describe("entries of an index out of order", () => {
  it.live("end the rung that meets them, and verification with it", () =>
    Effect.gen(function* () {
      const filename = yield* damaged((bytes, file) => {
        const root = pageStart(bytes, rootOf(file, "ix_events_stream"))
        const key = bytes.indexOf("run:", root)
        assert.isAbove(key, root)
        const changed = Buffer.from(bytes)
        changed.write("zzz", key)
        return changed
      })
      assert.strictEqual((yield* verified(filename)).verdict, "FAIL")
    })
  )
})
