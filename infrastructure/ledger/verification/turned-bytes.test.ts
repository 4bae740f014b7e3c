/**
 * Single bytes of a ledger file are turned over, and files are cut short: verification finds it, opening refuses it,
 * or nothing of the content has changed. Never an error without a tag, never a wrong PASS. A property, tampered-bytes, turns many
 * more.
 */
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { makeLedgerFile, withLedger } from "../../testing/programs/ledger-program.ts"
import { dumpOf } from "../../testing/logical-dump.ts"
import { keptFolder, temporaryFolder } from "../../testing/temporary-folder.ts"

const sample = keptFolder()
const original = join(sample.folder, "original.db")
beforeAll(() => Effect.runPromise(makeLedgerFile(original)))
afterAll(sample.remove)

const REFUSALS = ["NotALedger", "StoreCorrupt", "StorageFailure", "StoreNewerThanProgram"]

/** What comes of opening and verifying a file: a verdict, or the tag of the error. */
const outcomeOf = (filename: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => ledger.verifyCassette({ pure: true }))
  ).pipe(Effect.match({ onFailure: (error): string => error._tag, onSuccess: (report) => report.verdict }))

/** A repeatable sequence of numbers below 2^32 (mulberry32). */
const numbers = (start: number) => {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

describe("a byte that is turned over", () => {
  const FLIPS = 30

  it.live(`is found, refused, or has changed nothing: ${FLIPS} places`, () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      const bytes = readFileSync(original)
      const before = dumpOf(original)
      const next = numbers(20_261_128)
      const outcomes = { found: 0, refused: 0, harmless: 0 }
      for (let flip = 0; flip < FLIPS; flip++) {
        // A third of them in the first page, where the header and the schema's root are.
        const position = next() % (flip % 3 === 0 ? 4_096 : bytes.length)
        const changed = Buffer.from(bytes)
        changed.writeUInt8(changed.readUInt8(position) ^ (1 + (next() % 255)), position)
        writeFileSync(filename, changed)
        const verdict = yield* outcomeOf(filename)
        if (verdict === "FAIL") outcomes.found += 1
        else if (verdict === "PASS") {
          outcomes.harmless += 1
          assert.strictEqual(dumpOf(filename), before, `byte ${position}`)
        } else {
          outcomes.refused += 1
          assert.include(REFUSALS, verdict)
        }
      }
      assert.isAbove(outcomes.found, 3, JSON.stringify(outcomes))
      assert.isAbove(outcomes.harmless, 0, JSON.stringify(outcomes))
    })
  )
})

describe("a file that is cut short", () => {
  it.live("is found, refused, or has lost nothing", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      const bytes = readFileSync(original)
      const before = dumpOf(original)
      for (const cut of [50, 100, 511, 512, 4_096, 4_097, 40_960, bytes.length - 4_096, bytes.length - 1]) {
        writeFileSync(filename, bytes.subarray(0, cut))
        const verdict = yield* outcomeOf(filename)
        // The last bytes of the last page may hold nothing.
        if (verdict === "PASS") assert.strictEqual(dumpOf(filename), before, `cut at ${cut}`)
        else assert.include([...REFUSALS, "FAIL"], verdict, `cut at ${cut}`)
        assert.isTrue(verdict !== "PASS" || cut === bytes.length - 1, `cut at ${cut}`)
        assert.strictEqual(statSync(filename).size, cut)
      }
    })
  )
})
