/**
 * A ledger's file that is replaced, moved, cut or removed while it is open: nothing is acknowledged from then on,
 * nothing is read from the dead file, and a name never opens another file than the one that it spells.
 */
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { kindOfType, nameFault } from "../../files/file-system.ts"
import { startChild } from "../../testing/programs/child-process.ts"
import { ledgerLayer, makeLedgerFile, post, withLedger } from "../../testing/programs/ledger-program.ts"
import { folderState, temporaryFolder } from "../../testing/temporary-folder.ts"
import { openLedgerFile } from "./ledger-file.ts"
import type { LedgerFileOptions } from "./ledger-options.ts"
import { openLedgerReader } from "../ledger-file-reader.ts"

const openError = (options: LedgerFileOptions) =>
  Effect.flip(
    Effect.scoped(Effect.provide(Effect.void, ledgerLayer({ busyDeadline: "200 millis", ...options })))
  )

const losses: ReadonlyArray<readonly [name: string, lose: (file: string) => void]> = [
  ["removed", (file) => rmSync(file)],
  ["moved away", (file) => renameSync(file, `${file}.old`)],
  [
    "replaced by a copy",
    (file) => {
      copyFileSync(file, `${file}.copy`)
      renameSync(`${file}.copy`, file)
    }
  ],
  ["left without its log", (file) => rmSync(`${file}-wal`)],
  ["left without the log's index", (file) => rmSync(`${file}-shm`)]
]

describe("a file that is lost while it is open", () => {
  for (const [name, lose] of losses) {
    it.live(`${name}: no command is acknowledged, and no query, verification or backup answers`, () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        const filename = join(folder, "a.db")
        yield* withLedger(
          { filename },
          Effect.gen(function* () {
            const ledger = yield* Ledger
            yield* post("r", 1)
            lose(filename)
            const failures = yield* Effect.all(
              {
                post: Effect.flip(post("r", 2)),
                claim: Effect.flip(ledger.claimStep({ run_id: "r", worker_id: "w", ttl_seconds: 60 })),
                head: Effect.flip(ledger.head),
                messages: Effect.flip(ledger.messages("r")),
                follow: Effect.flip(Stream.runDrain(ledger.events({ live: true })))
              },
              { concurrency: 1 }
            )
            for (const [door, error] of Object.entries(failures)) {
              assert.strictEqual(error._tag, "StorageFailure", door)
              assert.deepInclude({ ...error }, { code: "FILE_REPLACED" }, door)
            }
            if (name !== "left without its log" && name !== "left without the log's index") {
              const verify = yield* Effect.flip(ledger.verifyCassette())
              const backup = yield* Effect.flip(ledger.backup(join(folder, "backup.db")))
              for (const error of [verify, backup])
                assert.deepInclude({ ...error }, { code: "FILE_REPLACED" })
              assert.isFalse(existsSync(join(folder, "backup.db")))
            }
          })
        )
      })
    )
  }

  it.live("while a stream waits for what comes: the stream ends with the error", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* makeLedgerFile(filename)
      yield* withLedger(
        { filename, mode: "read" },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          let seen = 0
          const error = yield* Effect.flip(
            ledger.events({ live: true }).pipe(
              Stream.runForEach(() =>
                Effect.sync(() => {
                  seen += 1
                  if (seen === 10) rmSync(filename)
                })
              )
            )
          )
          assert.deepInclude({ ...error }, { _tag: "StorageFailure", code: "FILE_REPLACED" })
        })
      )
    })
  )

  it.live("and brought back: the ledger goes on where it was", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          yield* post("r", 1)
          renameSync(filename, `${filename}.away`)
          yield* Effect.flip(post("r", 2))
          yield* Effect.flip(post("r", 4))
          renameSync(`${filename}.away`, filename)
          // What came just when the file was lost has an unknown outcome; asked again it answers what stands.
          assert.isFalse((yield* post("r", 2)).created)
          const report = yield* (yield* Ledger).verifyCassette()
          assert.strictEqual(report.verdict, "PASS")
          assert.strictEqual(report.counts["cassette_messages"], 2)
        })
      )
    })
  )
})

/** Copies onto a file as `cp` does: the file stays the same, its content is another's. */
const copyOnto = (from: string, to: string) => writeFileSync(to, readFileSync(from))

/** Moves the log into the file, as another program may at any time. */
const checkpointFromOutside = (filename: string) => {
  const other = new Database(filename)
  other.pragma("wal_checkpoint(TRUNCATE)")
  other.close()
}

/** The file's new content shows as itself, or as damage where the two contents meet. */
const assertSeen = (error: { readonly _tag: string; readonly code?: string }) =>
  assert.include(["FILE_OVERWRITTEN", "INTEGRITY", "HEAD_MISMATCH"], error.code ?? error._tag)

describe("a file that something is written over while it is open", () => {
  it.live.each([
    ["shorter", 40],
    ["as long, or longer", 0]
  ] as const)("by an older backup that is %s: nothing is acknowledged from then on", ([, postsBetween]) =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          // Each checkpoint makes the next post look into the file: what it saw there must not count later.
          for (let n = 1; n <= 40; n++) {
            yield* post("r", n)
            if (n % 10 === 0) checkpointFromOutside(filename)
          }
          yield* ledger.backup(join(folder, "backup.db"))
          for (let n = 41; n <= 42 + postsBetween; n++) yield* post("r", n)
          checkpointFromOutside(filename)
          copyOnto(join(folder, "backup.db"), filename)
          for (const n of [1_000, 1_001]) {
            const error = yield* Effect.flip(post("r", n))
            assertSeen(error)
          }
        })
      )
    })
  )

  it.live("just after it was looked at, with no commit between: nothing is read or acknowledged", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          yield* ledger.backup(join(folder, "backup.db"))
          yield* post("r", 1)
          checkpointFromOutside(filename)
          yield* ledger.head
          // As long as the file, since a shorter one is noticed by its size.
          const padded = Buffer.alloc(statSync(filename).size)
          readFileSync(join(folder, "backup.db")).copy(padded)
          writeFileSync(filename, padded)
          for (const failure of [Effect.flip(ledger.head), Effect.flip(post("r", 2))]) {
            assertSeen(yield* failure)
          }
        })
      )
    })
  )

  it.live("not by the checkpoints of others: everything goes on", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          for (let n = 1; n <= 10; n++) {
            yield* post("r", n)
            checkpointFromOutside(filename)
          }
          assert.strictEqual((yield* (yield* Ledger).verifyCassette()).verdict, "PASS")
        })
      )
    })
  )
})

describe("a second name that is given to a ledger while it is open", () => {
  it.live(
    "ends acknowledging, wherever it lies, and by both names; without it all that was acknowledged is there",
    () =>
      Effect.gen(function* () {
        const filename = join(temporaryFolder(), "a.db")
        const second = join(temporaryFolder(), "b.db")
        yield* withLedger(
          { filename },
          Effect.gen(function* () {
            yield* post("r", 1)
            linkSync(filename, second)
            for (const n of [2, 3]) {
              assert.deepInclude({ ...(yield* Effect.flip(post("r", n))) }, { code: "SEVERAL_NAMES" })
              assert.strictEqual((yield* openError({ filename: second }))._tag, "UnsafePlace")
            }
          })
        )
        yield* withLedger(
          { filename: second, mode: "read" },
          Effect.gen(function* () {
            assert.include((yield* (yield* Ledger).warnings).join(), "has 2 names")
          })
        )
        rmSync(second)
        yield* withLedger(
          { filename },
          Effect.gen(function* () {
            assert.isFalse((yield* post("r", 1)).created)
            assert.strictEqual((yield* (yield* Ledger).verifyCassette()).verdict, "PASS")
          })
        )
      })
  )
})

describe("names", () => {
  const impossible = [
    "",
    " ",
    "a.db ",
    "a.db\n",
    "a.db\u00a0",
    "a\0.db",
    "\ud800.db",
    " :memory:",
    ":memory: ",
    "file:a.db",
    "FILE:a.db?mode=ro"
  ]

  it.live.each(impossible)("%j is InvalidInput, and nothing is made", (name) =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const before = process.cwd()
      process.chdir(folder)
      yield* Effect.gen(function* () {
        for (const filename of [
          name,
          ...(nameFault(join(folder, name)) === undefined ? [] : [join(folder, name)])
        ]) {
          const error = yield* openError({ filename })
          assert.strictEqual(error._tag, "InvalidInput", filename)
        }
        assert.deepStrictEqual(readdirSync(folder), [])
      }).pipe(Effect.ensuring(Effect.sync(() => process.chdir(before))))
    })
  )

  it.live(
    "a name that begins with a blank, and a relative one after a change of folder, is exactly that file",
    () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        const before = process.cwd()
        process.chdir(folder)
        yield* withLedger(
          { filename: " a.db" },
          Effect.gen(function* () {
            process.chdir(before)
            yield* post("r", 1)
            assert.strictEqual((yield* (yield* Ledger).verifyCassette()).verdict, "PASS")
          })
        ).pipe(Effect.ensuring(Effect.sync(() => process.chdir(before))))
        assert.deepStrictEqual(readdirSync(folder), [" a.db"])
      })
  )

  it.live("paths that cannot be followed are InvalidInput, a link to nothing is FileMissing", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      writeFileSync(join(folder, "file"), "x")
      symlinkSync("loop", join(folder, "loop"))
      symlinkSync(join(folder, "nowhere"), join(folder, "dead"))
      const before = readdirSync(folder)
      for (const mode of ["write", "append", "read"] as const) {
        for (const name of ["file/a.db", "loop", "loop/a.db", "x".repeat(300)]) {
          const error = yield* openError({ filename: join(folder, name), mode })
          assert.strictEqual(error._tag, "InvalidInput", `${mode} ${name}`)
        }
        const dead = yield* openError({ filename: join(folder, "dead"), mode })
        assert.strictEqual(dead._tag, "FileMissing")
      }
      assert.deepStrictEqual(readdirSync(folder), before)
    })
  )
})

describe("an empty file", () => {
  it.live("with a ledger's log beside it is NotALedger, and stays as it is", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      const child = startChild(["writeAndDie", filename, "4"])
      assert.strictEqual(yield* Effect.promise(() => child.ended), "SIGKILL")
      truncateSync(filename, 0)
      const before = folderState(folder)
      for (const mode of ["write", "append", "read"] as const) {
        const error = yield* openError({ filename, mode })
        assert.strictEqual(error._tag, "NotALedger", mode)
        assert.include(error.message, "log stands beside it")
      }
      assert.deepStrictEqual(folderState(folder), before)
    })
  )

  it.live("with nothing beside it becomes a ledger, and people are told", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      writeFileSync(filename, "")
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* (yield* Ledger).warnings, [
            `${filename} was an empty file: a new ledger was made in it`
          ])
        })
      )
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* (yield* Ledger).warnings, [])
        })
      )
    })
  )
})

describe("a process that may open no more files", () => {
  it.live("gets a typed error for the reader's connection", () =>
    Effect.gen(function* () {
      const file = yield* openLedgerFile({ filename: join(temporaryFolder(), "a.db") })
      const openReader = () => {
        throw new Database.SqliteError("unable to open database file", "SQLITE_CANTOPEN")
      }
      const error = yield* Effect.flip(openLedgerReader({ ...file, openReader }))
      assert.deepInclude({ ...error }, { _tag: "StorageFailure", code: "SQLITE_CANTOPEN" })
    }).pipe(Effect.scoped)
  )
})

describe("a ledger's file that was cut", () => {
  it.live("gives a report with findings wherever it was cut, and is not written to", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const original = join(folder, "a.db")
      yield* makeLedgerFile(original)
      const { size } = statSync(original)
      const filename = join(folder, "cut.db")
      for (const length of [50, 100, 512, 4_095, 4_096, 8_192, size >> 1, size - 4_096, size - 1]) {
        copyFileSync(original, filename)
        truncateSync(filename, length)
        const before = folderState(folder)
        const report = yield* withLedger(
          { filename, mode: "read" },
          Ledger.use((ledger) => ledger.verifyCassette())
        )
        assert.strictEqual(report.verdict, "FAIL", `${length} bytes`)
        assert.include(
          report.findings.map(({ code }) => code),
          "INTEGRITY"
        )
        const error = yield* openError({ filename })
        assert.strictEqual(error._tag, "StoreCorrupt", `${length} bytes`)
        assert.deepStrictEqual(folderState(folder), before)
      }
    })
  )
})

describe("a network file system", () => {
  it.live("is refused by the layer, unless it is allowed", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      const networkKind = () => kindOfType(0x6969)
      const error = yield* openError({ filename, networkKind })
      assert.deepInclude({ ...error }, { _tag: "NetworkFileSystem", kind: "NFS", file: filename })
      assert.deepStrictEqual(readdirSync(folder), [])
      yield* withLedger({ filename, networkKind, allowNetworkFs: true }, post("r", 1))
    })
  )

  it.live("that cannot be asked for is a typed error", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      const networkKind = () => {
        throw Object.assign(new Error("EIO: i/o error, statfs"), { code: "EIO", syscall: "statfs" })
      }
      const error = yield* openError({ filename, networkKind })
      assert.deepInclude({ ...error }, { _tag: "StorageFailure", code: "EIO", file: filename })
    })
  )
})
