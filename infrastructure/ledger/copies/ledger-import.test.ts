// Ledgers made of lines: byte by byte what they came from, and nothing at all of lines that are no whole ledger.
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { eventLine } from "../../../domain/ledger/event-line.ts"
import { MAX_EVENT_LINE_BYTES } from "../../../domain/ledger/limits.ts"
import { makeLedgerFile, post, postMany, withLedger } from "../../testing/programs/ledger-program.ts"
import { dumpOf } from "../../testing/logical-dump.ts"
import { rechain, tamper } from "../../testing/tampering.ts"
import { keptFolder, temporaryFolder } from "../../testing/temporary-folder.ts"
import { importLedger } from "./ledger-import.ts"

const linesOf = (filename: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => Stream.runCollect(Stream.map(ledger.events({ live: false }), eventLine)))
  )

const kept = keptFolder()
const original = join(kept.folder, "l.db")
let lines: ReadonlyArray<string>
beforeAll(async () => {
  await Effect.runPromise(makeLedgerFile(original))
  lines = await Effect.runPromise(linesOf(original))
})
afterAll(kept.remove)

/** A copy of one ledger, its lines, and a place for another. */
const fixture = Effect.sync(() => {
  const folder = temporaryFolder()
  const filename = join(folder, "l.db")
  copyFileSync(original, filename)
  return { folder, filename, lines, target: join(folder, "new.db") }
})

const textOf = (lines: ReadonlyArray<string>, end = "\n"): string =>
  lines.map((line) => `${line}${end}`).join("")

/** The bytes in pieces of so many. */
const piecesOf = (text: string, size: number): Stream.Stream<Uint8Array> => {
  const bytes = Buffer.from(text)
  return Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size))
  )
}

const imported = (text: string, filename: string, size = 1_000) =>
  importLedger(piecesOf(text, size), { filename })

describe("an imported ledger", () => {
  const forms: ReadonlyArray<readonly [string, number, (lines: ReadonlyArray<string>) => string]> = [
    ["of bytes that come one by one", 1, (lines) => textOf(lines)],
    ["of bytes that come at once", 1_000_000, (lines) => textOf(lines)],
    ["of lines that end in CRLF", 100, (lines) => textOf(lines, "\r\n")],
    ["of a last line without an end", 100, (lines) => lines.join("\n")],
    ["of lines with empty ones between them", 100, (lines) => textOf(lines, "\n\n")]
  ]

  it.live.each(forms)("%s is the one that they came from, byte by byte", ([, size, text]) =>
    Effect.gen(function* () {
      const { filename, folder, lines, target } = yield* fixture
      const report = yield* imported(text(lines), target, size)
      assert.strictEqual(report.verdict, "PASS")
      assert.deepStrictEqual(readdirSync(folder).sort(), ["l.db", "new.db"])
      assert.deepStrictEqual(dumpOf(target), dumpOf(filename))
      yield* withLedger({ filename: target }, post("r3", 9))
    })
  )

  it.live("of many pages has the same head, and its own lines make it once more", () =>
    Effect.gen(function* () {
      const { filename, folder, target } = yield* fixture
      yield* withLedger({ filename }, postMany("many", 1_200))
      const lines = yield* linesOf(filename)
      const report = yield* imported(textOf(lines), target, 65_536)
      assert.strictEqual(report.head.position, 1_210)
      const again = join(folder, "again.db")
      assert.deepStrictEqual(
        (yield* imported(textOf(yield* linesOf(target)), again, 65_536)).head,
        report.head
      )
      assert.deepStrictEqual(readFileSync(again), readFileSync(target))
    })
  )

  it.live("is no more open than the file that it came from", () =>
    Effect.gen(function* () {
      const { folder, lines, target } = yield* fixture
      const source = join(folder, "events.jsonl")
      writeFileSync(source, "", { mode: 0o600 })
      yield* importLedger(piecesOf(textOf(lines), 100), { filename: target, source })
      assert.strictEqual(statSync(target).mode & 0o777, 0o600)
    })
  )
})

describe("nothing is imported", () => {
  const replaced = (lines: ReadonlyArray<string>, index: number, from: string | RegExp, to: string) =>
    textOf(lines.with(index, lines[index]?.replace(from, to) ?? ""))
  const cases: ReadonlyArray<readonly [string, (lines: ReadonlyArray<string>) => string, string]> = [
    [
      "a changed byte",
      (lines) => replaced(lines, 2, '"n":1', '"n":2'),
      "line 3, event 3: hash is not the hash of this event"
    ],
    [
      "a missing event",
      (lines) => textOf(lines.toSpliced(4, 1)),
      "line 5, event 6: position 6 follows position 4"
    ],
    [
      "a first event that is missing",
      (lines) => textOf(lines.slice(1)),
      "line 1, event 2: position 2 follows"
    ],
    [
      "events in another order",
      (lines) => textOf([...lines.slice(0, 3), ...lines.slice(3).toReversed()]),
      "line 4, event 10: position 10 follows position 3"
    ],
    ["a line twice", (lines) => textOf(lines.toSpliced(3, 0, lines[3] ?? "")), "line 5, event 4: position 4"],
    ["a cut line", (lines) => textOf(lines).slice(0, -9), "line 10, column"],
    ["a byte order mark", (lines) => `\ufeff${textOf(lines)}`, "line 1, column 1: the text begins with"],
    ["a key twice", (lines) => replaced(lines, 6, /}$/, ',"position":7}'), "line 7, column"],
    ["a key of data twice", (lines) => replaced(lines, 2, '"n":1', '"n":1,"n":1'), "line 3, column"],
    [
      "another ledger's log behind it",
      (lines) => textOf([...lines, ...lines]),
      "line 11, event 1: position 1 follows position 10"
    ],
    [
      "a number as a text",
      (lines) => replaced(lines, 4, '"position":5', '"position":"5"'),
      "line 5, event 5: a field has a value of another type"
    ],
    ["a hash that is null", (lines) => replaced(lines, 4, /"hash":"\w+"/, '"hash":null'), "of another type"],
    ["an error behind the events", (lines) => textOf([...lines, '{"ok":false}']), "line 11 is no event"],
    ["no line", () => "", "there is no event"],
    ["empty lines", () => "\n\r\n\n", "there is no event"]
  ]

  it.live.each(cases)("of %s, and the line is named", ([, text, reason]) =>
    Effect.gen(function* () {
      const { folder, lines, target } = yield* fixture
      const error = yield* Effect.flip(imported(text(lines), target))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.include(error.message, reason)
      assert.deepStrictEqual(readdirSync(folder), ["l.db"])
    })
  )

  it.live("of what is not UTF-8", () =>
    Effect.gen(function* () {
      const { lines, target } = yield* fixture
      const bytes = Buffer.from(textOf(lines))
      bytes[bytes.indexOf("é")] = 0xff
      const error = yield* Effect.flip(importLedger(Stream.make(bytes), { filename: target }))
      assert.include(error.message, "line 2 is not UTF-8")
    })
  )

  it.live("of a line without an end, of which no more is kept than a line may have", () =>
    Effect.gen(function* () {
      const { folder, target } = yield* fixture
      const piece = new Uint8Array(1_048_576).fill(0x20)
      let given = 0
      const endless = Stream.forever(
        Stream.fromEffect(
          Effect.sync(() => {
            given += piece.length
            return piece
          })
        )
      )
      const error = yield* Effect.flip(importLedger(endless, { filename: target }))
      assert.include(error.message, `line 1 is no event: it is longer than ${MAX_EVENT_LINE_BYTES} bytes`)
      assert.isAtMost(given, MAX_EVENT_LINE_BYTES + 2 * piece.length)
      assert.deepStrictEqual(readdirSync(folder), ["l.db"])
    })
  )

  it.live("of events that the guards refuse, under hashes that fit", () =>
    Effect.gen(function* () {
      const { folder, filename, target } = yield* fixture
      tamper(filename, (database) => {
        database.exec("UPDATE events SET data = replace(data, 'w1', 'w9') WHERE position = 6")
        rechain(database)
      })
      const error = yield* Effect.flip(imported(textOf(yield* linesOf(filename)), target))
      assert.include(error.message, "line 6, event 6: ")
      assert.include(error.message, "EVENT_INVALID")
      assert.deepStrictEqual(readdirSync(folder), ["l.db"])
    })
  )

  it.live("over a file, into a missing folder, or of a source that fails", () =>
    Effect.gen(function* () {
      const { folder, lines, target } = yield* fixture
      writeFileSync(target, "mine")
      for (const wrong of [target, folder, join(folder, "no", "r.db"), ""]) {
        assert.strictEqual((yield* Effect.flip(imported(textOf(lines), wrong)))._tag, "InvalidInput", wrong)
      }
      assert.strictEqual(readFileSync(target, "utf8"), "mine")
      const broken = Stream.concat(piecesOf(textOf(lines), 100), Stream.fail("the line went dead"))
      const free = join(folder, "free.db")
      assert.strictEqual(yield* Effect.flip(importLedger(broken, { filename: free })), "the line went dead")
      assert.deepStrictEqual(readdirSync(folder).sort(), ["l.db", "new.db"])
    })
  )
})
