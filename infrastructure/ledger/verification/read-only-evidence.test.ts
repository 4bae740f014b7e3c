/**
 * Evidence that cannot be written: a ledger in a read-only folder, or a read-only file, is verified, queried and
 * read in full, commands are refused, and nothing in its place changes. Root may write everywhere, so a child
 * process gives up root first; where the tests run as another user the permissions alone do it.
 */
import { chmodSync, chownSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { answerOf, startChild } from "../../testing/programs/child-process.ts"
import { postAndDie } from "../../testing/killed-writer.ts"
import {
  ledgerLayer,
  makeLedgerFile,
  smallHistory,
  withLedger
} from "../../testing/programs/ledger-program.ts"
import { isRoot, NOBODY, nobodyReaches } from "../../testing/nobody.ts"
import { folderState, temporaryFolder } from "../../testing/temporary-folder.ts"

if (!nobodyReaches) console.warn(`SKIPPED: ${tmpdir()} is closed to everybody but root`)

interface Examination {
  readonly verdict: string
  readonly findings: ReadonlyArray<unknown>
  readonly counts: Readonly<Record<string, number>>
  readonly warnings: ReadonlyArray<string>
  readonly runs: ReadonlyArray<string>
  readonly log: number
  readonly command: string
}

interface Outcome {
  readonly value?: Examination
  readonly failure?: { readonly _tag: string }
}

/** What comes of it for reading, and then for writing. */
const examine = (filename: string) =>
  Effect.promise(() => answerOf(["examine", filename])) as Effect.Effect<{
    readonly reading: Outcome
    readonly writing: Outcome
  }>

/** A ledger of five events whose writer was killed, so that everything stands in the log beside it. */
const killedWriter = (folder: string) =>
  Effect.gen(function* () {
    const filename = join(folder, "a.db")
    yield* Effect.promise(() => postAndDie(filename, 4))
    assert.deepStrictEqual(readdirSync(folder).sort(), ["a.db", "a.db-shm", "a.db-wal"])
    return filename
  })

/** Examines a file in a folder that may not be written, and compares the folder before and after. */
const examineLocked = (folder: string, filename: string) =>
  Effect.gen(function* () {
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444)
    chmodSync(folder, 0o555)
    const before = folderState(folder)
    const { reading, writing } = yield* examine(filename)
    assert.strictEqual(writing.failure?._tag, "ReadOnlyStore")
    assert.deepStrictEqual(folderState(folder), before)
    return reading.value
  })

describe.skipIf(!nobodyReaches || !isRoot)("a file that may not be read", () => {
  it.live.each(["the file", "its folder"])(
    "because of %s is InvalidInput, for reading and for writing",
    (place) =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        const filename = join(folder, "a.db")
        yield* makeLedgerFile(filename)
        if (place === "the file") chmodSync(filename, 0o600)
        else chmodSync(folder, 0o700)
        const { reading, writing } = yield* examine(filename)
        assert.deepStrictEqual(
          [reading.failure?._tag, writing.failure?._tag],
          ["InvalidInput", "InvalidInput"]
        )
      })
  )
})

describe.skipIf(!nobodyReaches)("a read-only folder", () => {
  it.live("with a database alone: a copy is examined, and the warnings say so", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      yield* makeLedgerFile(filename)
      const found = yield* examineLocked(folder, filename)
      assert.deepInclude(found, { verdict: "PASS", runs: ["r1", "r2"], log: 10, command: "ReadOnlyStore" })
      assert.deepStrictEqual(found?.warnings, [
        `${filename} is in a place that cannot be written: a private copy of it was examined`
      ])
    })
  )

  it.live("with the log beside it, and its index: everything in the log is seen", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = yield* killedWriter(folder)
      const found = yield* examineLocked(folder, filename)
      assert.deepInclude(found, { verdict: "PASS", runs: ["r"], log: 5, command: "ReadOnlyStore" })
    })
  )

  it.live("with the log alone beside it: a copy of both is examined", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = yield* killedWriter(folder)
      rmSync(`${filename}-shm`)
      const found = yield* examineLocked(folder, filename)
      assert.deepInclude(found, { verdict: "PASS", runs: ["r"], log: 5, command: "ReadOnlyStore" })
      assert.include(found?.warnings[0] ?? "", "a private copy of it was examined")
      const elsewhere = temporaryFolder()
      chmodSync(elsewhere, 0o755)
      const link = join(elsewhere, "link.db")
      symlinkSync(filename, link)
      const linked = yield* examine(link)
      assert.deepInclude(linked.reading.value, {
        verdict: "PASS",
        runs: ["r"],
        log: 5,
        command: "ReadOnlyStore"
      })
    })
  )
})

describe.skipIf(!nobodyReaches)("a read-only file", () => {
  it.live("in a folder that can be written: a copy is examined and nothing is left beside it", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      yield* makeLedgerFile(filename)
      chmodSync(filename, 0o444)
      if (isRoot) chownSync(folder, NOBODY, NOBODY)
      const before = folderState(folder)
      const { reading, writing } = yield* examine(filename)
      assert.deepInclude(reading.value, { verdict: "PASS", log: 10, command: "ReadOnlyStore" })
      assert.include(reading.value?.warnings[0] ?? "", "a private copy of it was examined")
      assert.strictEqual(writing.failure?._tag, "ReadOnlyStore")
      assert.deepStrictEqual(folderState(folder), before)
    })
  )
})

describe("reading where writing would be possible", () => {
  it.live("refuses every command, leaves nothing behind, and says nothing of a copy", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      yield* makeLedgerFile(filename)
      const before = folderState(folder)
      yield* withLedger(
        { filename, mode: "read" },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          assert.deepStrictEqual(yield* ledger.warnings, [])
          assert.strictEqual((yield* ledger.verifyCassette({ pure: true })).verdict, "PASS")
          const error = yield* Effect.flip(smallHistory)
          assert.strictEqual(error._tag, "ReadOnlyStore")
        })
      )
      assert.deepStrictEqual(folderState(folder), before)
    })
  )

  it.live("examines a file whose first transaction was cut short as what it is: empty", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      const child = startChild(["halfDone", filename])
      assert.strictEqual(yield* Effect.promise(() => child.ended), "SIGKILL")
      assert.deepStrictEqual(readdirSync(folder).sort(), ["a.db", "a.db-journal"])
      const before = folderState(folder)
      const error = yield* Effect.flip(
        Effect.scoped(Effect.provide(Effect.void, ledgerLayer({ filename, mode: "read" })))
      )
      assert.strictEqual(error._tag, "NotALedger")
      assert.include(error.message, "it is empty")
      assert.deepStrictEqual(folderState(folder), before)
      // A writer undoes it and makes its ledger.
      yield* makeLedgerFile(filename)
      yield* withLedger(
        { filename, mode: "read" },
        Ledger.use((ledger) =>
          Effect.map(ledger.verifyCassette({ pure: true }), ({ verdict }) =>
            assert.strictEqual(verdict, "PASS")
          )
        )
      )
    })
  )
})

describe("a writer in another process", () => {
  it.live("keeps working while others verify, and each report is of one moment", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* makeLedgerFile(filename)
      const child = startChild(["write", filename])
      const next = Effect.promise(() => child.line()) as Effect.Effect<number>
      yield* next
      yield* withLedger(
        { filename, mode: "read" },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          for (let reading = 0; reading < 5; reading++) {
            const { counts, findings, head, verdict } = yield* ledger.verifyCassette({ pure: true })
            assert.strictEqual(verdict, "PASS", JSON.stringify(findings))
            assert.strictEqual(counts["events"], head.position)
            // Six of the events are no messages, and every message of the writer is one event.
            assert.strictEqual(counts["cassette_messages"], head.position - 6)
            let written = head.position
            while (written <= head.position) written = yield* next
          }
        })
      )
      child.process.stdin?.end()
      assert.strictEqual(yield* Effect.promise(() => child.ended), 0)
    })
  )
})
