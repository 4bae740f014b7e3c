/**
 * What only the file of JSON lines can show: its exact text, every way in which a line can be damaged, torn or doubled,
 * locks that outlive their holder, and a file that is put in the place of another.
 */
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ExpansionCache } from "../../../application/corpus/expansion-cache.ts"
import { type Expansion, type ExpansionKey, makeExpansion } from "../../../domain/corpus/expansion.ts"
import { applySlice, parseSlice } from "../../../domain/corpus/slice.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { repairJsonlCache } from "./jsonl-expansion-cache.ts"
import { lineOfExpansion, MAX_LINE_BYTES } from "./jsonl-records.ts"
import { cacheLayer, linesOf, sample } from "../testing/expansion-caches.ts"

const lookup = (key: ExpansionKey = sample()) => ExpansionCache.use((cache) => cache.lookup(key))
const store = (expansion: Expansion = sample()) => ExpansionCache.use((cache) => cache.store(expansion))
const stats = ExpansionCache.use((cache) => cache.stats)
const verify = ExpansionCache.use((cache) => cache.verify)

const within = <A, E>(folder: string, program: Effect.Effect<A, E, ExpansionCache>) =>
  Effect.provide(program, cacheLayer("jsonl", folder, { busyDeadline: 50 }))

/** A folder whose file has this text. */
const withText = (text: string | Uint8Array): string => {
  const folder = temporaryFolder()
  mkdirSync(dirname(linesOf(folder)))
  writeFileSync(linesOf(folder), text)
  return folder
}

const line = (expansion = sample()): string => `${lineOfExpansion(expansion)}\n`
const other = sample({ run_id: "run_2" })

describe("the file of expansions", () => {
  it.live("has one canonical record to a line", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      yield* within(folder, Effect.andThen(store(), store(other)))
      assert.strictEqual(readFileSync(linesOf(folder), "utf8"), line() + line(other))
      assert.strictEqual(
        lineOfExpansion(sample({}, 'a "b"\n')),
        `{"bytes_expanded":6,"created_at":"2026-04-17T10:11:12.345Z","payload":"a \\"b\\"\\n","payload_hash":"${sample({}, 'a "b"\n').payload_hash}","run_id":"run_1","section_content_hash":"${sample().section_content_hash}","section_id":"${sample().section_id}","slice":"lines[0:80]","symbol_id":"@CANON/immutability"}`
      )
    })
  )

  it.live("holds the published expansions as they are published", () =>
    Effect.gen(function* () {
      const text = "# T\n\na\nb\n"
      const section_content_hash = sha256(text)
      const section_id = sha256(`t.md:0:4:${section_content_hash}`)
      const published = readFileSync(
        new URL("../../../docs/spec/vectors/expansions.jsonl", import.meta.url),
        "utf8"
      )
      const lines = [
        ["@DOCS/t", "lines[0:4]"],
        [section_id, "lines[4:5]"],
        ["@DOCS/t", "tail(3)"]
      ].map(([symbol_id = "", slice = ""]) =>
        line(
          makeExpansion(
            sha256,
            { run_id: "r1", symbol_id, slice, section_content_hash },
            {
              section_id,
              payload: Result.getOrThrow(applySlice(text, Result.getOrThrow(parseSlice(slice)))),
              created_at: "2026-11-27T10:11:12.345Z"
            }
          )
        )
      )
      assert.strictEqual(lines.join(""), published)
      assert.strictEqual((yield* within(withText(published), verify)).verdict, "PASS")
    })
  )

  const valid = sample()
  const changed = (change: object) => `${JSON.stringify({ ...JSON.parse(line()), ...change })}\n`
  const malformed: Readonly<Record<string, string | Uint8Array>> = {
    "an empty line": "\n",
    "no JSON": "expansion\n",
    "half a record": `${line().slice(0, 40)}\n`,
    "a list": "[]\n",
    "a record with CRLF": line().replace("\n", "\r\n"),
    "a record with blanks": ` ${line()}`,
    "a byte order mark": `\ufeff${line()}`,
    "keys in another order": `${JSON.stringify(valid)}\n`,
    "a key twice": line().replace("{", '{"bytes_expanded":13,'),
    "an escape that is not needed": line().replace("expanded text", "\\u0065xpanded text"),
    "bytes that are no UTF-8": Buffer.concat([
      Buffer.from(line()).subarray(0, 70),
      Buffer.from([0xff, 0x0a])
    ]),
    "a field too many": changed({ zone: 1 }),
    "a field of another type": changed({ bytes_expanded: "13" }),
    "a slice that is not canonical": changed({ slice: " head(3)" }),
    "an unbounded slice": changed({ slice: "ALL" }),
    "a hash in upper case": changed({ payload_hash: valid.payload_hash.toUpperCase() }),
    "no time": changed({ created_at: "today" })
  }

  for (const [what, text] of Object.entries(malformed)) {
    it.live(`with ${what} is refused by line, read or written`, () =>
      Effect.gen(function* () {
        const folder = withText(Buffer.concat([Buffer.from(line(other)), Buffer.from(text)]))
        const before = readFileSync(linesOf(folder))
        for (const work of [lookup(), lookup(other), store(sample({ run_id: "new" })), stats]) {
          const error = yield* Effect.flip(within<unknown, unknown>(folder, work))
          assert.deepInclude({ ...(error as object) }, { _tag: "CacheDamaged", line: 2 })
        }
        const report = yield* within(folder, verify)
        assert.strictEqual(report.verdict, "FAIL")
        assert.strictEqual(report.findings[0]?.where, "line 2")
        assert.deepStrictEqual(readFileSync(linesOf(folder)), before)
      })
    )
  }

  it.live("with a payload that is not under its hash gives nothing of it", () =>
    Effect.gen(function* () {
      const folder = withText(line(other) + line().replace("expanded text", "Expanded text"))
      const error = yield* Effect.flip(within(folder, lookup()))
      assert.deepInclude({ ...error }, { _tag: "CacheDamaged", line: 2 })
      assert.deepStrictEqual((yield* within(folder, verify)).findings, [
        { code: "PAYLOAD_CHANGED", where: "line 2", message: "payload_hash is not the payload's" }
      ])
    })
  )

  it.live("with a key twice names both lines", () =>
    Effect.gen(function* () {
      const folder = withText(line() + line(other) + line({ ...sample(), section_id: other.payload_hash }))
      for (const work of [lookup(other), store(sample({ run_id: "new" })), stats]) {
        const error = yield* Effect.flip(within<unknown, unknown>(folder, work))
        assert.deepInclude({ ...(error as object) }, { _tag: "DuplicateExpansion", line: 3, first_line: 1 })
      }
      assert.deepStrictEqual((yield* within(folder, verify)).findings, [
        { code: "KEY_DUPLICATE", where: "line 3", message: "it has the key of line 1" }
      ])
    })
  )

  it.live("with a torn last line is refused until it is repaired, and loses nothing else", () =>
    Effect.gen(function* () {
      for (const cut of [1, 20, line(other).length - 1]) {
        const folder = withText(line() + line(other).slice(0, cut))
        for (const work of [lookup(), store(other), stats]) {
          const error = yield* Effect.flip(within<unknown, unknown>(folder, work))
          assert.deepInclude({ ...(error as object) }, { _tag: "CacheTorn", line: 2, bytes: cut })
        }
        assert.strictEqual((yield* within(folder, verify)).findings[0]?.code, "LINE_TORN")
        const repair = repairJsonlCache({ file: linesOf(folder) })
        assert.strictEqual((yield* repair).removed_bytes, cut)
        assert.strictEqual(readFileSync(linesOf(folder), "utf8"), line())
        assert.strictEqual((yield* repair).removed_bytes, 0)
        assert.deepStrictEqual(yield* within(folder, lookup()), sample())
        assert.isTrue((yield* within(folder, store(other))).created)
        assert.strictEqual((yield* within(folder, verify)).verdict, "PASS")
      }
    })
  )

  it.live("that is nothing but a torn line is empty after its repair, and none needs no repair", () =>
    Effect.gen(function* () {
      const folder = withText("x".repeat(2_500_000))
      assert.strictEqual((yield* repairJsonlCache({ file: linesOf(folder) })).removed_bytes, 2_500_000)
      assert.strictEqual(readFileSync(linesOf(folder)).length, 0)
      assert.strictEqual((yield* repairJsonlCache({ file: linesOf(temporaryFolder()) })).removed_bytes, 0)
    })
  )

  it.live("with more faults than a report lists counts the rest", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      yield* within(folder, store())
      appendFileSync(linesOf(folder), "{}\n".repeat(1_005))
      const report = yield* within(folder, verify)
      assert.deepInclude(report, { verdict: "FAIL", findings_left_off: 5 })
      assert.strictEqual(report.findings.length, 1_000)
    })
  )

  it.live("with a line that no expansion can fill is refused without reading on", () =>
    Effect.gen(function* () {
      const folder = withText(Buffer.alloc(MAX_LINE_BYTES + 2_000_000, "x"))
      const error = yield* Effect.flip(within(folder, lookup()))
      assert.deepInclude({ ...error }, { _tag: "CacheDamaged", line: 1 })
      assert.strictEqual((yield* within(folder, verify)).findings[0]?.code, "LINE_MALFORMED")
    })
  )

  it.live("waits for a writer that holds the lock, and finds a line that it finishes", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      yield* within(folder, store())
      const holder = new Database(`${linesOf(folder)}.lock`)
      holder.exec("BEGIN IMMEDIATE")
      assert.strictEqual((yield* Effect.flip(within(folder, store(other))))._tag, "StoreBusy")
      // Reading waits only where a line has no end yet.
      assert.deepStrictEqual(yield* within(folder, lookup()), sample())
      appendFileSync(linesOf(folder), line(other).slice(0, 50))
      const waiting = Effect.provide(lookup(other), cacheLayer("jsonl", folder))
      const finish = Effect.promise(async () => {
        await new Promise((resolve) => setTimeout(resolve, 30))
        appendFileSync(linesOf(folder), line(other).slice(50))
        holder.exec("COMMIT")
      })
      const [found] = yield* Effect.all([waiting, finish], { concurrency: "unbounded" })
      assert.deepStrictEqual(found, other)
      holder.close()
    })
  )

  it.live("is free again when the holder of its lock was killed", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      yield* within(folder, store())
      const script = `import Database from "better-sqlite3"
        new Database(${JSON.stringify(`${linesOf(folder)}.lock`)}).exec("BEGIN IMMEDIATE")
        process.kill(process.pid, "SIGKILL")`
      assert.throws(() =>
        execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: import.meta.dirname })
      )
      assert.isTrue((yield* within(folder, store(other))).created)
    })
  )

  it.live("that was removed, replaced or cut off under an open cache is read again", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const file = linesOf(folder)
      yield* within(
        folder,
        Effect.gen(function* () {
          yield* store()
          rmSync(file)
          assert.isUndefined(yield* lookup())
          assert.isTrue((yield* store(other)).created)
          assert.strictEqual(readFileSync(file, "utf8"), line(other))
          writeFileSync(`${file}.new`, line() + line(other))
          renameSync(`${file}.new`, file)
          assert.deepStrictEqual(yield* lookup(), sample())
          truncateSync(file, line().length)
          assert.isUndefined(yield* lookup(other))
        })
      )
    })
  )

  it.live("whose folder was removed under an open cache has one lock, for everybody, in the new one", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const lock = `${linesOf(folder)}.lock`
      yield* within(
        folder,
        Effect.gen(function* () {
          yield* store()
          rmSync(dirname(linesOf(folder)), { recursive: true })
          mkdirSync(dirname(linesOf(folder)))
          const holder = new Database(lock)
          holder.exec("BEGIN IMMEDIATE")
          assert.strictEqual((yield* Effect.flip(store(other)))._tag, "StoreBusy")
          holder.exec("COMMIT")
          holder.close()
          assert.isTrue((yield* store(other)).created)
          assert.strictEqual(readFileSync(linesOf(folder), "utf8"), line(other))
        })
      )
    })
  )

  it.live("is no link, no folder, and its lock is no other file", () =>
    Effect.gen(function* () {
      const linked = temporaryFolder()
      mkdirSync(dirname(linesOf(linked)))
      symlinkSync("/etc/hostname", linesOf(linked))
      const folder = temporaryFolder()
      mkdirSync(linesOf(folder), { recursive: true })
      const locked = temporaryFolder()
      mkdirSync(dirname(linesOf(locked)))
      writeFileSync(
        `${linesOf(locked)}.lock`,
        "this is the file of another program, and not a short one at all"
      )
      const blocked = temporaryFolder()
      writeFileSync(dirname(linesOf(blocked)), "")
      for (const place of [linked, folder, locked, blocked]) {
        assert.strictEqual((yield* Effect.flip(within(place, store())))._tag, "NotACache")
      }
      for (const place of [linked, folder]) {
        assert.strictEqual((yield* Effect.flip(within(place, lookup())))._tag, "NotACache")
        assert.strictEqual((yield* Effect.flip(within(place, verify)))._tag, "NotACache")
        assert.strictEqual((yield* Effect.flip(repairJsonlCache({ file: linesOf(place) })))._tag, "NotACache")
      }
      assert.isFalse(existsSync(linesOf(locked)))
    })
  )
})
